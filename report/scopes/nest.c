/* SPDX-License-Identifier: MIT */
/*
 * All open scopes are in one array. Each thread has a list through it, from the innermost outwards;
 * a keyed nest has another list for each key.
 */
#include "report/scopes/nest.h"

#include <stdlib.h>

#include "report/base/memory.h"

void nest_init(struct nest *nest, struct nest_options options, nest_ended *ended, void *state)
{
	*nest = (struct nest){
		.options = options, .ended = ended, .state = state, .unused = NEST_NONE
	};
	map_init(&nest->innermost);
	map_init(&nest->identified);
}

void nest_release(struct nest *nest)
{
	free(nest->scope);
	free(nest->thread);
	free(nest->process);
	map_release(&nest->innermost);
	map_release(&nest->identified);
}

static struct nest_thread *nest_add_thread(struct nest *nest, uint32_t thread)
{
	size_t before = nest->thread_room;

	nest->thread = memory_room(nest->thread, thread, &nest->thread_room, sizeof(*nest->thread));
	for (size_t i = before; i < nest->thread_room; i++)
		nest->thread[i].top = nest->thread[i].process = NEST_NONE;
	return &nest->thread[thread];
}

static inline struct nest_thread *nest_thread_at(struct nest *nest, uint32_t thread)
{
	if (thread < nest->thread_room)
		return &nest->thread[thread];
	return nest_add_thread(nest, thread);
}

/* Adds the thread to the threads of its process. */
static void nest_link_thread(struct nest *nest, struct nest_place place)
{
	struct nest_thread *thread = &nest->thread[place.thread];
	struct nest_process *process;
	size_t before = nest->process_room;
	uint32_t *at;

	nest->process = memory_room(nest->process, place.process, &nest->process_room,
				    sizeof(*nest->process));
	for (size_t i = before; i < nest->process_room; i++)
		nest->process[i] = (struct nest_process){ NEST_NONE, NEST_NONE };
	process = &nest->process[place.process];
	at = &process->first;
	if (*at != NEST_NONE && place.thread > process->last)
		at = &nest->thread[process->last].next;
	while (*at != NEST_NONE && *at < place.thread)
		at = &nest->thread[*at].next;
	thread->next = *at;
	thread->process = place.process;
	*at = place.thread;
	if (thread->next == NEST_NONE)
		process->last = place.thread;
}

static inline uint32_t nest_take(struct nest *nest)
{
	uint32_t scope = nest->unused;

	if (scope != NEST_NONE) {
		nest->unused = nest->scope[scope].below;
		return scope;
	}
	nest->scope = memory_room(nest->scope, nest->count, &nest->room, sizeof(*nest->scope));
	return (uint32_t)nest->count++;
}

