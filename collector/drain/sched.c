/* SPDX-License-Identifier: MIT */
/*
 * Running, runnable or blocked: what the scheduler counts for each thread
 * (/proc/PID/task/TID/schedstat, and the context switches in its status), as thread_sched events. A
 * source (core/source.h).
 *
 * Every SCHED_NS it looks at no more than SCHED_VISITS threads, in turn: with more threads each is
 * seen less often, at the same cost. Threads of another pid namespace are left out, and all threads
 * if there is no /proc.
 */
#include "collector/core/source.h"
#include "collector/drain/streams.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SCHED_NS 100000000u
#define SCHED_VISITS 64u       /* about 10 us each */
#define SCHED_STATUS_LOOKS 10u /* looks at a thread between two readings of its status */
#define SCHED_LAST_MAX 256u    /* threads of a process that are examined when it ends */
#define SCHEDSTAT_ROOM 128
#define STATUS_ROOM 4096

struct sched {
	struct source_context context;
	uint64_t looked_ns; /* steady time */
	uint32_t visit;     /* where the next look continues */
	uint32_t looks;
};

static size_t read_of_thread(const struct stream *stream, const char *file, char *text, size_t room)
{
	char path[PROC_PATH_BYTES];
	size_t length;

	proc_thread_path(stream->process->pid, stream->tid, file, path, sizeof(path));
	length = proc_read_file(path, text, room - 1);
	text[length] = 0;
	return length;
}

static bool read_schedstat(const struct stream *stream, struct stream_sched *sched)
{
	char text[SCHEDSTAT_ROOM];

	return read_of_thread(stream, "schedstat", text, sizeof(text)) &&
	       sscanf(text, "%" SCNu64 " %" SCNu64, &sched->cpu_ns, &sched->runnable_ns) == 2;
}

static uint64_t number_of_line(const char *text, const char *line)
{
	const char *at = strstr(text, line);
	uint64_t number = 0;

	if (at)
		(void)sscanf(at + strlen(line), "%" SCNu64, &number);
	return number;
}

static void sched_read_switches(const struct stream *stream, struct stream_sched *sched)
{
	char text[STATUS_ROOM];

	if (!read_of_thread(stream, "status", text, sizeof(text)))
		return;
	sched->voluntary = number_of_line(text, "\nvoluntary_ctxt_switches:");
	sched->involuntary = number_of_line(text, "\nnonvoluntary_ctxt_switches:");
}

/* True if the thread's id is valid here. One thread may have a second stream. */
static bool can_be_seen(const struct stream *stream)
{
	const struct process *process = stream->process;

	return !stream->is_second && process->pid && !process->gone && !process->moved &&
	       !process->execed;
}

/* If a thread is gone and another one has its id, the numbers are smaller than before. */
static bool is_later(const struct stream_sched *now, const struct stream_sched *told)
{
	return now->cpu_ns >= told->cpu_ns && now->runnable_ns >= told->runnable_ns;
}

static void sched_tell(struct stream *stream, struct common *common, uint64_t now_ns,
		       bool with_switches)
{
	struct stream_sched *told = &stream->sched, now = *told;

	if (!can_be_seen(stream) || !read_schedstat(stream, &now) || !is_later(&now, told))
		return;
	if (with_switches)
		sched_read_switches(stream, &now);
	now.looks++;
	if (told->looks && now.cpu_ns == told->cpu_ns && now.runnable_ns == told->runnable_ns &&
	    now.voluntary == told->voluntary && now.involuntary == told->involuntary)
		return;
	*told = now;
	JOURNAL_ADD(&common->journal, now_ns, thread_sched, .stream = stream->number,
		    .cpu_ns = now.cpu_ns, .runnable_ns = now.runnable_ns,
		    .voluntary = now.voluntary, .involuntary = now.involuntary);
}

/* Examines threads that may end at their first record, before there is a stream to examine. */
static void sched_look_at_silent(struct sched *sched)
{
	struct processes *processes = sched->context.processes;
	bool all = sched->looks++ % SCHED_STATUS_LOOKS == 0;

	for (uint32_t i = 0; i < processes->limit; i++) {
		struct process *process = &processes->slot[i];

		if (process->number && process->pid && !process->gone && !process->moved)
			silent_threads_look(&sched->context.streams->silent, sched->context.common,
					    process, all);
	}
}

static void sched_look(void *state, uint64_t steady_ns)
{
	struct sched *sched = state;
	const struct streams *streams = sched->context.streams;
	struct common *common = sched->context.common;
	uint32_t count = streams->active_count;
	uint32_t visits = count < SCHED_VISITS ? count : SCHED_VISITS;

	if (steady_ns - sched->looked_ns < SCHED_NS)
		return;
	sched->looked_ns = steady_ns;
	sched_look_at_silent(sched);
	for (uint32_t i = 0; i < visits; i++) {
		struct stream *stream = &streams->slot[streams->active[(sched->visit + i) % count]];
		uint64_t now_ns = clockmap_ns(&common->clock, clockmap_now(&common->clock));

		sched_tell(stream, common, now_ns, stream->sched.looks % SCHED_STATUS_LOOKS == 0);
	}
	sched->visit = count ? (sched->visit + visits) % count : 0;
}

/* Called before the process is gone. */
static void sched_process_leaves(void *state, const struct process *process, uint64_t now_ns)
{
	struct sched *sched = state;
	const struct streams *streams = sched->context.streams;
	uint32_t told = 0;

	for (uint32_t i = 0; i < streams->active_count && told < SCHED_LAST_MAX; i++) {
		struct stream *stream = &streams->slot[streams->active[i]];

		if (stream->process != process)
			continue;
		sched_tell(stream, sched->context.common, now_ns, true);
		told++;
	}
}

static void sched_init(void *state, const struct source_context *context)
{
	((struct sched *)state)->context = *context;
}

const struct collector_source source_sched = {
	.state_bytes = sizeof(struct sched),
	.init = sched_init,
	.look = sched_look,
	.process_leaves = sched_process_leaves,
};
