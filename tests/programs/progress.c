/* SPDX-License-Identifier: MIT */
/* races: timeout 2 progress progress 2 */
/*
 * Uses the heap until it is killed and says in a shared file mapping how far it has come: one
 * 64-bit counter of heap events a thread, raised after each event.
 *
 * usage: progress FILE THREADS [PAUSE_US]
 * With PAUSE_US each thread sleeps that long after 100 events.
 */
/* build: -pthread -fno-builtin */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static _Atomic uint64_t *counter;
static unsigned int pause_us;

static void *thread_main(void *argument)
{
	_Atomic uint64_t *mine = argument;
	uint64_t done = 0;

	for (;;) {
		void *block = malloc(100 + done % 50);

		atomic_store(mine, ++done);
		free(block);
		atomic_store(mine, ++done);
		if (pause_us && done % 100 == 0)
			usleep(pause_us);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t thread;
	int fd;

	if (argc < 3)
		return 2;
	pause_us = argc > 3 ? (unsigned int)atoi(argv[3]) : 0;
	fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || ftruncate(fd, 4096))
		return 3;
	counter = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (counter == MAP_FAILED)
		return 3;
	for (int i = 1; i < threads && i < 500; i++)
		pthread_create(&thread, NULL, thread_main, &counter[i]);
	thread_main(&counter[0]);
	return 0;
}
