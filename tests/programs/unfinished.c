/* SPDX-License-Identifier: MIT */
/* races: none, leaves calls by siglongjmp() and cancelling */
/*
 * Calls that do not return, over the fake CUDA, with FAKE_CUDA_KERNELS so that a kernel lasts.
 * Threads: one reads a pipe that nobody writes to, one writes to a pipe that nobody reads, one
 * polls; one left its read by siglongjmp(), one was cancelled in a read, which are no open calls.
 * The main thread waits for the kernel.
 *
 * usage: unfinished NOTE [exit]
 * NOTE is made when all are where they stay. With `exit` a thread then calls exit(3), else the
 * program waits to be killed.
 */
/* build: -pthread -L$O/fake -l:libcudart.so.13 -ldl -Wl,-rpath,'$ORIGIN/../fake' */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include "cuda_client.h"

enum { READER, WRITER, POLLER, JUMPER, CANCELLED, MAIN, THREADS };

static pthread_t thread[THREADS];
static _Atomic int tid[THREADS]; /* set when the next thing that the thread does is its call */
static int quiet[2], full[2];
static sigjmp_buf back;
static _Atomic int has_jumped;
static const char *note, *how;
static char kernel_long;

static void here(int number)
{
	atomic_store(&tid[number], (int)syscall(SYS_gettid));
}

static void *reader(void *unused)
{
	char byte;

	(void)unused;
	here(READER);
	(void)!read(quiet[0], &byte, 1);
	return NULL;
}

static void *writer(void *unused)
{
	static char bytes[1 << 22];

	(void)unused;
	here(WRITER);
	(void)!write(full[1], bytes, sizeof(bytes));
	return NULL;
}

static void *poller(void *unused)
{
	struct pollfd list = { .fd = quiet[0], .events = POLLIN };

	(void)unused;
	here(POLLER);
	(void)poll(&list, 1, -1);
	return NULL;
}

static void *jumper(void *unused)
{
	char byte;

	(void)unused;
	if (!sigsetjmp(back, 1)) {
		here(JUMPER);
		(void)!read(quiet[0], &byte, 1);
	}
	(void)!write(open("/dev/null", O_WRONLY), "x", 1); /* it goes on: that is recorded */
	atomic_store(&has_jumped, 1);
	for (;;)
		syscall(SYS_pause);
	return NULL;
}

static void *cancelled(void *unused)
{
	char byte;

	(void)unused;
	here(CANCELLED);
	(void)!read(quiet[0], &byte, 1);
	return NULL;
}

static void jump(int signal)
{
	(void)signal;
	siglongjmp(back, 1);
}

/* The kernel says that the thread sleeps; it has nothing to sleep in but its call. */
static void until_asleep(int number)
{
	char path[64], text[256];

	for (;; usleep(1000)) {
		ssize_t length;
		int fd;

		if (!atomic_load(&tid[number]))
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%d/stat", atomic_load(&tid[number]));
		fd = open(path, O_RDONLY);
		length = read(fd, text, sizeof(text) - 1);
		close(fd);
		text[length > 0 ? length : 0] = 0;
		if (strstr(text, ") S "))
			return;
	}
}

static void *judge(void *unused)
{
	(void)unused;
	for (int i = 0; i < THREADS; i++)
		until_asleep(i);
	pthread_kill(thread[JUMPER], SIGUSR1);
	while (!atomic_load(&has_jumped))
		usleep(1000);
	pthread_cancel(thread[CANCELLED]);
	pthread_join(thread[CANCELLED], NULL);
	close(open(note, O_CREAT | O_WRONLY, 0600));
	if (how)
		exit(3);
	for (;;)
		syscall(SYS_pause);
	return NULL;
}

int main(int argc, char **argv)
{
	void *(*const does[])(void *) = { reader, writer, poller, jumper, cancelled };
	pthread_t last;

	note = argv[1];
	how = argc > 2 ? argv[2] : NULL;
	client_kernel(&kernel_long, "kernel_long");
	signal(SIGUSR1, jump);
	EXPECT(!pipe(quiet) && !pipe(full));
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < MAIN; i++)
		pthread_create(&thread[i], NULL, does[i], NULL);
	pthread_create(&last, NULL, judge, NULL);
	OK(cudaLaunchKernel(&kernel_long, one, one, NULL, 0, NULL));
	here(MAIN);
	OK(cudaDeviceSynchronize());
	return 1;
}
