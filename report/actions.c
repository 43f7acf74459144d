/* SPDX-License-Identifier: MIT */
/* Actions of PyTorch Lightning's Trainer: see actions.h. Every event takes constant time. */
#include "report/actions.h"

#include <stdlib.h>

#include "report/memory.h"

#define ACTION_NONE UINT32_MAX

/* One open action; in a list per thread, in no order that matters. */
struct action_open {
	uint64_t start_ns;
	uint32_t row; /* ACTION_NONE: it does not count */
	uint32_t name;
	uint32_t outer; /* the next one outwards of the same name and thread */
	uint32_t next, before;
};

struct action_thread {
	uint32_t first; /* open action, ACTION_NONE */
	bool user_counts;
	uint64_t depth; /* open operators */
	uint64_t user;  /* depth of the outermost user scope, 0: none is open */
	uint64_t cuts;  /* of its process that it has followed */
};

struct action_process {
	struct {
		uint64_t from_ns, to_ns;
		bool any;
	} at[ACTION_SOURCES];
	uint64_t cuts, cut_ns;
};

void actions_init(struct actions *actions)
{
	*actions = (struct actions){ .unused = ACTION_NONE };
	map_init(&actions->rows);
	map_init(&actions->innermost);
}

void actions_release(struct actions *actions)
{
	for (size_t i = 0; i < actions->row_count; i++)
		timing_release(&actions->row[i].time);
	free(actions->row);
	free(actions->open);
	free(actions->thread);
	free(actions->process);
	map_release(&actions->rows);
	map_release(&actions->innermost);
}

static uint32_t actions_row_of(struct actions *actions, uint32_t name)
{
	bool added;
	struct map_entry *entry = map_put(&actions->rows, (uint64_t)name + 1, &added);

	if (!added)
		return (uint32_t)entry->value;
	entry->value = actions->row_count;
	actions->row = memory_room(actions->row, actions->row_count, &actions->row_room,
				   sizeof(*actions->row));
	actions->row[actions->row_count].name = name;
	return (uint32_t)actions->row_count++;
}

static struct action_thread *actions_thread_at(struct actions *actions, uint32_t thread)
{
	size_t before = actions->thread_room;

	if (thread < before)
		return &actions->thread[thread];
	actions->thread = memory_room(actions->thread, thread, &actions->thread_room,
				      sizeof(*actions->thread));
	for (size_t i = before; i < actions->thread_room; i++)
		actions->thread[i].first = ACTION_NONE;
	return &actions->thread[thread];
}

static struct action_process *actions_process_at(struct actions *actions, uint32_t process)
{
	actions->process = memory_room(actions->process, process, &actions->process_room,
				       sizeof(*actions->process));
	return &actions->process[process];
}

static void actions_note(struct actions *actions, enum action_source source,
			 const struct action_event *event)
{
	struct action_process *process = actions_process_at(actions, event->process);

	if (!process->at[source].any || event->time_ns < process->at[source].from_ns)
		process->at[source].from_ns = event->time_ns;
	if (event->time_ns > process->at[source].to_ns)
		process->at[source].to_ns = event->time_ns;
	process->at[source].any = true;
}

static uint32_t actions_take_open(struct actions *actions)
{
	uint32_t entry = actions->unused;

	if (entry != ACTION_NONE) {
		actions->unused = actions->open[entry].next;
		return entry;
	}
	actions->open = memory_room(actions->open, actions->open_count, &actions->open_room,
				    sizeof(*actions->open));
	return (uint32_t)actions->open_count++;
}

/* Takes it out of its thread's list, and from before the one outwards. */
static void actions_give_open(struct actions *actions, uint32_t thread, uint32_t entry)
{
	struct action_open *open = &actions->open[entry];
	struct map_entry *innermost = map_find(&actions->innermost,
					       (uint64_t)(thread + 1) << 32 | open->name);

	if (open->outer == ACTION_NONE)
		map_remove(&actions->innermost, innermost);
	else
		innermost->value = open->outer;
	if (open->next != ACTION_NONE)
		actions->open[open->next].before = open->before;
	if (open->before != ACTION_NONE)
		actions->open[open->before].next = open->next;
	else
		actions->thread[thread].first = open->next;
	open->next = actions->unused;
	actions->unused = entry;
}

static void actions_count(struct actions *actions, const struct action_open *open,
			  const struct action_event *event)
{
	if (open->row == ACTION_NONE)
		return;
	timing_add(&actions->row[open->row].time,
		   event->time_ns > open->start_ns ? event->time_ns - open->start_ns : 0);
	actions_note(actions, ACTIONS_LIGHTNING, event);
}

