/* SPDX-License-Identifier: MIT */
/* races: timeout 2 cuda_progress progress 2 */
/*
 * Launches until it is killed and says in a shared file mapping how far it has come: a 64-bit
 * counter a thread of launches that have returned.
 *
 * usage: cuda_progress FILE THREADS
 */
/* build: -pthread -L$O/fake -l:libcudart.so.13 -Wl,-rpath,'$ORIGIN/../fake' */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "cuda_client.h"

static _Atomic uint64_t *counter;
static char kernel;

static void *thread_main(void *argument)
{
	_Atomic uint64_t *mine = argument;
	cudaStream_t stream;

	OK(cudaStreamCreate(&stream));
	for (;;) {
		OK(cudaLaunchKernel(&kernel, one, one, NULL, 0, stream));
		atomic_fetch_add(mine, 1);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t thread;
	int fd;

	EXPECT(argc > 2 && threads > 0 && threads <= 500);
	fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
	EXPECT(fd >= 0 && !ftruncate(fd, 4096));
	counter = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	EXPECT(counter != MAP_FAILED);
	client_kernel(&kernel, "until_killed");
	for (int i = 1; i < threads; i++)
		pthread_create(&thread, NULL, thread_main, &counter[i]);
	thread_main(&counter[0]);
	return 0;
}
