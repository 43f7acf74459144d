/* SPDX-License-Identifier: MIT */
/* A nest of open scopes, with their rows in parallel. */
#include "report/modules/module_scopes.h"

#include <stdlib.h>

#include "report/base/memory.h"

/* Keys of the nest. */
enum { SCOPE_IS_CALL, SCOPE_IS_BACKWARD };

static void module_scope_ended(void *state, const struct nest_end *end);

void module_scopes_init(struct module_scopes *scopes)
{
	*scopes = (struct module_scopes){ .open = NULL };
	module_tree_init(&scopes->tree);
	nest_init(&scopes->nest, (struct nest_options){ .is_keyed = true }, module_scope_ended,
		  scopes);
}

void module_scopes_release(struct module_scopes *scopes)
{
	module_tree_release(&scopes->tree);
	nest_release(&scopes->nest);
	free(scopes->open);
	free(scopes->thread);
}

static const struct module_scope *module_scopes_open_of(const struct module_scopes *scopes,
							uint32_t thread)
{
	uint32_t top = thread < scopes->nest.thread_room ? scopes->nest.thread[thread].top
							 : NEST_NONE;

	return top == NEST_NONE ? NULL : &scopes->open[top];
}

const struct module_scope *module_scopes_top(const struct module_scopes *scopes, uint32_t thread)
{
	const struct module_scope *top = module_scopes_open_of(scopes, thread);

	return top && top->row != MODULE_NONE ? top : NULL;
}

uint64_t module_scopes_added_ns(const struct module_scopes *scopes, uint32_t thread)
{
	return thread < scopes->thread_room ? scopes->thread[thread].time_ns : 0;
}

struct module_amounts *module_scope_amounts(struct module_scopes *scopes,
					    const struct module_scope *scope)
{
	struct module_row *row;

	if (!scope || scope->into == MODULE_NONE)
		return NULL;
	row = &scopes->tree.row[scope->into];
	return scope->is_within ? &row->within[scope->into_phase] : &row->own[scope->into_phase];
}

/* Adds what the thread has done since its last moment to the scope that it was in. */
static void module_scopes_advance(struct module_scopes *scopes, const struct module_moment *moment)
{
	uint32_t index = moment->place.thread;
	const struct module_scope *top = module_scopes_open_of(scopes, index);
	struct module_amounts *into = module_scope_amounts(scopes, top);
	struct module_thread *thread;
	struct work done;
	uint64_t ns;

	scopes->thread = memory_room(scopes->thread, index, &scopes->thread_room,
				     sizeof(*scopes->thread));
	thread = &scopes->thread[index];
	ns = moment->place.time_ns > thread->time_ns ? moment->place.time_ns - thread->time_ns : 0;
	if (into) {
		done = work_between(&thread->work, &moment->work);
		work_add(&into->work, &done);
		into->ns += ns;
	} else if (top && top->counts) {
		scopes->elsewhere_ns += ns;
	}
	thread->time_ns += ns;
	thread->work = moment->work;
}

static void module_scopes_begin(struct module_scopes *scopes, const struct module_moment *moment,
				unsigned int key, struct module_scope scope)
{
	const struct module_scope *around;
	uint32_t entry;

	module_scopes_advance(scopes, moment);
	around = module_scopes_open_of(scopes, moment->place.thread);
	scope.into = scope.counts ? scope.into : around ? around->into : MODULE_NONE;
	scope.is_within = !scope.counts;
	scope.into_phase = scope.counts || !around ? scope.phase : around->into_phase;
	entry = nest_begin(&scopes->nest, moment->place, key, false);
	if (entry >= scopes->open_room)
		scopes->open = memory_room(scopes->open, entry, &scopes->open_room,
					   sizeof(*scopes->open));
	scopes->open[entry] = scope;
}

/* --- calls --- */

/*
 * The row of a call: below that of the call around it, in the same phase. What it does belongs
 * there too, except if the call around it does not count: that one has no part in it then.
 */
static struct module_scope module_scopes_place(struct module_scopes *scopes, uint32_t thread,
					       uint32_t name)
{
	const struct module_scope *around = module_scopes_open_of(scopes, thread);
	struct module_tree *tree = &scopes->tree;
	struct module_scope scope = { .phase = MODULE_FORWARD };

	if (!around) {
		scope.row = scope.into = module_tree_enter(tree, MODULE_NONE, name);
	} else if (around->phase == MODULE_BACKWARD) {
		scope.row = scope.into = module_tree_enter_alone(tree, name);
		scope.phase = MODULE_RECOMPUTED;
	} else {
		scope.into = module_tree_enter(tree, around->counts ? around->into : MODULE_NONE,
					       name);
		scope.row = module_tree_enter(tree, around->row, name);
		scope.phase = around->phase;
	}
	return scope;
}

void module_scopes_call(struct module_scopes *scopes, const struct module_moment *moment,
			uint32_t name, bool counts)
{
	struct module_scope scope = module_scopes_place(scopes, moment->place.thread, name);
	struct module_row *row = &scopes->tree.row[scope.into];

	scope.counts = counts;
	if (counts && scope.phase == MODULE_RECOMPUTED)
		row->recomputed_calls++;
	else if (counts)
		row->calls++;
	module_scopes_begin(scopes, moment, SCOPE_IS_CALL, scope);
}

void module_scopes_return(struct module_scopes *scopes, const struct module_moment *moment)
{
	module_scopes_advance(scopes, moment);
	scopes->unmatched += !nest_end_key(&scopes->nest, moment->place, SCOPE_IS_CALL);
}

static void module_scope_ended(void *state, const struct nest_end *end)
{
	struct module_scopes *scopes = state;
	const struct module_scope *scope = &scopes->open[end->scope];
	struct module_row *row;

	if (end->key != SCOPE_IS_CALL || !scope->counts)
		return;
	row = &scopes->tree.row[scope->into];
	row->open += end->how != NEST_ENDS;
	if (end->how != NEST_RUNS_ON && scope->phase == MODULE_FORWARD)
		timing_add(&row->time, end->total_ns);
}

/* --- backward functions --- */

void module_scopes_begin_backward(struct module_scopes *scopes, const struct module_moment *moment,
				  uint32_t row, bool counts)
{
	if (row != MODULE_NONE && counts)
		scopes->tree.row[row].backward_functions++;
	module_scopes_begin(
		scopes, moment, SCOPE_IS_BACKWARD,
		(struct module_scope){
			.row = row, .into = row, .phase = MODULE_BACKWARD, .counts = counts });
}

void module_scopes_end_backward(struct module_scopes *scopes, const struct module_moment *moment)
{
	module_scopes_advance(scopes, moment);
	(void)nest_end_key(&scopes->nest, moment->place, SCOPE_IS_BACKWARD);
}

/* What stays open adds no further time: how long it takes is not known. */
void module_scopes_cut(struct module_scopes *scopes, const struct module_moment *moment,
		       enum nest_ending how)
{
	if (how != NEST_RUNS_ON)
		module_scopes_advance(scopes, moment);
	nest_cut(&scopes->nest, moment->place, how);
}
