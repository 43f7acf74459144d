/* SPDX-License-Identifier: MIT */
/*
 * `moves` counts how often a thread began or ended an operator. A link remembers its owner's count
 * and holds while the count stays the same. Covered time is added event by event, without pauses of
 * HELPERS_PAUSE_NS or more.
 */
#include "report/helpers/helpers.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/core/owners.h"

#define SCOPE_BACKWARD 1u /* at::RecordScope */
#define OWNERS_MAX 8u     /* helpers of helpers: backward passes do not nest deeper */
#define ENGINE "autograd::engine::evaluate_function"
#define ENGINE_THREAD "pt_autograd_"

static void helpers_init(void *state)
{
	struct helpers *helpers = state;

	*helpers = (struct helpers){ .thread = NULL };
	map_init(&helpers->numbers);
}

static void helpers_release(void *state)
{
	struct helpers *helpers = state;

	free(helpers->thread);
	free(helpers->last);
	free(helpers->listening);
	map_release(&helpers->numbers);
}

static struct helper_thread *helpers_thread_add(struct helpers *helpers, uint32_t thread,
						uint32_t process)
{
	helpers->thread = memory_room(helpers->thread, thread, &helpers->thread_room,
				      sizeof(*helpers->thread));
	helpers->thread[thread] = (struct helper_thread){
		.is_known = true, .owner = NEST_NONE, .index = thread, .process = process
	};
	return &helpers->thread[thread];
}

/* The result is valid until a new thread is added. */
static inline struct helper_thread *helpers_thread_at(struct helpers *helpers,
						      const struct source_event *event)
{
	uint32_t thread = event->thread->index;

	if (__builtin_expect(thread < helpers->thread_room && helpers->thread[thread].is_known, 1))
		return &helpers->thread[thread];
	return helpers_thread_add(helpers, thread, event->process->index);
}

/* Returns whether the link holds: the owner has waited ever since. */
static inline bool is_linked(const struct helpers *helpers, const struct helper_thread *helper)
{
	return helper->owner != NEST_NONE &&
	       helpers->thread[helper->owner].moves == helper->owner_moves;
}

/* --- work of an owner's helpers --- */

static void owner_tell(const struct helpers *helpers, const struct helper_thread *owner,
		       uint64_t ns, uint64_t time_ns)
{
	for (size_t i = 0; i < helpers->listening_count; i++)
		helpers->listening[i].take(helpers->listening[i].state,
					   (struct nest_place){ .time_ns = time_ns,
								.thread = owner->index,
								.process = owner->process },
					   ns);
}

/* The helpers worked up to now, or were between two nodes. */
static inline void owner_touch(const struct helpers *helpers, struct helper_thread *owner,
			       uint64_t time_ns)
{
	uint64_t ns;

	if (time_ns <= owner->touched_ns)
		return;
	ns = time_ns - owner->touched_ns;
	owner->touched_ns = time_ns;
	if (!owner->busy && ns >= HELPERS_PAUSE_NS)
		return;
	if (helpers->listening_count)
		owner_tell(helpers, owner, ns, time_ns);
}

/* From now on the helper is in an operator for the owner; it began at `since_ns`. */
static void owner_engage(const struct helpers *helpers, struct helper_thread *owner,
			 uint64_t since_ns, uint64_t time_ns)
{
	bool is_first = owner->helped_moves != owner->moves + 1;

	if (is_first) {
		owner->helped_moves = owner->moves + 1;
		owner->touched_ns = since_ns > owner->moved_ns ? since_ns : owner->moved_ns;
		owner->busy = 0;
	} else if (!owner->busy && since_ns > owner->touched_ns) {
		owner_touch(helpers, owner, since_ns);
	}
	owner->busy++;
	owner_touch(helpers, owner, time_ns);
}

/* --- links --- */

static void helper_leave(struct helpers *helpers, struct helper_thread *helper)
{
	if (is_linked(helpers, helper) && helper->depth && helpers->thread[helper->owner].busy)
		helpers->thread[helper->owner].busy--;
	helper->owner = NEST_NONE;
	helper->is_confirmed = false;
}

static void helper_link(struct helpers *helpers, struct helper_thread *helper, uint32_t owner,
			uint64_t time_ns)
{
	helper_leave(helpers, helper);
	helper->owner = owner;
	helper->owner_moves = helpers->thread[owner].moves;
	if (helper->depth)
		owner_engage(helpers, &helpers->thread[owner], helper->opened_ns, time_ns);
}

