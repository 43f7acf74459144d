/* SPDX-License-Identifier: MIT */
/*
 * Uses a nest of open operators, with an array of counters in parallel. A call is counted when it
 * ends, or, if it may be folded, when its parent ends.
 */
#include "report/torch/operators.h"

#include <stdlib.h>

#include "collector/format/events.h"
#include "report/base/memory.h"

/* A call that is over, before it is counted. */
struct operator_call {
	uint32_t row; /* OPERATOR_NONE: it does not count */
	uint32_t thread;
	uint32_t deferred; /* its scope; 0: none */
	uint64_t flops;
	struct operator_work total, children;
	bool open; /* not ended by the program */
	bool is_user;
};

/* What is kept in parallel to an open operator of the nest. */
struct operator_open {
	uint32_t row;
	uint32_t deferred; /* its scope; 0 while no GPU work was launched in it */
	uint64_t flops;
	struct operator_work own, children;
	struct operator_call kept; /* the only child so far, if it has the same name */
	uint64_t caller;
	bool hidden, has_kept, has_children, is_user, is_placed_by_forward;
};

_Static_assert(OPERATOR_NONE == DEFERRED_NO_ROW,
	       "an operator without a row is a scope without one");

static void operator_ended(void *state, const struct nest_end *end);

static void operators_scope_is_over(void *owner, uint32_t row, const struct deferred_sum *total,
				    const struct deferred_sum *own)
{
	struct operators *operators = owner;

	operators->row[row].gpu_total_ns += total->ns;
	operators->row[row].gpu_self_ns += own->ns;
}

void operators_init(struct operators *operators, bool by_shapes)
{
	*operators = (struct operators){ .by_shapes = by_shapes, .kept = OPERATORS_ALL };
	nest_init(&operators->nest, (struct nest_options){ .depth_max = OPERATOR_DEPTH_MAX },
		  operator_ended, operators);
	deferred_scopes_init(&operators->deferred, operators_scope_is_over, operators);
	cover_init(&operators->cover);
	cover_init(&operators->busy);
	map_init(&operators->rows);
	map_init(&operators->shaped_rows);
	map_init(&operators->placed_rows);
	map_init(&operators->row_threads);
}

void operators_release(struct operators *operators)
{
	for (size_t i = 0; i < operators->row_count; i++)
		timing_release(&operators->row[i].time);
	free(operators->row);
	nest_release(&operators->nest);
	deferred_scopes_release(&operators->deferred);
	cover_release(&operators->cover);
	cover_release(&operators->busy);
	free(operators->open);
	map_release(&operators->rows);
	map_release(&operators->shaped_rows);
	map_release(&operators->placed_rows);
	map_release(&operators->row_threads);
}

static inline void work_add(struct operator_work *into, const struct operator_work *more)
{
#define ADD(name) into->name += more->name;
	OPERATOR_WORK(ADD)
#undef ADD
}

static inline void work_take(struct operator_work *from, const struct operator_work *less)
{
#define TAKE(name) from->name -= less->name;
	OPERATOR_WORK(TAKE)
#undef TAKE
}

/* --- rows --- */

static uint32_t operators_add_row(struct operators *operators, struct operator_row row)
{
	operators->row = memory_room(operators->row, operators->row_count, &operators->row_room,
				     sizeof(*operators->row));
	row.last_thread = OPERATOR_NONE;
	operators->row[operators->row_count] = row;
	return (uint32_t)operators->row_count++;
}

static uint32_t operators_row_of(struct operators *operators, uint32_t name, uint64_t scope)
{
	uint32_t kept = scope < OPERATOR_SCOPE_MAX ? (uint32_t)scope : OPERATOR_SCOPE_MAX;
	bool added;
	struct map_entry *entry = map_put(&operators->rows, ((uint64_t)name << 8 | kept) + 1,
					  &added);

	if (added)
		entry->value = operators_add_row(
			operators, (struct operator_row){
					   .name = name, .scope = kept, .shapes = OPERATOR_NONE });
	return (uint32_t)entry->value;
}

