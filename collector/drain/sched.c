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

#define SCHED_NS 100000000u
#define SCHED_VISITS 64u    /* about 10 us each */
#define SCHED_LAST_MAX 256u /* threads of a process that are examined when it ends */

struct sched {
	struct source_context context;
	uint64_t looked_ns; /* steady time */
	uint32_t visit;     /* where the next look continues */
	uint32_t looks;
};

/* True if the thread's id is valid here. One thread may have a second stream. */
static bool can_be_seen(const struct stream *stream)
{
	const struct process *process = stream->process;

	return !stream->is_second && process->pid && !process->gone && !process->moved &&
	       !process->execed;
}

static void sched_tell(struct stream *stream, struct common *common, uint64_t now_ns,
		       bool with_switches)
{
	struct thread_sched *told = &stream->sched, now = *told;
	uint32_t pid = stream->process->pid;

	if (!can_be_seen(stream) || !thread_sched_read(pid, stream->tid, &now) ||
	    !thread_sched_is_later(&now, told))
		return;
	if (with_switches)
		thread_sched_read_switches(pid, stream->tid, &now);
	now.looks++;
	told->asleep_ns = now.asleep_ns;
	if (told->looks && now.cpu_ns == told->cpu_ns && now.runnable_ns == told->runnable_ns &&
	    now.voluntary == told->voluntary && now.involuntary == told->involuntary)
		return;
	stream_put_sched(stream, common, now_ns, &now);
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
	silent_threads_visit(&sched->context.streams->silent);
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