/* An owner must not itself be a helper of the helper. */
static bool can_own(const struct helpers *helpers, uint32_t owner, uint32_t helper)
{
	const struct helper_thread *at = &helpers->thread[owner];

	return owner != helper && at->process == helpers->thread[helper].process &&
	       at->moved_ns <= helpers->thread[helper].opened_ns &&
	       (!is_linked(helpers, at) || helpers_owner(helpers, owner) != helper);
}

/*
 * Until a function names the owner, it is assumed to be the thread that ran an operator last, which
 * most likely called the engine.
 */
static void helper_guess(struct helpers *helpers, uint32_t index, uint64_t time_ns)
{
	struct helper_thread *helper = &helpers->thread[index];
	uint32_t last = helper->process < helpers->last_room ? helpers->last[helper->process] : 0;

	if (last && can_own(helpers, last - 1, index))
		helper_link(helpers, helper, last - 1, time_ns);
}

/*
 * The first owner stays for the whole stint: functions of other threads' forward operators, as with
 * DataParallel's replicas, are part of its backward pass. Only a thread that was itself a first
 * owner before, and waits, has a backward pass of its own.
 */
static void helper_confirm(struct helpers *helpers, uint32_t index, uint32_t named,
			   uint64_t time_ns)
{
	struct helper_thread *helper = &helpers->thread[index];
	bool holds = is_linked(helpers, helper), is_same = holds && helper->owner == named;

	if (!is_same && (!can_own(helpers, named, index) ||
			 (holds && helper->is_confirmed && !helpers->thread[named].is_caller)))
		return;
	if (!is_same)
		helper_link(helpers, helper, named, time_ns);
	if (!helper->is_confirmed)
		helpers->thread[named].is_caller = true;
	helper->is_confirmed = true;
}

/* --- events --- */

static uint64_t number_key(uint32_t process, uint64_t number)
{
	const uint64_t words[2] = { process, number };
	uint64_t key = map_hash_bytes(words, sizeof(words), 0);

	return key ? key : 1;
}

/*
 * Returns whether this is a scope of autograd's engine, or a backward function if there are no such
 * scopes.
 */
static bool is_engine(struct source *source, const struct source_event *event)
{
	const struct source_name *name = source_name_of(source, event->file, event->event.value[0]);

	if (event->event.id != EVT_torch_begin &&
	    EVENT_AS(torch_begin_ex, &event->event)->scope == SCOPE_BACKWARD)
		return true;
	return name->text && name->length >= strlen(ENGINE) &&
	       !memcmp(name->text, ENGINE, strlen(ENGINE));
}

/* The thread begins or ends an operator of its own, so its helpers have finished. */
static inline void helpers_take_move(const struct helpers *helpers, struct helper_thread *thread,
				     uint64_t time_ns)
{
	if (thread->helped_moves == thread->moves + 1 && thread->busy)
		owner_touch(helpers, thread, time_ns);
	thread->busy = 0;
	thread->moves++;
	thread->moved_ns = time_ns;
}

/*
 * autograd's own threads do not call the engine, except for passes within passes, which belong to
 * their owner.
 */
static inline void note_last(struct helpers *helpers, const struct helper_thread *thread)
{
	if (!thread->runs_own)
		return;
	helpers->last = memory_room(helpers->last, thread->process, &helpers->last_room,
				    sizeof(*helpers->last));
	helpers->last[thread->process] = thread->index + 1;
}

static void note_number(struct helpers *helpers, const struct source_event *event, uint64_t number)
{
	bool added;

	helpers->thread[event->thread->index].number = number;
	map_put(&helpers->numbers, number_key(event->process->index, number), &added)
		->value = event->thread->index;
}

static bool is_named_so(const struct source_event *event)
{
	size_t length;
	const char *name;

	thread_name(event->thread, &name, &length);
	return length >= strlen(ENGINE_THREAD) &&
	       !memcmp(name, ENGINE_THREAD, strlen(ENGINE_THREAD));
}

/* The outermost operator of the thread begins. */
static void take_outermost(struct helpers *helpers, struct source *source,
			   const struct source_event *event)
{
	struct helper_thread *thread = &helpers->thread[event->thread->index];
	uint64_t time_ns = event->event.time_ns;

	thread->opened_ns = time_ns;
	if (thread->owner != NEST_NONE)
		owner_engage(helpers, &helpers->thread[thread->owner], time_ns, time_ns);
	else if (!is_engine(source, event))
		thread->runs_own = thread->runs_own || !is_named_so(event);
	else if (!thread->runs_own)
		helper_guess(helpers, event->thread->index, time_ns);
}