bool operators_add_gpu(struct operators *operators, uint32_t name, uint64_t scope,
		       uint64_t total_ns, uint64_t self_ns)
{
	uint32_t kept = scope < OPERATOR_SCOPE_MAX ? (uint32_t)scope : OPERATOR_SCOPE_MAX;
	const struct map_entry *entry = map_find(&operators->rows,
						 ((uint64_t)name << 8 | kept) + 1);

	if (!entry)
		return false;
	operators->has_gpu = true;
	operators->row[entry->value].gpu_total_ns += total_ns;
	operators->row[entry->value].gpu_self_ns += self_ns;
	return true;
}

static uint32_t operators_shaped_row(struct operators *operators, uint32_t row, uint32_t shapes)
{
	bool added;
	struct map_entry *entry = map_put(&operators->shaped_rows,
					  (uint64_t)(row + 1) << 32 | shapes, &added);
	struct operator_row fresh = operators->row[row];

	if (added)
		entry->value = operators_add_row(operators,
						 (struct operator_row){ .name = fresh.name,
									.scope = fresh.scope,
									.shapes = shapes });
	return (uint32_t)entry->value;
}

static uint32_t operators_placed_row(struct operators *operators, uint32_t row, uint64_t place)
{
	const uint64_t words[2] = { row, place };
	struct operator_row fresh = operators->row[row];
	struct map_entry *entry;
	bool added;

	if (!place)
		return row;
	entry = map_put(&operators->placed_rows, map_hash_bytes(words, sizeof(words), 0), &added);
	if (added)
		entry->value = operators_add_row(operators,
						 (struct operator_row){ .name = fresh.name,
									.scope = fresh.scope,
									.shapes = OPERATOR_NONE,
									.caller = place });
	return (uint32_t)entry->value;
}

/* OPERATOR_NONE: no row of it is wanted. */
static uint32_t operators_row_for(struct operators *operators,
				  const struct operator_opening *opening, uint64_t place)
{
	bool is_user = opening->scope == EVT_SCOPE_USER;
	bool is_kept = operators->kept == OPERATORS_ALL ||
		       (operators->kept == OPERATORS_OF_USER && is_user);

	if (!opening->counts || opening->hidden || !is_kept)
		return OPERATOR_NONE;
	return operators_placed_row(
		operators, operators_row_of(operators, opening->name, opening->scope), place);
}

static void operators_row_join(struct operator_row *into, struct operator_row *from)
{
	into->calls += from->calls;
	into->apart += from->apart;
	into->open += from->open;
	into->flops += from->flops;
	timing_merge(&into->time, &from->time);
	work_add(&into->total, &from->total);
	work_add(&into->self, &from->self);
	from->calls = from->open = 0;
}

/* Counts threads anew, because rows may have threads in common. */
static void threads_join(struct operators *operators, const uint32_t *into)
{
	struct map_entry *entry = NULL;
	struct map joined;
	bool added;

	map_init(&joined);
	/* they come in the order of their hash, see map_reserve() */
	map_reserve(&joined, operators->row_threads.count);
	for (size_t i = 0; i < operators->row_count; i++)
		operators->row[i].threads = 0;
	while ((entry = map_next(&operators->row_threads, entry))) {
		uint32_t row = into[(entry->key >> 32) - 1];

		map_put(&joined, (uint64_t)(row + 1) << 32 | (uint32_t)entry->key, &added);
		operators->row[row].threads += added;
	}
	map_release(&operators->row_threads);
	operators->row_threads = joined;
}

void operators_join(struct operators *operators, const uint32_t *into)
{
	threads_join(operators, into);
	for (size_t i = 0; i < operators->row_count; i++)
		if (into[i] != i) {
			operators_row_join(&operators->row[into[i]], &operators->row[i]);
			cover_join(&operators->cover, into[i] + 1, (uint32_t)i + 1);
		}
}

