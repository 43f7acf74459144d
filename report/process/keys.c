/* SPDX-License-Identifier: MIT */
/* The keys that every event has: its thread and its process, by index. */
#include "report/core/key.h"

static const void *start_of_keys(struct run *run)
{
	return run_source(run);
}

static uint64_t thread_of_event(const void *state, const struct source_event *event)
{
	(void)state;
	return event->thread->index;
}

static uint64_t process_of_event(const void *state, const struct source_event *event)
{
	(void)state;
	return event->process->index;
}

/* Thread id, process id, name. */
static void put_thread(const void *state, uint64_t key, struct table *table,
		       const enum column_id *column)
{
	struct source_thread *const *thread;
	const char *name;
	size_t length;

	if (key >= source_threads(state, &thread))
		return;
	table_set_number(table, column[0], thread[key]->tid);
	table_set_number(table, column[1], thread[key]->process->pid);
	thread_name(thread[key], &name, &length);
	if (length)
		table_set_text(table, column[2], name, length);
}

/* Process id, command. */
static void keys_put_process(const void *state, uint64_t key, struct table *table,
			     const enum column_id *column)
{
	struct source_process *const *process;

	if (key >= source_processes(state, &process))
		return;
	table_set_number(table, column[0], process[key]->pid);
	if (process[key]->command && process[key]->command->text)
		table_set_text(table, column[1], process[key]->command->text,
			       process[key]->command->length);
}

const struct key_kind key_kind_thread = {
	.name = "thread",
	.start = start_of_keys,
	.of = thread_of_event,
	.put = put_thread,
};

const struct key_kind key_kind_process = {
	.name = "process",
	.start = start_of_keys,
	.of = process_of_event,
	.put = keys_put_process,
};
