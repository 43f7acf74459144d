/* SPDX-License-Identifier: MIT */
/* races: cuda_server */
/*
 * A server whose requests use the fake device, asked by a thread of its own. Kernels have the name
 * of what launched them, so that the tables of kernels say what requests must have:
 *
 *   alone    /alone is asked ROUNDS times; each request launches two on the thread that received it
 *   many     /many is asked once, for seven
 *   shared   /left and /right are open together, while a thread without a request launches three
 *   outside  launched while no request is open
 */
/* build: -pthread -L$O/fake -l:libcudart.so.13 -ldl -Wl,-rpath,'$ORIGIN/../fake' */
#include <arpa/inet.h>
#include <pthread.h>
#include <sys/socket.h>

#include "cuda_client.h"

#define ROUNDS 5

static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
static char kernel_alone, kernel_many, kernel_shared, kernel_outside;
static struct sockaddr_in address;

static void launch(const void *kernel, unsigned int times)
{
	for (unsigned int i = 0; i < times; i++)
		OK(cudaLaunchKernel(kernel, (dim3){ 10 + i, 1, 1 }, (dim3){ 128, 1, 1 }, NULL, 0,
				    NULL));
}

/* --- the client --- */

static int ask(const char *path)
{
	char text[128];
	int length = snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", path);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	OK(connect(fd, (struct sockaddr *)&address, sizeof(address)));
	EXPECT(send(fd, text, (size_t)length, 0) == length);
	return fd;
}

static void take_answer(int fd)
{
	char text[sizeof(answer)];

	EXPECT(recv(fd, text, sizeof(answer) - 1, MSG_WAITALL) == sizeof(answer) - 1);
	EXPECT(memcmp(text, answer, sizeof(answer) - 1) == 0);
	close(fd);
}

static void *run_client(void *unused)
{
	int left, right;

	for (int i = 0; i < ROUNDS; i++)
		take_answer(ask("/alone"));
	take_answer(ask("/many"));
	left = ask("/left");
	right = ask("/right");
	take_answer(left);
	take_answer(right);
	return unused;
}

/* --- the server --- */

/* Returns the connection, whose request has been received. */
static int receive(int listener, char path[16])
{
	char text[512];
	int fd = accept(listener, NULL, NULL);
	ssize_t length;

	EXPECT(fd >= 0);
	length = recv(fd, text, sizeof(text) - 1, 0);
	EXPECT(length > 0);
	text[length] = 0;
	EXPECT(sscanf(text, "GET %15s", path) == 1);
	return fd;
}

static void send_answer(int fd)
{
	EXPECT(send(fd, answer, sizeof(answer) - 1, 0) == sizeof(answer) - 1);
	close(fd);
}

static void *run_batcher(void *unused)
{
	launch(&kernel_shared, 3);
	OK(cudaDeviceSynchronize());
	return unused;
}

static void serve(int listener)
{
	pthread_t batcher;
	char path[16];
	int left, right;

	for (int i = 0; i < ROUNDS + 1; i++) {
		int fd = receive(listener, path);
		bool is_many = strcmp(path, "/many") == 0;

		launch(is_many ? &kernel_many : &kernel_alone, is_many ? 7 : 2);
		OK(cudaDeviceSynchronize());
		send_answer(fd);
		launch(&kernel_outside, 1);
	}
	left = receive(listener, path);
	right = receive(listener, path);
	OK(pthread_create(&batcher, NULL, run_batcher, NULL));
	pthread_join(batcher, NULL);
	send_answer(left);
	send_answer(right);
}

int main(void)
{
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t length = sizeof(address);
	pthread_t client;

	client_kernel(&kernel_alone, "_Z5alonePf");
	client_kernel(&kernel_many, "_Z4manyPf");
	client_kernel(&kernel_shared, "_Z6sharedPf");
	client_kernel(&kernel_outside, "_Z7outsidePf");
	address = (struct sockaddr_in){ .sin_family = AF_INET,
					.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	OK(bind(listener, (struct sockaddr *)&address, sizeof(address)));
	OK(listen(listener, 8));
	OK(getsockname(listener, (struct sockaddr *)&address, &length));
	OK(pthread_create(&client, NULL, run_client, NULL));
	serve(listener);
	pthread_join(client, NULL);
	OK(cudaDeviceSynchronize());
	close(listener);
	return 0;
}
