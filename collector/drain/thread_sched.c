/* SPDX-License-Identifier: MIT */
/* Reads and parses the two files; about 10 us each. */
#include "collector/drain/thread_sched.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "collector/processes/proc.h"

#define SCHEDSTAT_ROOM 128
#define STATUS_ROOM 4096

static size_t thread_sched_file(uint32_t pid, uint32_t tid, const char *file, char *text,
				size_t room)
{
	char path[PROC_PATH_BYTES];
	size_t length;

	proc_thread_path(pid, tid, file, path, sizeof(path));
	length = proc_read_file(path, text, room - 1);
	text[length] = 0;
	return length;
}

bool thread_sched_read(uint32_t pid, uint32_t tid, struct thread_sched *sched)
{
	char text[SCHEDSTAT_ROOM];
	uint64_t cpu_ns, runnable_ns;

	if (!thread_sched_file(pid, tid, "schedstat", text, sizeof(text)) ||
	    sscanf(text, "%" SCNu64 " %" SCNu64, &cpu_ns, &runnable_ns) != 2)
		return false;
	sched->cpu_ns = cpu_ns;
	sched->runnable_ns = runnable_ns;
	return true;
}

static uint64_t number_of_line(const char *text, const char *line)
{
	const char *at = strstr(text, line);
	uint64_t number = 0;

	if (at)
		(void)sscanf(at + strlen(line), "%" SCNu64, &number);
	return number;
}

void thread_sched_read_switches(uint32_t pid, uint32_t tid, struct thread_sched *sched)
{
	char text[STATUS_ROOM];

	if (!thread_sched_file(pid, tid, "status", text, sizeof(text)))
		return;
	sched->voluntary = number_of_line(text, "\nvoluntary_ctxt_switches:");
	sched->involuntary = number_of_line(text, "\nnonvoluntary_ctxt_switches:");
}

bool thread_sched_is_later(const struct thread_sched *now, const struct thread_sched *before)
{
	return now->cpu_ns >= before->cpu_ns && now->runnable_ns >= before->runnable_ns;
}