static void actions_close_all(struct actions *actions, const struct action_event *event, bool ended)
{
	struct action_thread *thread = actions_thread_at(actions, event->thread);

	while (thread->first != ACTION_NONE) {
		const struct action_open *open = &actions->open[thread->first];

		if (open->row != ACTION_NONE)
			actions->row[open->row].open++;
		if (ended)
			actions_count(actions, open, event);
		actions_give_open(actions, event->thread, thread->first);
	}
	if (thread->user && thread->user_counts && ended)
		actions_note(actions, ACTIONS_SCOPES, event);
	thread->user = thread->depth = 0;
}

/* The event's thread as it is now, after the cuts of its process. */
static struct action_thread *actions_follow(struct actions *actions,
					    const struct action_event *event)
{
	struct action_thread *thread = actions_thread_at(actions, event->thread);
	const struct action_process *process = actions_process_at(actions, event->process);
	struct action_event cut = *event;

	if (thread->cuts == process->cuts)
		return thread;
	thread->cuts = process->cuts;
	cut.time_ns = process->cut_ns;
	actions_close_all(actions, &cut, true);
	return thread;
}

void actions_cut(struct actions *actions, uint32_t process, uint64_t time_ns)
{
	struct action_process *cut = actions_process_at(actions, process);

	cut->cuts++;
	cut->cut_ns = time_ns;
}

void actions_begin(struct actions *actions, const struct action_event *event)
{
	struct action_thread *thread = actions_follow(actions, event);
	uint32_t entry = actions_take_open(actions);
	struct map_entry *innermost;
	bool added;

	innermost = map_put(&actions->innermost, (uint64_t)(event->thread + 1) << 32 | event->name,
			    &added);
	actions->open[entry] = (struct action_open){
		.start_ns = event->time_ns,
		.row = event->counts ? actions_row_of(actions, event->name) : ACTION_NONE,
		.name = event->name,
		.outer = added ? ACTION_NONE : (uint32_t)innermost->value,
		.next = thread->first,
		.before = ACTION_NONE,
	};
	innermost->value = entry;
	if (thread->first != ACTION_NONE)
		actions->open[thread->first].before = entry;
	thread->first = entry;
	if (!event->counts)
		return;
	actions->row[actions->open[entry].row].calls++;
	actions_note(actions, ACTIONS_LIGHTNING, event);
}

void actions_end(struct actions *actions, const struct action_event *event)
{
	struct map_entry *innermost;
	uint32_t entry;

	(void)actions_follow(actions, event);
	innermost = map_find(&actions->innermost,
			     (uint64_t)(event->thread + 1) << 32 | event->name);
	if (!innermost) {
		actions->unmatched++;
		return;
	}
	entry = (uint32_t)innermost->value;
	actions_count(actions, &actions->open[entry], event);
	actions_give_open(actions, event->thread, entry);
}

void actions_begin_operator(struct actions *actions, const struct action_event *event, bool user)
{
	struct action_thread *thread = actions_follow(actions, event);

	thread->depth++;
	if (!user || thread->user)
		return;
	thread->user = thread->depth;
	thread->user_counts = event->counts;
	if (event->counts)
		actions_note(actions, ACTIONS_SCOPES, event);
}

void actions_end_operator(struct actions *actions, const struct action_event *event)
{
	struct action_thread *thread = actions_follow(actions, event);

	if (thread->user && thread->depth <= thread->user) {
		thread->user = 0;
		if (thread->user_counts)
			actions_note(actions, ACTIONS_SCOPES, event);
	}
	thread->depth -= thread->depth > 0;
}

void actions_note_range(struct actions *actions, const struct action_event *event)
{
	bool known = event->process < actions->process_room &&
		     actions->process[event->process].at[ACTIONS_RANGES].any;

	if (event->counts || known) /* what counts closes late, too */
		actions_note(actions, ACTIONS_RANGES, event);
}

void actions_finish_thread(struct actions *actions, const struct action_event *event, bool ended)
{
	(void)actions_follow(actions, event);
	actions_close_all(actions, event, ended);
}

uint64_t actions_wall_ns(const struct actions *actions, enum action_source source)
{
	uint64_t wall_ns = 0;

	for (size_t i = 0; i < actions->process_room; i++)
		wall_ns += actions->process[i].at[source].to_ns -
			   actions->process[i].at[source].from_ns;
	return wall_ns;
}

void action_row_move(struct action_row *into, struct action_row *from)
{
	into->calls += from->calls;
	into->open += from->open;
	timing_merge(&into->time, &from->time);
	timing_release(&from->time);
	from->calls = 0;
}