/* A backward function names the thread of its forward operator. */
static void take_function(struct helpers *helpers, const struct source_event *event,
			  uint64_t forward_thread)
{
	const struct map_entry *named = map_find(&helpers->numbers,
						 number_key(event->process->index, forward_thread));

	if (!named || named->value == event->thread->index)
		return;
	helpers->thread[named->value].is_forward = true;
	if (!helpers->thread[event->thread->index].runs_own)
		helper_confirm(helpers, event->thread->index, (uint32_t)named->value,
			       event->event.time_ns);
}

static inline void helpers_take_begin(struct helpers *helpers, struct source *source,
				      const struct source_event *event)
{
	uint64_t time_ns = event->event.time_ns;
	struct helper_thread *thread = helpers_thread_at(helpers, event);

	if (thread->owner != NEST_NONE && !is_linked(helpers, thread))
		helper_leave(helpers, thread);
	if (!thread->depth++)
		take_outermost(helpers, source, event);
	else if (thread->owner != NEST_NONE)
		owner_touch(helpers, &helpers->thread[thread->owner], time_ns);
	helpers_take_move(helpers, thread, time_ns);
	note_last(helpers, thread);
}

/* torch_begin_id has the same fields: helpers.h */
static inline void take_begin_ex(struct helpers *helpers, struct source *source,
				 const struct source_event *event)
{
	const struct evt_torch_begin_ex *begin = EVENT_AS(torch_begin_ex, &event->event);

	helpers_take_begin(helpers, source, event);
	if (begin->thread && begin->thread != helpers->thread[event->thread->index].number)
		note_number(helpers, event, begin->thread);
	if (begin->scope == SCOPE_BACKWARD && begin->forward_thread)
		take_function(helpers, event, begin->forward_thread);
}

static inline void thread_end(struct helpers *helpers, struct helper_thread *thread,
			      uint64_t time_ns)
{
	if (is_linked(helpers, thread)) {
		struct helper_thread *owner = &helpers->thread[thread->owner];

		owner_touch(helpers, owner, time_ns);
		owner->busy -= thread->depth == 1 && owner->busy;
	}
	thread->depth -= thread->depth > 0;
	helpers_take_move(helpers, thread, time_ns);
	note_last(helpers, thread);
}

/* For a user scope that began on another thread, or on this one. */
static void helpers_take_end_named(struct helpers *helpers, const struct source_event *event)
{
	uint64_t number = EVENT_AS(torch_end_ex, &event->event)->thread;
	struct helper_thread *thread = helpers_thread_at(helpers, event);
	struct map_entry *of = NULL;

	if (number)
		of = map_find(&helpers->numbers, number_key(event->process->index, number));
	else
		thread_end(helpers, thread, event->event.time_ns);
	if (of)
		helpers->thread[of->value].depth -= helpers->thread[of->value].depth > 1;
}

/* Events of operators, with all their fields; others are nothing to it. */
static void helpers_take(void *state, struct source *source, const struct source_event *event)
{
	struct helpers *helpers = state;

	switch (event->event.id) {
	case EVT_torch_begin:
		helpers_take_begin(helpers, source, event);
		return;
	case EVT_torch_begin_ex:
	case EVT_torch_begin_id:
		take_begin_ex(helpers, source, event);
		return;
	case EVT_torch_end:
	case EVT_torch_end_outer:
		thread_end(helpers, helpers_thread_at(helpers, event), event->event.time_ns);
		return;
	case EVT_torch_end_ex:
	case EVT_torch_end_id:
		helpers_take_end_named(helpers, event);
		return;
	}
}

static void helpers_cut(void *state, uint32_t thread)
{
	struct helpers *helpers = state;
	struct helper_thread *at;

	if (thread >= helpers->thread_room || !helpers->thread[thread].is_known)
		return;
	at = &helpers->thread[thread];
	helper_leave(helpers, at);
	at->depth = 0;
	at->busy = 0;
	at->moves++;
}

/* --- results --- */

void helpers_listen(struct helpers *helpers, helpers_listener *listen, void *state)
{
	helpers->listening = memory_room(helpers->listening, helpers->listening_count,
					 &helpers->listening_room, sizeof(*helpers->listening));
	helpers->listening[helpers->listening_count++] = (struct helpers_listening){ listen,
										     state };
}

