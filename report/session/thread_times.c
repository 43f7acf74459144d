/* SPDX-License-Identifier: MIT */
/*
 * CPU time of processes. Running, runnable, blocked: for a thread's whole life within the recording
 * of its process.
 */
#include "report/session/source.h"

#include <string.h>

/*
 * The first look is up to 100 ms late. If a thread had used less CPU time than this, its run-queue
 * time before its first look counts as well.
 */
#define YOUNG_NS 20000000u

static uint64_t thread_times_difference(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

struct thread_times thread_times(const struct source_thread *thread)
{
	const struct source_thread_cpu *cpu = &thread->cpu;
	uint64_t wall_ns = thread_times_difference(thread->start_ns, thread->end_ns);
	struct thread_times times = { .has_cpu = cpu->is_known && cpu->last_ns };

	if (!times.has_cpu)
		return times;
	times.cpu_ns = thread_times_difference(cpu->start_ns, cpu->last_ns);
	if (!cpu->is_looked)
		return times;
	times.has_waits = true;
	/*
	 * after an exec this includes the previous program's time, so much more than its life
	 * cannot be its own
	 */
	times.runnable_ns = cpu->start_ns < YOUNG_NS &&
					    cpu->runnable_ns <=
						    thread_times_difference(times.cpu_ns, wall_ns) +
							    YOUNG_NS
				    ? cpu->runnable_ns
				    : thread_times_difference(cpu->first_runnable_ns,
							      cpu->runnable_ns);
	/* the last look may be later than the end: a thread may wait for a CPU to leave, too */
	if (times.runnable_ns > thread_times_difference(times.cpu_ns, wall_ns))
		times.runnable_ns = thread_times_difference(times.cpu_ns, wall_ns);
	times.blocked_ns = thread_times_difference(times.cpu_ns + times.runnable_ns, wall_ns);
	times.voluntary = cpu->voluntary;
	times.involuntary = cpu->involuntary;
	return times;
}

static void thread_times_add(struct thread_times *into, const struct thread_times *more)
{
	into->has_cpu |= more->has_cpu;
	into->has_waits |= more->has_waits;
	into->cpu_ns += more->cpu_ns;
	into->runnable_ns += more->runnable_ns;
	into->blocked_ns += more->blocked_ns;
	into->voluntary += more->voluntary;
	into->involuntary += more->involuntary;
}

struct thread_times process_times(const struct source_process *process)
{
	struct thread_times sum = { .has_cpu = false };

	for (const struct source_thread *at = process->first_thread; at; at = at->next) {
		struct thread_times times = thread_times(at);

		thread_times_add(&sum, &times);
	}
	return sum;
}

static bool is_program_before(const struct source_process *before,
			      const struct source_process *process)
{
	return before->how == EVT_END_EXEC && before->pid == process->pid &&
	       before->parent_pid == process->parent_pid && before->start_ns < process->start_ns &&
	       before->cpu_ns <= process->cpu_ns &&
	       !strcmp(before->file->host ? before->file->host : "",
		       process->file->host ? process->file->host : "");
}

uint64_t process_own_cpu_ns(const struct source *source, const struct source_process *process)
{
	struct source_process *const *all;
	size_t count = source_processes(source, &all);
	uint64_t before_ns = 0;

	for (size_t i = 0; i < count; i++)
		if (all[i]->ended && all[i]->cpu_ns > before_ns &&
		    is_program_before(all[i], process))
			before_ns = all[i]->cpu_ns;
	return process->cpu_ns - before_ns;
}

uint64_t process_stops_ns(const struct source_process *process)
{
	uint64_t still_ns = 0;

	if (process->stopped == 1 && process->end_ns > process->stopped_ns)
		still_ns = process->end_ns - process->stopped_ns;
	return process->stops_ns + still_ns;
}
