/* SPDX-License-Identifier: MIT */
/*
 * Keeps per thread the open actions, which may overlap, and per process the time that is covered by
 * actions, by user scopes and by ranges.
 */
#include "report/lightning/actions.h"

#include <stdlib.h>

#include "report/base/memory.h"

#define ACTION_NONE UINT32_MAX

struct action_thread {
	uint32_t process;
	bool user_counts;
	uint64_t depth; /* operators that are open */
	uint64_t user;  /* depth of the outermost user scope; 0: none is open */
};

struct action_process {
	struct {
		uint64_t from_ns, to_ns;
		bool any;
	} at[ACTION_SOURCES];
};

static void actions_action_ended(void *state, const struct nest_end *end);

static void actions_scope_is_over(void *owner, uint32_t row, const struct deferred_sum *total,
				  const struct deferred_sum *own)
{
	(void)own;
	((struct actions *)owner)->row[row].gpu_ns += total->ns;
}

void actions_init(struct actions *actions)
{
	*actions = (struct actions){ .unmatched = 0 };
	nest_init(&actions->nest, (struct nest_options){ .is_keyed = true }, actions_action_ended,
		  actions);
	deferred_scopes_init(&actions->deferred, actions_scope_is_over, actions);
	map_init(&actions->rows);
	map_init(&actions->held);
	cover_init(&actions->cover);
}

