/* SPDX-License-Identifier: MIT */
/*
 * Reads and parses the files; about 10 us each. Whether a thread sleeps is asked only where its
 * figures stand still, and then every ASLEEP_EACH_NS.
 */
#include "collector/drain/thread_sched.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "collector/core/clock.h"
#include "collector/processes/proc.h"

#define SCHEDSTAT_ROOM 128
#define STATUS_ROOM 4096
#define STAT_ROOM 512
#define ASLEEP_EACH_NS 300000000u
/* What the times of the kernel's figures and ours may differ by. */
#define SLACK_NS 1000000u

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

static bool counts_read(uint32_t pid, uint32_t tid, uint64_t *ret_cpu_ns, uint64_t *ret_runnable_ns)
{
	char text[SCHEDSTAT_ROOM];

	return thread_sched_file(pid, tid, "schedstat", text, sizeof(text)) &&
	       sscanf(text, "%" SCNu64 " %" SCNu64, ret_cpu_ns, ret_runnable_ns) == 2;
}

static bool thread_sleeps(uint32_t pid, uint32_t tid)
{
	char text[STAT_ROOM];
	const char *name_end;

	if (!thread_sched_file(pid, tid, "stat", text, sizeof(text)))
		return false;
	name_end = strrchr(text, ')');
	return name_end && name_end[1] == ' ' && strchr("SD", name_end[2]) && name_end[2];
}

/*
 * The figures are read once more: if they are the same, it did not run in between, so it was asleep
 * at the first reading, too.
 */
static void asleep_look(uint32_t pid, uint32_t tid, struct thread_sched *sched, uint64_t now_ns)
{
	uint64_t cpu_ns, runnable_ns;

	if (now_ns - sched->asleep_ns >= ASLEEP_EACH_NS && thread_sleeps(pid, tid) &&
	    counts_read(pid, tid, &cpu_ns, &runnable_ns) && cpu_ns == sched->cpu_ns &&
	    runnable_ns == sched->runnable_ns + sched->over_ns)
		sched->asleep_ns = now_ns;
}

void thread_sched_take(struct thread_sched *sched, uint64_t cpu_ns, uint64_t runnable_ns,
		       uint64_t now_ns)
{
	uint64_t told_ns = sched->runnable_ns + sched->over_ns;
	uint64_t most_ns = now_ns - sched->asleep_ns + SLACK_NS;

	if (sched->asleep_ns && runnable_ns > told_ns && runnable_ns - told_ns > most_ns)
		sched->over_ns += runnable_ns - told_ns - most_ns;
	sched->cpu_ns = cpu_ns;
	sched->runnable_ns = runnable_ns > sched->over_ns ? runnable_ns - sched->over_ns : 0;
}

bool thread_sched_read(uint32_t pid, uint32_t tid, struct thread_sched *sched)
{
	uint64_t cpu_ns, runnable_ns, now_ns;
	struct thread_sched before = *sched;

	if (!counts_read(pid, tid, &cpu_ns, &runnable_ns))
		return false;
	now_ns = clock_read_ns(CLOCK_MONOTONIC);
	thread_sched_take(sched, cpu_ns, runnable_ns, now_ns);
	if (before.looks && sched->cpu_ns == before.cpu_ns &&
	    sched->runnable_ns == before.runnable_ns)
		asleep_look(pid, tid, sched, now_ns);
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