uint32_t helpers_owner(const struct helpers *helpers, uint32_t thread)
{
	uint32_t owner = NEST_NONE;

	for (unsigned int i = 0; i < OWNERS_MAX; i++) {
		if (thread >= helpers->thread_room || !helpers->thread[thread].is_known ||
		    !is_linked(helpers, &helpers->thread[thread]))
			break;
		owner = thread = helpers->thread[thread].owner;
	}
	return owner;
}

uint32_t helpers_scopes_of(const struct helpers *helpers, const struct nest *nest, uint32_t thread)
{
	uint32_t owner = nest_innermost(nest, thread) == NEST_NONE ? helpers_owner(helpers, thread)
								   : NEST_NONE;

	return owner == NEST_NONE ? thread : owner;
}

bool helpers_are_at_work(const struct helpers *helpers, uint32_t thread, uint64_t time_ns)
{
	const struct helper_thread *owner;

	if (thread >= helpers->thread_room || !helpers->thread[thread].is_known)
		return false;
	owner = &helpers->thread[thread];
	return owner->helped_moves == owner->moves + 1 &&
	       (owner->busy || time_ns < owner->touched_ns + HELPERS_PAUSE_NS);
}

bool helpers_is_forward(const struct helpers *helpers, uint32_t thread)
{
	return thread < helpers->thread_room && helpers->thread[thread].is_forward;
}

/* --- for --range, event by event --- */

static uint32_t owner_kind_owner(const void *state, uint32_t thread)
{
	return helpers_owner(state, thread);
}

const struct owner_kind owner_kind_helpers = {
	.state_bytes = sizeof(struct helpers),
	.init = helpers_init,
	.release = helpers_release,
	.take = helpers_take,
	.cut = helpers_cut,
	.owner = owner_kind_owner,
};

/* --- the analysis --- */

struct helpers_state {
	struct helpers helpers; /* must be first: others see only this part */
	struct source *source;
};

/* The same as helpers_take(), without checking the kind of the event. */
static void helpers_take_opening(void *state, const struct source_event *event, bool counts)
{
	struct helpers_state *mine = state;

	(void)counts;
	helpers_take_begin(&mine->helpers, mine->source, event);
}

static void take_opening_ex(void *state, const struct source_event *event, bool counts)
{
	struct helpers_state *mine = state;

	(void)counts;
	take_begin_ex(&mine->helpers, mine->source, event);
}

static void helpers_take_closing(void *state, const struct source_event *event, bool counts)
{
	struct helpers *helpers = &((struct helpers_state *)state)->helpers;

	(void)counts;
	thread_end(helpers, helpers_thread_at(helpers, event), event->event.time_ns);
}

static void take_closing_named(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	helpers_take_end_named(&((struct helpers_state *)state)->helpers, event);
}

/* torch_begin_id and torch_end_id have the same fields: helpers.h */
static void helpers_start(void *state, struct run *run, const void *options)
{
	static const uint32_t begins = FIELD_BIT(torch_begin_ex, name) |
				       FIELD_BIT(torch_begin_ex, scope) |
				       FIELD_BIT(torch_begin_ex, thread) |
				       FIELD_BIT(torch_begin_ex, forward_thread);
	struct helpers_state *mine = state;

	(void)options;
	mine->source = run_source(run);
	helpers_init(&mine->helpers);
	run_reads_keyless_scopes(run, EVT_SCOPE_KIND_operator, FIELD_BIT(torch_begin, name),
				 helpers_take_opening, helpers_take_closing, mine);
	run_reads_keyed_scopes(run, EVT_SCOPE_KIND_operator, begins, take_opening_ex,
			       take_closing_named, mine);
	run_seeks(run, state);
}

static void cut_of_helpers(void *state, const struct cut *cut)
{
	if (cut->thread)
		helpers_cut(&((struct helpers_state *)state)->helpers, cut->thread->index);
}

static void release_of_helpers(void *state)
{
	helpers_release(&((struct helpers_state *)state)->helpers);
}

const struct analysis_kind analysis_helpers = {
	.name = "helpers",
	.state_bytes = sizeof(struct helpers_state),
	.options_bytes = sizeof(struct helpers_options),
	.start = helpers_start,
	.cut = cut_of_helpers,
	.release = release_of_helpers,
};
