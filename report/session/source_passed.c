/* SPDX-License-Identifier: MIT */
/*
 * Events that nobody wanted. They still count for their threads and processes, and the sums of
 * their sizes advance with the events around them.
 */
#include "report/session/source_state.h"

static void source_passed_sum_add(struct block_sum *into, const struct block_sum *more)
{
	into->events += more->events;
	into->bytes += more->bytes;
}

static void thread_add_sum(struct thread_row *row, const struct block_sum *more)
{
	source_passed_sum_add(&row->thread.sum, more);
	source_passed_sum_add(&row->thread.process->sum, more);
}

static void reach(uint64_t *start_ns, uint64_t *end_ns, uint64_t from_ns, uint64_t to_ns)
{
	if (from_ns < *start_ns)
		*start_ns = from_ns;
	if (to_ns > *end_ns)
		*end_ns = to_ns;
}

void passed_add(struct file_row *file, struct thread_row *row, const struct event_block *block)
{
	struct source *source = file->source;
	struct source_thread *thread = &row->thread;
	struct source_process *process = thread->process;
	uint64_t count = block->records - block->count;
	uint64_t offset_ns = (uint64_t)file->file.offset_ns;
	uint64_t first_ns = merge_time(block->first_ns, offset_ns);
	uint64_t last_ns = merge_time(block->last_ns, offset_ns);

	for (unsigned int id = 0; id < block->passed_limit; id++)
		source->passed[id] += block->passed[id];
	thread->events += count;
	thread->passed += count;
	process->events += count;
	process->passed += count;
	reach(&thread->start_ns, &thread->end_ns, first_ns, last_ns);
	reach(&process->start_ns, &process->end_ns, first_ns, last_ns);
	if (last_ns > source->end_ns)
		source->end_ns = last_ns;
}

void sums_wait(struct file_row *file, struct thread_row *thread, const struct block_sum *sum)
{
	source_passed_sum_add(&thread->waiting, sum);
	if (thread->waits)
		return;
	thread->waits = true;
	thread->next_waiting = file->waiting;
	file->waiting = thread;
}

void sums_join(struct merge_run *run, struct thread_row *thread, const struct block_sum *sum)
{
	run->sum = sum;
	/* modulo 2^64: the waiting sums are reported with the first event */
	run->told = (struct block_sum){ 0 - thread->waiting.events, 0 - thread->waiting.bytes };
	thread->waiting = (struct block_sum){ 0 };
}

void sums_move(struct merge_run *run, const struct block_sum *sum)
{
	const struct block_sum more = { sum->events - run->told.events,
					sum->bytes - run->told.bytes };

	thread_add_sum(run->thread, &more);
	run->told = *sum;
}

void sums_settle(struct file_row *file)
{
	for (struct thread_row *row = file->waiting; row; row = row->next_waiting) {
		thread_add_sum(row, &row->waiting);
		row->waiting = (struct block_sum){ 0 };
		row->waits = false;
	}
	file->waiting = NULL;
}
