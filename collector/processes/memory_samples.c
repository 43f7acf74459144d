/* SPDX-License-Identifier: MIT */
/*
 * Each look reads all processes and is timed. The pause after it is SHARE times as long, within
 * bounds. A process is checked once more before an event is written, because it may run another
 * program by now.
 */
#include "collector/processes/memory_samples.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "collector/core/clock.h"

#define SHARE 100u /* this takes one part in SHARE of the collector's time */

uint64_t memory_samples_pause_ns(uint64_t spent_ns)
{
	if (spent_ns > MEMORY_PAUSE_MAX_NS / SHARE)
		return MEMORY_PAUSE_MAX_NS;
	return spent_ns * SHARE < MEMORY_PAUSE_MIN_NS ? MEMORY_PAUSE_MIN_NS : spent_ns * SHARE;
}

static bool has_moved(uint64_t before, uint64_t now, uint64_t step)
{
	return before > now ? before - now >= step : now - before >= step;
}

/* Ignores noise: the kernel counts in batches of pages for each thread. */
static bool is_news(const struct proc_memory *before, const struct proc_memory *now)
{
	uint64_t step = before->resident_bytes / 100;

	if (step < MEMORY_STEP_BYTES)
		step = MEMORY_STEP_BYTES;
	return has_moved(before->resident_bytes, now->resident_bytes, step) ||
	       has_moved(before->anonymous_bytes, now->anonymous_bytes, step) ||
	       has_moved(before->file_bytes, now->file_bytes, step) ||
	       has_moved(before->shared_bytes, now->shared_bytes, step);
}

/* The process may have become another program without anybody noticing yet. */
static bool is_the_same(const struct process *process)
{
	struct proc_stat stat;

	return proc_stat(process->pid, &stat) && !stat.zombie &&
	       (!process->stack_start || !stat.stack_start ||
		process->stack_start == stat.stack_start);
}

static void memory_samples_tell(struct common *common, struct process *process,
				const struct proc_memory *now, uint64_t now_ns)
{
	if (!is_the_same(process))
		return;
	process->memory = *now;
	JOURNAL_ADD(&common->journal, now_ns, process_memory, .process = process->number,
		    .resident_bytes = now->resident_bytes, .anonymous_bytes = now->anonymous_bytes,
		    .file_bytes = now->file_bytes, .shared_bytes = now->shared_bytes,
		    .brk_bytes = proc_brk_bytes(process->pid));
}

void memory_samples_take(struct memory_samples *samples, struct processes *processes,
			 struct common *common, uint64_t steady_ns)
{
	uint64_t start_ns;

	if (!processes->inspect || steady_ns < samples->next_ns)
		return;
	start_ns = clock_read_ns(CLOCK_MONOTONIC);
	for (uint32_t i = 0; i < processes->limit; i++) {
		struct process *process = &processes->slot[i];
		struct proc_memory now;

		if (!process->number || !process->pid || process->gone || process->told ||
		    !proc_memory(process->pid, &now) || !is_news(&process->memory, &now))
			continue;
		memory_samples_tell(common, process, &now,
				    clockmap_ns(&common->clock, clockmap_now(&common->clock)));
	}
	samples->next_ns = steady_ns +
			   memory_samples_pause_ns(clock_read_ns(CLOCK_MONOTONIC) - start_ns);
}

void memory_sample_last(struct common *common, struct process *process, uint64_t now_ns)
{
	struct proc_memory now;

	if (proc_memory(process->pid, &now) && memcmp(&now, &process->memory, sizeof(now)) != 0)
		memory_samples_tell(common, process, &now, now_ns);
}
