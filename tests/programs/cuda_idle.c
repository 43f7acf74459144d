/* SPDX-License-Identifier: MIT */
/* races: cuda_idle data */
/*
 * Gaps of the GPU with a reason each: between kernels of one stream the thread reads, waits,
 * sleeps, asks for memory, copies, has a range open, or another thread launches.
 *
 * usage: cuda_idle FILE, a file to read
 */
/* build: -pthread -L$O/fake -l:libcudart.so.13 -Wl,-rpath,'$ORIGIN/../fake' */
#include <fcntl.h>
#include <pthread.h>
#include <time.h>

#include "cuda_client.h"

#define ROUNDS 5
#define PAUSE_NS 3000000

static char kernel;
static char block[4096];

static void launch(void)
{
	OK(cudaLaunchKernel(&kernel, one, one, NULL, 64, NULL));
}

static void pause_once(void)
{
	nanosleep(&(struct timespec){ 0, PAUSE_NS }, NULL);
}

static void read_file(const char *path)
{
	int fd = open(path, O_RDONLY);

	EXPECT(fd >= 0);
	while (read(fd, block, sizeof(block)) > 0)
		continue;
	close(fd);
}

static void *run_thread(void *path)
{
	launch();
	read_file(path);
	launch();
	return NULL;
}

int main(int argc, char **argv)
{
	void *device;
	pthread_t thread;

	EXPECT(argc == 2);
	client_kernel(&kernel, "_Z5smallPf");
	launch();
	for (int i = 0; i < ROUNDS; i++) {
		OK(cudaMalloc(&device, 4096));
		pause_once();
		launch();
		OK(cudaDeviceSynchronize());
		read_file(argv[1]);
		launch();
		OK(cudaMemcpy(block, device, sizeof(block), 2));
		pause_once();
		OK(cudaFree(device));
		launch();
		pthread_create(&thread, NULL, run_thread, argv[1]);
		pthread_join(thread, NULL);
	}
	OK(cudaDeviceSynchronize());
	return 0;
}