static void operators_count_thread(struct operators *operators, uint32_t row, uint32_t thread)
{
	bool added;

	operators->row[row].last_thread = thread;
	map_put(&operators->row_threads, (uint64_t)(row + 1) << 32 | thread, &added);
	operators->row[row].threads += added;
}

/*
 * Inlined, because otherwise the sums of a call would be written to memory and read again at once,
 * which delays the read.
 */
static inline __attribute__((always_inline)) void operators_count(struct operators *operators,
								  const struct operator_call *call)
{
	struct operator_work self = call->total;
	struct operator_row *row;

	deferred_scopes_settle(&operators->deferred, call->deferred, call->row);
	if (call->row == OPERATOR_NONE)
		return;
	row = &operators->row[call->row];
	row->calls++;
	row->open += call->open;
	row->flops += call->flops;
	timing_add(&row->time, call->total.ns);
	work_take(&self, &call->children);
	if (call->children.ns > call->total.ns) /* only if the file's times go backwards */
		self.ns = 0;
	work_add(&row->total, &call->total);
	work_add(&row->self, &self);
	if (row->last_thread != call->thread)
		operators_count_thread(operators, call->row, call->thread);
}

/* --- each moment once --- */

#define COVER_ALL 0u

static uint32_t cover_place(const struct operators *operators, uint32_t thread)
{
	return operators->by_process ? operators->nest.thread[thread].process : thread;
}

static void operators_cover(struct operators *operators, uint32_t row, struct nest_place place)
{
	uint32_t at = cover_place(operators, place.thread);

	if (row == OPERATOR_NONE)
		return;
	cover_begin(&operators->cover, row + 1, at, place.time_ns);
	cover_begin(&operators->cover, COVER_ALL, at, place.time_ns);
	cover_begin(&operators->busy, COVER_ALL, place.process, place.time_ns);
}

static void operators_uncover(struct operators *operators, uint32_t row, const struct nest_end *end)
{
	uint32_t at = cover_place(operators, end->thread);
	bool adds = end->how != NEST_RUNS_ON;

	if (row == OPERATOR_NONE)
		return;
	cover_end(&operators->cover, row + 1, at, end->time_ns, adds);
	cover_end(&operators->cover, COVER_ALL, at, end->time_ns, adds);
	cover_end(&operators->busy, COVER_ALL, operators->nest.thread[end->thread].process,
		  end->time_ns, adds);
}

uint64_t operators_covered_ns(const struct operators *operators, uint32_t row)
{
	uint64_t all_ns = cover_ns(&operators->cover, COVER_ALL), ns;

	if (row == OPERATOR_NONE)
		return all_ns;
	ns = cover_ns(&operators->cover, row + 1);
	return ns < all_ns ? ns : all_ns;
}

/* --- open operators --- */

/* A call that is an only child with its parent's name is kept until the parent's end. */
static inline __attribute__((always_inline)) void operators_pass_up(
	struct operators *operators, uint32_t parent_entry, uint64_t name,
	const struct operator_call *call)
{
	struct operator_open *parent;

	if (parent_entry == OPERATOR_NONE) {
		operators_count(operators, call);
		return;
	}
	parent = &operators->open[parent_entry];
	work_add(&parent->children, &call->total);
	if (!parent->has_children && !call->is_user &&
	    operators->nest.scope[parent_entry].key == name) {
		parent->kept = *call;
		parent->has_kept = true;
	} else {
		if (parent->has_kept)
			operators_count(operators, &parent->kept);
		parent->has_kept = false;
		operators_count(operators, call);
	}
	parent->has_children = true;
}

/* An operator that is still open adds no time, and nothing is folded into it. */
static void operators_leave_running(struct operators *operators, const struct operator_open *open)
{
	if (open->has_kept)
		operators_count(operators, &open->kept);
	deferred_scopes_settle(&operators->deferred, open->deferred, DEFERRED_NO_ROW);
	if (open->row == OPERATOR_NONE)
		return;
	operators->row[open->row].calls++;
	operators->row[open->row].open++;
}

