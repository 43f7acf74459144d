/* SPDX-License-Identifier: MIT */
/*
 * A program whose wild write hits the memory that it shares with its collector: finds it in its
 * maps, invents entries of the process table that say LIVE, waits until the collector has looked at
 * them, and ends. Prints the collector's pid, and that of a program that it has started and that
 * outlives it.
 *
 * usage: scribble ENTRY:PID:PARENT_PID:PARENT_ENTRY...   entries as given; pid 0: of the program
 * started
 *        scribble random SEED PID                        all but entry 0, noise; half of the pids
 *        that one
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/region/region.h"

static struct region_header *header;
static struct region_process *table;

static bool region_find(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, end;
	struct region_shape shape;
	char line[4096];

	while (maps && !header && fgets(line, sizeof(line), maps)) {
		if (!strstr(line, "/memfd:intercept") ||
		    sscanf(line, "%lx-%lx", &start, &end) != 2 ||
		    region_shape_of(end - start, &shape))
			continue;
		header = (void *)start;
		table = region_processes(header, &shape);
	}
	if (maps)
		fclose(maps);
	return header;
}

/*
 * Forked, so that it has an entry of its own, and exec'd, so that it does not map the memory any
 * more.
 */
static pid_t sleeper_start(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		close(1);
		execlp("sleep", "sleep", "300", (char *)NULL);
		_exit(1);
	}
	return pid;
}

static bool entry_invent(const char *text, pid_t sleeper)
{
	unsigned int entry, pid, parent_pid, parent;

	if (sscanf(text, "%u:%u:%u:%u", &entry, &pid, &parent_pid, &parent) != 4 ||
	    entry >= REGION_PROCESSES)
		return false;
	table[entry].pid = pid ? pid : (unsigned int)sleeper;
	table[entry].parent_pid = parent_pid;
	table[entry].parent = parent;
	table[entry].start_tsc = table[0].start_tsc + 1000;
	table[entry].serial = 1;
	if (header->process_limit <= entry)
		header->process_limit = entry + 1;
	atomic_store(&table[entry].state, REGION_PROCESS_LIVE);
	return true;
}

static void table_scribble(unsigned int seed, unsigned int pid)
{
	srand(seed);
	header->process_limit = REGION_PROCESSES;
	for (unsigned int i = 1; i < REGION_PROCESSES; i++) {
		unsigned char *byte = (unsigned char *)&table[i];

		for (size_t at = 0; at < sizeof(table[i]); at++)
			byte[at] = (unsigned char)rand();
		table[i].state = (unsigned int)rand() % 6;
		if (rand() % 2)
			table[i].pid = pid;
		if (rand() % 2)
			table[i].parent = 0;
		if (rand() % 2)
			table[i].parent_pid = (unsigned int)getpid();
	}
}

/* Four turns of it: one that was under way, and the ones that meet, look and compare. */
static void collector_wait(void)
{
	uint64_t before = header->heartbeat;

	for (int i = 0; i < 1000 && header->heartbeat < before + 4; i++)
		usleep(10000);
}

int main(int argc, char **argv)
{
	pid_t sleeper;

	if (!region_find())
		return 2;
	for (int i = 0; i < 1000 && header->collector_state == REGION_COLLECTOR_STARTING; i++)
		usleep(10000);
	sleeper = sleeper_start();
	printf("%u %d\n", header->collector_pid, sleeper);
	fflush(stdout);
	if (argc == 4 && !strcmp(argv[1], "random")) {
		table_scribble((unsigned int)atoi(argv[2]), (unsigned int)atoi(argv[3]));
	} else {
		for (int i = 1; i < argc; i++)
			if (!entry_invent(argv[i], sleeper))
				return 2;
	}
	collector_wait();
	return 0;
}
