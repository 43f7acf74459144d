/* SPDX-License-Identifier: MIT */
/*
 * usage: io READS
 * Reads READS times one byte at an offset of a file of a page: as little work beside the call as
 * there can be.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define FILE_BYTES 4096u

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int open_page(void)
{
	char name[] = "/tmp/bench-io-XXXXXX";
	int file = mkstemp(name);

	if (file < 0)
		return -1;
	unlink(name);
	return ftruncate(file, FILE_BYTES) ? -1 : file;
}

int main(int argc, char **argv)
{
	uint64_t reads = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
	int file = open_page();
	uint64_t wall, cpu, got = 0;
	char byte;

	if (file < 0)
		return 1;
	wall = now_ns(CLOCK_MONOTONIC);
	cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	for (uint64_t i = 0; i < reads; i++)
		got += (uint64_t)pread(file, &byte, 1, (off_t)(i % FILE_BYTES));
	wall = now_ns(CLOCK_MONOTONIC) - wall;
	cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	printf("result {\"reads\": %llu, \"bytes\": %llu, \"wall_ns\": %llu, \"cpu_ns\": %llu}\n",
	       (unsigned long long)reads, (unsigned long long)got, (unsigned long long)wall,
	       (unsigned long long)cpu);
	return 0;
}