static inline uint64_t time_between(uint64_t from_ns, uint64_t to_ns)
{
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

/* --- keys --- */

static uint64_t nest_key_of(uint32_t thread, uint64_t key, uint64_t task)
{
	uint64_t mixed = ((uint64_t)(thread + 1) << 32 | (uint32_t)key) ^
			 task * 0x9e3779b97f4a7c15u;

	return mixed ? mixed : 1;
}

static uint64_t key_of_scope(const struct nest_scope *scope)
{
	return nest_key_of(scope->thread, scope->key, scope->task);
}

static void nest_enter_key(struct nest *nest, uint32_t scope)
{
	bool added;
	struct map_entry *innermost = map_put(&nest->innermost, key_of_scope(&nest->scope[scope]),
					      &added);
	uint32_t outer = added ? NEST_NONE : (uint32_t)innermost->value;

	nest->scope[scope].outer = outer;
	if (outer != NEST_NONE)
		nest->scope[outer].inner = scope;
	innermost->value = scope;
}

static void nest_leave_key(struct nest *nest, uint32_t scope)
{
	uint32_t outer = nest->scope[scope].outer, inner = nest->scope[scope].inner;
	uint64_t key = key_of_scope(&nest->scope[scope]);

	if (outer != NEST_NONE)
		nest->scope[outer].inner = inner;
	if (inner != NEST_NONE)
		nest->scope[inner].outer = outer;
	else if (outer != NEST_NONE)
		map_find(&nest->innermost, key)->value = outer;
	else
		map_remove(&nest->innermost, map_find(&nest->innermost, key));
}

/* --- tasks --- */

static inline struct task nest_task_of(const struct nest_thread *thread)
{
	return thread->task ? *thread->task : (struct task){ 0, 0, 0 };
}

uint32_t nest_around_task(const struct nest *nest, uint32_t thread, uint32_t at)
{
	unsigned int looks = NEST_LOOKS_MAX;
	struct task task;

	if (at == NEST_NONE)
		return NEST_NONE;
	task = nest_task_of(&nest->thread[thread]);
	for (; at != NEST_NONE && looks; at = nest->scope[at].below, looks--)
		if (!nest->scope[at].is_hidden && task_is_within(task, nest->scope[at].task))
			return at;
	return NEST_NONE;
}

/* --- identities --- */

static void nest_close(struct nest *nest, struct nest_place place, uint32_t ending,
		       enum nest_ending how);

static uint64_t nest_identity_of(const struct nest *nest, struct nest_place place)
{
	return map_key_of(&nest->identified, place.process, place.identity);
}

static struct map_entry *nest_find_identity(const struct nest *nest, struct nest_place place)
{
	return map_find(&nest->identified, nest_identity_of(nest, place));
}

/* Ends a scope with an identity on the thread on which it began, wherever its end was reported. */
static void nest_close_identified(struct nest *nest, struct nest_place place, uint32_t scope,
				  enum nest_ending how)
{
	nest->is_elsewhere = place.thread != nest->scope[scope].thread;
	place.thread = nest->scope[scope].thread;
	nest_close(nest, place, scope, how);
	nest->is_elsewhere = false;
}

static void nest_identify(struct nest *nest, struct nest_place place, uint32_t scope)
{
	struct map_entry *entry;
	bool added;

	nest->scope[scope].identity = nest_identity_of(nest, place);
	entry = map_put(&nest->identified, nest->scope[scope].identity, &added);
	entry->value = scope;
}

static bool nest_end_identified(struct nest *nest, struct nest_place place)
{
	const struct map_entry *entry = nest_find_identity(nest, place);
	struct nest_thread *thread = nest_thread_at(nest, place.thread);

	if (entry) {
		nest_close_identified(nest, place, (uint32_t)entry->value, NEST_ENDS);
		return true;
	}
	if (!thread->beyond)
		return false;
	thread->beyond--;
	return true;
}

/* --- begin and end --- */

/*
 * The end of the previous scope with that identity was lost. It ends where the next one begins, the
 * latest possible moment.
 */
static void nest_end_namesake(struct nest *nest, struct nest_place place)
{
	const struct map_entry *entry = nest_find_identity(nest, place);

	if (entry)
		nest_close_identified(nest, place, (uint32_t)entry->value, NEST_CUT);
}

static struct nest_thread *nest_begin_on(struct nest *nest, struct nest_place place)
{
	struct nest_thread *thread = nest_thread_at(nest, place.thread);

	if (thread->process == NEST_NONE)
		nest_link_thread(nest, place);
	if (place.task)
		thread->task = place.task;
	nest->has_tasks |= nest_task_of(thread).now != 0;
	nest->has_generators |= nest->options.by_generators && nest_task_of(thread).generator;
	if (place.identity)
		nest_end_namesake(nest, place);
	return thread;
}

uint32_t nest_begin(struct nest *nest, struct nest_place place, uint64_t key, bool is_hidden)
{
	struct nest_thread *thread = nest_begin_on(nest, place);
	uint32_t at, below = thread->top, parent = below;

	if (nest->options.depth_max && thread->depth >= nest->options.depth_max) {
		thread->beyond++;
		return NEST_NONE;
	}
	if (below != NEST_NONE && nest->scope[below].is_hidden)
		parent = nest->scope[below].parent;
	at = nest_take(nest);
	nest->scope[at] = (struct nest_scope){
		.key = key,
		.start_ns = place.time_ns,
		.charged_ns = place.time_ns,
		.above = NEST_NONE,
		.inner = NEST_NONE,
		.task = nest_task_of(thread).now,
		.generator = nest_task_of(thread).generator,
		.below = below,
		.parent = parent,
		.thread = place.thread,
		.is_hidden = is_hidden,
	};
	if (place.identity)
		nest_identify(nest, place, at);
	nest->has_hidden |= is_hidden;
	if (below != NEST_NONE)
		nest->scope[below].above = at;
	else
		thread->since_ns = place.time_ns;
	thread->top = at;
	thread->depth++;
	if (nest->options.is_keyed)
		nest_enter_key(nest, at);
	return at;
}

/* The scopes directly inside continue in the parent. */
static void nest_hand_over(struct nest *nest, uint32_t ending, uint64_t time_ns)
{
	struct nest_scope *scope = &nest->scope[ending];

	for (uint32_t at = scope->above; at != NEST_NONE; at = nest->scope[at].above) {
		struct nest_scope *inside = &nest->scope[at];

		inside->parent = scope->is_hidden ? inside->parent : scope->parent;
		if (inside->is_hidden)
			continue;
		if (!scope->is_hidden) {
			scope->children_ns += time_between(inside->charged_ns, time_ns);
			inside->charged_ns = time_ns;
		}
		break;
	}
	if (scope->above != NEST_NONE)
		nest->scope[scope->above].below = scope->below;
}

static void nest_unlink(struct nest *nest, struct nest_place place, uint32_t ending)
{
	struct nest_thread *thread = &nest->thread[place.thread];
	struct nest_scope *scope = &nest->scope[ending];

	if (scope->above != NEST_NONE)
		nest_hand_over(nest, ending, place.time_ns);
	else
		thread->top = scope->below;
	if (scope->below != NEST_NONE)
		nest->scope[scope->below].above = scope->above;
	if (scope->parent != NEST_NONE && !scope->is_hidden)
		nest->scope[scope->parent].children_ns += time_between(scope->charged_ns,
								       place.time_ns);
	thread->depth--;
	if (thread->top == NEST_NONE)
		thread->covered_ns += time_between(thread->since_ns, place.time_ns);
	if (nest->options.is_keyed)
		nest_leave_key(nest, ending);
	if (scope->identity)
		map_remove(&nest->identified, map_find(&nest->identified, scope->identity));
}

static void nest_close(struct nest *nest, struct nest_place place, uint32_t ending,
		       enum nest_ending how)
{
	struct nest_scope *scope = &nest->scope[ending];
	bool overlaps = scope->above != NEST_NONE;
	struct nest_end end;

	nest_unlink(nest, place, ending);
	end = (struct nest_end){
		.scope = ending,
		.parent = scope->parent,
		.thread = place.thread,
		.is_elsewhere = nest->is_elsewhere,
		.is_guessed = nest->is_guessed,
		.overlaps = overlaps,
		.how = how,
		.key = scope->key,
		.time_ns = place.time_ns,
		.total_ns = time_between(scope->start_ns, place.time_ns),
		.children_ns = scope->children_ns,
	};
	if (nest->ended)
		nest->ended(nest->state, &end);
	scope->below = nest->unused;
	nest->unused = ending;
}

bool nest_end(struct nest *nest, struct nest_place place)
{
	struct nest_thread *thread = nest_thread_at(nest, place.thread);
	unsigned int looks = NEST_LOOKS_MAX;
	uint32_t at;

	if (place.identity)
		return nest_end_identified(nest, place);
	if (thread->beyond) {
		thread->beyond--;
		return true;
	}
	for (at = thread->top; at != NEST_NONE && looks; at = nest->scope[at].below, looks--)
		if (!nest->scope[at].identity && !place.inside--)
			break;
	if (at == NEST_NONE || !looks)
		return false;
	nest_close(nest, place, at, NEST_ENDS);
	return true;
}

/*
 * Finds the innermost scope of the key that belongs to the thread's task; otherwise to no task;
 * otherwise to any. Looks at a limited number of scopes.
 */
static uint32_t nest_look(const struct nest *nest, uint32_t thread, uint64_t key,
			  unsigned int *looks)
{
	uint32_t at = nest->thread[thread].top, of_none = NEST_NONE, of_any = NEST_NONE;
	uint64_t now = nest_task_of(&nest->thread[thread]).now;

	for (; at != NEST_NONE && *looks; at = nest->scope[at].below) {
		--*looks;
		if (nest->scope[at].is_hidden || nest->scope[at].key != key)
			continue;
		if (nest->scope[at].task == now)
			return at;
		if (of_any == NEST_NONE)
			of_any = at;
		if (of_none == NEST_NONE && !nest->scope[at].task)
			of_none = at;
	}
	return of_none != NEST_NONE ? of_none : of_any;
}

static uint32_t nest_find_key(const struct nest *nest, uint32_t thread, uint64_t key, uint64_t task)
{
	const struct map_entry *entry = map_find(&nest->innermost, nest_key_of(thread, key, task));
	uint32_t at = entry ? (uint32_t)entry->value : NEST_NONE;

	/* hashes of different tasks may be equal */
	return at != NEST_NONE && nest->scope[at].thread == thread && nest->scope[at].key == key &&
			       nest->scope[at].task == task
		       ? at
		       : NEST_NONE;
}

/* The same for a keyed nest. */
static uint32_t nest_look_keyed(const struct nest *nest, uint32_t thread, uint64_t key)
{
	uint64_t now = nest_task_of(&nest->thread[thread]).now;
	unsigned int looks = NEST_LOOKS_MAX;
	uint32_t at = nest_find_key(nest, thread, key, now);

	if (at == NEST_NONE && now)
		at = nest_find_key(nest, thread, key, 0);
	if (at == NEST_NONE && nest->has_tasks)
		at = nest_look(nest, thread, key, &looks);
	return at;
}

/*
 * Returns `at`; or, among the scopes of its key and task around it, the innermost that was begun by
 * the generator that runs now.
 */
static uint32_t nest_of_generator(struct nest *nest, uint32_t thread, uint32_t at)
{
	uint64_t generator = nest_task_of(&nest->thread[thread]).generator;
	unsigned int looks = NEST_LOOKS_MAX;

	for (uint32_t i = at; i != NEST_NONE && looks; i = nest->scope[i].outer, looks--)
		if (nest->scope[i].generator == generator)
			return i;
	nest->is_guessed = nest->scope[at].outer != NEST_NONE;
	return at;
}

bool nest_end_key(struct nest *nest, struct nest_place place, uint64_t key)
{
	struct nest_thread *thread = nest_thread_at(nest, place.thread);
	unsigned int looks = NEST_LOOKS_MAX;
	uint32_t at;

	if (place.identity)
		return nest_end_identified(nest, place);
	if (thread->beyond) {
		thread->beyond--;
		return true;
	}
	if (place.task)
		thread->task = place.task;
	at = nest->options.is_keyed ? nest_look_keyed(nest, place.thread, key)
				    : nest_look(nest, place.thread, key, &looks);
	if (at != NEST_NONE && nest->has_generators && nest->options.is_keyed)
		at = nest_of_generator(nest, place.thread, at);
	if (at != NEST_NONE)
		nest_close(nest, place, at, NEST_ENDS);
	nest->is_guessed = false;
	return at != NEST_NONE;
}

bool nest_end_elsewhere(struct nest *nest, struct nest_place place, uint64_t key)
{
	unsigned int looks = NEST_LOOKS_MAX, threads = NEST_THREADS_MAX;
	uint32_t i;

	if (place.identity)
		return nest_end_identified(nest, place);
	i = place.process < nest->process_room ? nest->process[place.process].first : NEST_NONE;
	for (; i != NEST_NONE && looks && threads; i = nest->thread[i].next, threads--) {
		struct nest_place there = { .time_ns = place.time_ns,
					    .thread = i,
					    .process = place.process };
		uint32_t at;

		if (i == place.thread)
			continue;
		at = nest_look(nest, i, key, &looks);
		if (at == NEST_NONE)
			continue;
		nest_close(nest, there, at, NEST_ENDS);
		return true;
	}
	return false;
}

bool nest_end_named(struct nest *nest, struct nest_place place, uint64_t key, bool elsewhere)
{
	return elsewhere ? nest_end_elsewhere(nest, place, key) : nest_end_key(nest, place, key);
}

void nest_cut(struct nest *nest, struct nest_place place, enum nest_ending how)
{
	if (place.thread >= nest->thread_room)
		return;
	nest->thread[place.thread].beyond = 0;
	while (nest->thread[place.thread].top != NEST_NONE)
		nest_close(nest, place, nest->thread[place.thread].top, how);
}

uint64_t nest_covered_ns(const struct nest *nest, uint32_t thread)
{
	return thread < nest->thread_room ? nest->thread[thread].covered_ns : 0;
}