void actions_release(struct actions *actions)
{
	for (size_t i = 0; i < actions->row_count; i++)
		timing_release(&actions->row[i].time);
	nest_release(&actions->nest);
	free(actions->row);
	deferred_scopes_release(&actions->deferred);
	free(actions->open);
	free(actions->thread);
	free(actions->process);
	map_release(&actions->rows);
	map_release(&actions->held);
	cover_release(&actions->cover);
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

static struct action_thread *actions_thread_at(struct actions *actions, struct nest_place place)
{
	actions->thread = memory_room(actions->thread, place.thread, &actions->thread_room,
				      sizeof(*actions->thread));
	actions->thread[place.thread].process = place.process;
	return &actions->thread[place.thread];
}

static struct action_process *actions_process_at(struct actions *actions, uint32_t process)
{
	actions->process = memory_room(actions->process, process, &actions->process_room,
				       sizeof(*actions->process));
	return &actions->process[process];
}

static void actions_note(struct actions *actions, enum action_source source, uint32_t of_process,
			 uint64_t time_ns)
{
	struct action_process *process = actions_process_at(actions, of_process);

	if (!process->at[source].any || time_ns < process->at[source].from_ns)
		process->at[source].from_ns = time_ns;
	if (time_ns > process->at[source].to_ns)
		process->at[source].to_ns = time_ns;
	process->at[source].any = true;
}

static void actions_action_ended(void *state, const struct nest_end *end)
{
	struct actions *actions = state;
	uint32_t row = actions->open[end->scope].row;

	deferred_scopes_settle(&actions->deferred, actions->open[end->scope].deferred,
			       end->how == NEST_RUNS_ON ? DEFERRED_NO_ROW : row);
	if (row == ACTION_NONE)
		return;
	cover_end(&actions->cover, row, actions->thread[end->thread].process, end->time_ns,
		  end->how != NEST_RUNS_ON);
	actions->row[row].open += end->how != NEST_ENDS;
	if (end->how == NEST_RUNS_ON)
		return;
	timing_add(&actions->row[row].time, end->total_ns);
	actions_note(actions, ACTIONS_LIGHTNING, actions->thread[end->thread].process,
		     end->time_ns);
}

void actions_begin(struct actions *actions, const struct action_event *event)
{
	uint32_t row = event->counts ? actions_row_of(actions, event->name) : ACTION_NONE;
	uint32_t scope;

	(void)actions_thread_at(actions, event->place);
	scope = nest_begin(&actions->nest, event->place, event->name, false);
	actions->open = memory_room(actions->open, scope, &actions->open_room,
				    sizeof(*actions->open));
	actions->open[scope] = (struct action_open){ .row = row };
	if (!event->counts)
		return;
	actions->row[row].calls++;
	cover_begin(&actions->cover, row, event->place.process, event->place.time_ns);
	actions_note(actions, ACTIONS_LIGHTNING, event->place.process, event->place.time_ns);
}

void actions_end(struct actions *actions, const struct action_event *event)
{
	actions->unmatched += !nest_end_key(&actions->nest, event->place, event->name);
}

void actions_begin_operator(struct actions *actions, const struct action_event *event, bool user)
{
	struct action_thread *thread = actions_thread_at(actions, event->place);

	thread->depth++;
	if (!user || thread->user)
		return;
	thread->user = thread->depth;
	thread->user_counts = event->counts;
	if (event->counts)
		actions_note(actions, ACTIONS_SCOPES, event->place.process, event->place.time_ns);
}

void actions_end_operator(struct actions *actions, struct nest_place place)
{
	struct action_thread *thread = actions_thread_at(actions, place);

	if (thread->user && thread->depth <= thread->user) {
		thread->user = 0;
		if (thread->user_counts)
			actions_note(actions, ACTIONS_SCOPES, place.process, place.time_ns);
	}
	thread->depth -= thread->depth > 0;
}

static uint64_t held_key(const struct actions *actions, struct nest_place place)
{
	return map_key_of(&actions->held, place.process, place.identity);
}

void actions_begin_held(struct actions *actions, const struct action_event *event)
{
	struct map_entry *entry;
	bool added;

	if (!event->counts)
		return;
	entry = map_put(&actions->held, held_key(actions, event->place), &added);
	entry->value = event->place.thread;
	actions_note(actions, ACTIONS_SCOPES, event->place.process, event->place.time_ns);
}

void actions_end_held(struct actions *actions, struct nest_place place)
{
	struct map_entry *entry = map_find(&actions->held, held_key(actions, place));

	if (!entry)
		return;
	map_remove(&actions->held, entry);
	actions_note(actions, ACTIONS_SCOPES, place.process, place.time_ns);
}

void actions_note_range(struct actions *actions, const struct action_event *event)
{
	uint32_t process = event->place.process;
	bool known = process < actions->process_room &&
		     actions->process[process].at[ACTIONS_RANGES].any;

	/* what counts is also closed if it ends after the filter's time */
	if (event->counts || known)
		actions_note(actions, ACTIONS_RANGES, process, event->place.time_ns);
}

static uint32_t *actions_deferred_of_open(void *owner, uint32_t scope)
{
	return &((struct actions *)owner)->open[scope].deferred;
}

uint32_t actions_place(struct actions *actions, uint32_t thread)
{
	uint32_t scope = deferred_scopes_of_thread(&actions->deferred, &actions->nest, thread,
						   actions_deferred_of_open);

	deferred_scopes_hold(&actions->deferred, scope);
	return scope;
}

static bool holds_any(const struct actions *actions, uint32_t thread)
{
	const struct map_entry *entry = NULL;

	while ((entry = map_next(&actions->held, entry)))
		if (entry->value == thread)
			return true;
	return false;
}

void actions_cut(struct actions *actions, struct nest_place place, enum nest_ending how)
{
	struct action_thread *thread = actions_thread_at(actions, place);

	nest_cut(&actions->nest, place, how);
	if (how != NEST_RUNS_ON && holds_any(actions, place.thread))
		actions_note(actions, ACTIONS_SCOPES, place.process, place.time_ns);
	if (thread->user && thread->user_counts && how != NEST_RUNS_ON)
		actions_note(actions, ACTIONS_SCOPES, place.process, place.time_ns);
	thread->user = thread->depth = 0;
}

uint64_t actions_wall_ns(const struct actions *actions, enum action_source source)
{
	uint64_t wall_ns = 0;

	for (size_t i = 0; i < actions->process_room; i++)
		wall_ns += actions->process[i].at[source].to_ns -
			   actions->process[i].at[source].from_ns;
	return wall_ns;
}