static void operator_ended(void *state, const struct nest_end *end)
{
	struct operators *operators = state;
	struct operator_open *open = &operators->open[end->scope];
	struct operator_call call;

	if (operators->kept == OPERATORS_FOLLOWED)
		return;
	operators_uncover(operators, open->row, end);
	operators->crossed += end->overlaps && end->how == NEST_ENDS && open->row != OPERATOR_NONE;
	if (open->hidden) {
		if (end->parent != NEST_NONE)
			work_add(&operators->open[end->parent].own, &open->own);
		return;
	}
	if (end->how == NEST_RUNS_ON) {
		operators_leave_running(operators, open);
		return;
	}
	if (open->has_kept && end->is_elsewhere) {
		operators_count(operators, &open->kept);
		open->has_kept = false;
	}
	if (open->has_kept)
		deferred_scopes_fold(&operators->deferred, open->kept.deferred);
	call.row = open->row;
	call.deferred = open->deferred;
	call.thread = end->thread;
	call.flops = open->flops;
	call.open = end->how == NEST_CUT;
	call.is_user = open->is_user;
	call.total = open->own;
	work_add(&call.total, &open->children);
	call.total.ns = end->total_ns;
	call.children = open->has_kept ? open->kept.children : open->children;
	if (!open->has_kept)
		call.children.ns = end->children_ns;
	operators_pass_up(operators, end->parent, end->key, &call);
}

void operators_cut(struct operators *operators, struct nest_place place, enum nest_ending how)
{
	nest_cut(&operators->nest, place, how);
}

/* Its time up to now counts as covered, because operators in it were counted. */
static void operators_leave_out(struct operators *operators, uint32_t scope, uint64_t time_ns)
{
	struct operator_open *open = &operators->open[scope];
	struct nest_end end = { .thread = operators->nest.scope[scope].thread,
				.time_ns = time_ns,
				.how = NEST_CUT };

	operators_uncover(operators, open->row, &end);
	open->row = OPERATOR_NONE;
}

void operators_leave_out_open(struct operators *operators, struct nest_place place)
{
	const struct nest *nest = &operators->nest;
	uint32_t thread = place.process < nest->process_room ? nest->process[place.process].first
							     : NEST_NONE;

	for (; thread != NEST_NONE; thread = nest->thread[thread].next)
		for (uint32_t scope = nest->thread[thread].top; scope != NEST_NONE;
		     scope = nest->scope[scope].below)
			operators_leave_out(operators, scope, place.time_ns);
}

struct place {
	uint64_t number;
	bool is_by_forward;
};

/*
 * Its own place, unless the enclosing operator has a place by its forward operator, or it has none.
 */
static struct place operators_place_of(const struct operators *operators, uint32_t entry,
				       const struct operator_opening *opening)
{
	struct place place = { opening->caller, opening->is_placed_by_forward };
	uint32_t parent = operators->nest.scope[entry].parent;
	const struct operator_open *around = parent == NEST_NONE ? NULL : &operators->open[parent];

	if (around && !place.is_by_forward && (around->is_placed_by_forward || !place.number))
		place = (struct place){ around->caller, around->is_placed_by_forward };
	return place;
}

void operators_begin(struct operators *operators, const struct operator_opening *opening)
{
	uint32_t entry = nest_begin(&operators->nest, opening->place, opening->name,
				    opening->hidden);
	struct operator_open *open;
	struct place place;
	uint32_t row;

	if (entry == NEST_NONE)
		return;
	place = operators_place_of(operators, entry, opening);
	row = operators_row_for(operators, opening, place.number);
	if (entry >= operators->open_room)
		operators->open = memory_room(operators->open, entry, &operators->open_room,
					      sizeof(*operators->open));
	open = &operators->open[entry]; /* `kept` is not used yet, and large */
	open->row = row;
	open->deferred = 0;
	open->flops = 0;
	open->own = open->children = (struct operator_work){ 0 };
	open->hidden = opening->hidden;
	open->is_user = opening->scope == EVT_SCOPE_USER;
	open->caller = place.number;
	open->is_placed_by_forward = place.is_by_forward;
	open->has_kept = open->has_children = false;
	operators_cover(operators, row, opening->place);
}

void operators_end(struct operators *operators, struct nest_place place)
{
	operators->unmatched += !nest_end(&operators->nest, place);
}

void operators_cut_apart(struct operators *operators, const struct operator_opening *opening,
			 uint64_t end_ns, enum nest_ending how)
{
	uint32_t row = operators_row_for(operators, opening, opening->caller);

	if (row == OPERATOR_NONE)
		return;
	operators->row[row].open++;
	if (how == NEST_RUNS_ON)
		operators->row[row].calls++;
	else
		operators_add_apart(operators, opening, end_ns);
}

void operators_add_apart(struct operators *operators, const struct operator_opening *opening,
			 uint64_t end_ns)
{
	struct operator_call call = { .thread = opening->place.thread };

	call.row = operators_row_for(operators, opening, opening->caller);
	if (call.row == OPERATOR_NONE)
		return;
	if (end_ns > opening->place.time_ns)
		call.total.ns = end_ns - opening->place.time_ns;
	call.children = call.total;
	operators->row[call.row].apart++;
	operators_count(operators, &call);
}

void operators_end_named(struct operators *operators, struct nest_place place, uint32_t name,
			 bool elsewhere)
{
	operators->unmatched += !nest_end_named(&operators->nest, place, name, elsewhere);
}

void operators_describe(struct operators *operators, uint32_t thread, uint32_t shapes,
			uint64_t flops)
{
	uint32_t top = nest_top(&operators->nest, thread), row;
	struct operator_open *open;
	uint64_t began_ns;

	if (top == NEST_NONE)
		return;
	open = &operators->open[top];
	open->flops = flops;
	if (!operators->by_shapes || open->row == OPERATOR_NONE)
		return;
	row = operators_shaped_row(operators, open->row, shapes);
	began_ns = operators->nest.scope[top].start_ns;
	cover_end(&operators->cover, open->row + 1, cover_place(operators, thread), began_ns,
		  false);
	cover_begin(&operators->cover, row + 1, cover_place(operators, thread), began_ns);
	open->row = row;
}

void operators_note(struct operators *operators, uint32_t thread, const struct operator_work *work)
{
	const struct nest *nest = &operators->nest;
	uint32_t top = thread < nest->thread_room ? nest->thread[thread].top : NEST_NONE;

	if (top != NEST_NONE)
		work_add(&operators->open[top].own, work);
}

static uint32_t *operators_deferred_of_open(void *owner, uint32_t scope)
{
	return &((struct operators *)owner)->open[scope].deferred;
}

uint32_t operators_place(struct operators *operators, uint32_t thread)
{
	uint32_t scope = deferred_scopes_of_thread(&operators->deferred, &operators->nest, thread,
						   operators_deferred_of_open);

	deferred_scopes_hold(&operators->deferred, scope);
	return scope;
}

bool operators_innermost_own(const struct operators *operators, uint32_t thread, uint32_t *ret_name)
{
	uint32_t at = nest_innermost(&operators->nest, thread);

	while (at != NEST_NONE && operators->open[at].is_user)
		at = nest_outer(&operators->nest, at);
	if (at == NEST_NONE)
		return false;
	*ret_name = (uint32_t)operators->nest.scope[at].key;
	return true;
}

bool operators_innermost(const struct operators *operators, uint32_t thread, uint32_t *ret_name)
{
	uint32_t at = nest_innermost(&operators->nest, thread);

	if (at == NEST_NONE)
		return false;
	*ret_name = (uint32_t)operators->nest.scope[at].key;
	return true;
}
