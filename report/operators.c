/* SPDX-License-Identifier: MIT */
/* PyTorch's operators as they nest: see operators.h. Every event takes constant time, or
 * LOOKS_MAX looks. */
#include "report/operators.h"

#include <stdlib.h>

#include "report/memory.h"

#define LOOKS_MAX 1024u /* for the one of a name that ends: operators and threads */

/* A call that is over, before it is counted. */
struct operator_call {
	uint32_t row; /* OPERATOR_NONE: it does not count */
	uint32_t thread;
	uint64_t flops;
	struct operator_work total, children;
	bool open; /* not ended by the program */
};

/* One open operator; in a list per thread, from the innermost outwards. */
struct operator_open {
	uint64_t start_ns;
	uint32_t below;  /* the one it was begun in */
	uint32_t parent; /* of these the innermost that is not hidden */
	uint32_t row, name;
	uint64_t flops;
	struct operator_work own, children;
	struct operator_call kept; /* the only child so far, of the same name */
	bool hidden, has_kept, has_children;
};

struct operator_name_end {
	uint32_t name;
	uint64_t time_ns;
};

struct operator_thread {
	uint32_t top; /* innermost open one, OPERATOR_NONE */
	uint32_t depth;
	uint64_t beyond; /* open ones deeper than OPERATOR_DEPTH_MAX */
	uint32_t process;
};

void operators_init(struct operators *operators, bool by_shapes)
{
	*operators = (struct operators){ .by_shapes = by_shapes, .unused = OPERATOR_NONE };
	map_init(&operators->rows);
	map_init(&operators->shaped_rows);
	map_init(&operators->row_threads);
}

void operators_release(struct operators *operators)
{
	for (size_t i = 0; i < operators->row_count; i++)
		timing_release(&operators->row[i].time);
	free(operators->row);
	free(operators->open);
	free(operators->thread);
	map_release(&operators->rows);
	map_release(&operators->shaped_rows);
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

static void operators_count_thread(struct operators *operators, uint32_t row, uint32_t thread)
{
	bool added;

	operators->row[row].last_thread = thread;
	map_put(&operators->row_threads, (uint64_t)(row + 1) << 32 | thread, &added);
	operators->row[row].threads += added;
}

static void operators_count(struct operators *operators, const struct operator_call *call)
{
	struct operator_work self = call->total;
	struct operator_row *row;

	if (call->row == OPERATOR_NONE)
		return;
	row = &operators->row[call->row];
	row->calls++;
	row->open += call->open;
	row->flops += call->flops;
	timing_add(&row->time, call->total.ns);
	work_take(&self, &call->children);
	if (call->children.ns > call->total.ns) /* only where the file's times go backwards */
		self.ns = 0;
	work_add(&row->total, &call->total);
	work_add(&row->self, &self);
	if (row->last_thread != call->thread)
		operators_count_thread(operators, call->row, call->thread);
}

void operator_row_move(struct operator_row *into, struct operator_row *from)
{
	into->calls += from->calls;
	into->open += from->open;
	into->flops += from->flops;
	into->threads = from->threads > into->threads ? from->threads : into->threads;
	timing_merge(&into->time, &from->time);
	work_add(&into->total, &from->total);
	work_add(&into->self, &from->self);
	timing_release(&from->time);
	from->calls = 0;
}

/* --- open operators --- */

static uint32_t operators_take_open(struct operators *operators)
{
	uint32_t entry = operators->unused;

	if (entry != OPERATOR_NONE) {
		operators->unused = operators->open[entry].below;
		return entry;
	}
	operators->open = memory_room(operators->open, operators->open_count, &operators->open_room,
				      sizeof(*operators->open));
	return (uint32_t)operators->open_count++;
}

static void operators_give_open(struct operators *operators, uint32_t entry)
{
	operators->open[entry].below = operators->unused;
	operators->unused = entry;
}

/* A call that is an only child of its parent's name waits for the parent's end. */
static void operators_pass_up(struct operators *operators, uint32_t parent_entry, uint32_t name,
			      const struct operator_call *call)
{
	struct operator_open *parent;

	if (parent_entry == OPERATOR_NONE) {
		operators_count(operators, call);
		return;
	}
	parent = &operators->open[parent_entry];
	work_add(&parent->children, &call->total);
	if (!parent->has_children && parent->name == name) {
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

enum operator_ending { ENDS, ENDS_CUT, RUNS_ON };

/* One that runs on adds no time and folds nothing. */
static void operators_leave_running(struct operators *operators, const struct operator_open *open)
{
	if (open->has_kept)
		operators_count(operators, &open->kept);
	if (open->row == OPERATOR_NONE)
		return;
	operators->row[open->row].calls++;
	operators->row[open->row].open++;
}

/* It is no longer in its thread's list. */
static void operators_close_entry(struct operators *operators, uint32_t thread, uint32_t entry,
				  uint64_t time_ns, enum operator_ending how)
{
	const struct operator_open *open = &operators->open[entry];
	struct operator_call call;

	if (open->hidden && open->parent != OPERATOR_NONE)
		work_add(&operators->open[open->parent].own, &open->own);
	if (!open->hidden && how == RUNS_ON)
		operators_leave_running(operators, open);
	if (!open->hidden && how != RUNS_ON) {
		call.row = open->row;
		call.thread = thread;
		call.flops = open->flops;
		call.open = how == ENDS_CUT;
		call.total = open->own;
		work_add(&call.total, &open->children);
		call.total.ns = time_ns > open->start_ns ? time_ns - open->start_ns : 0;
		call.children = open->has_kept ? open->kept.children : open->children;
		operators_pass_up(operators, open->parent, open->name, &call);
	}
	operators_give_open(operators, entry);
}

static void operators_close(struct operators *operators, uint32_t thread, uint64_t time_ns,
			    enum operator_ending how)
{
	struct operator_thread *owner = &operators->thread[thread];
	uint32_t entry = owner->top;

	owner->top = operators->open[entry].below;
	owner->depth--;
	operators_close_entry(operators, thread, entry, time_ns, how);
}

static void operators_close_all(struct operators *operators, uint32_t thread, uint64_t time_ns,
				enum operator_ending how)
{
	operators->thread[thread].beyond = 0;
	while (operators->thread[thread].top != OPERATOR_NONE)
		operators_close(operators, thread, time_ns, how);
}

static struct operator_thread *operators_add_thread(struct operators *operators,
						    struct operator_place place)
{
	size_t before = operators->thread_room;

	operators->thread = memory_room(operators->thread, place.thread, &operators->thread_room,
					sizeof(*operators->thread));
	for (size_t i = before; i < operators->thread_room; i++)
		operators->thread[i].top = OPERATOR_NONE;
	return &operators->thread[place.thread];
}

static inline struct operator_thread *operators_follow(struct operators *operators,
						       struct operator_place place)
{
	if (place.thread < operators->thread_room)
		return &operators->thread[place.thread];
	return operators_add_thread(operators, place);
}

/* Cuts are few: all threads are looked at. */
void operators_cut(struct operators *operators, uint32_t process, uint64_t time_ns)
{
	for (uint32_t i = 0; i < operators->thread_room; i++)
		if (operators->thread[i].top != OPERATOR_NONE &&
		    operators->thread[i].process == process)
			operators_close_all(operators, i, time_ns, ENDS_CUT);
}

void operators_cut_thread(struct operators *operators, struct operator_place place,
			  uint64_t time_ns)
{
	operators_follow(operators, place);
	operators_close_all(operators, place.thread, time_ns, ENDS_CUT);
}

void operators_begin(struct operators *operators, const struct operator_opening *opening)
{
	struct operator_thread *thread = operators_follow(operators, opening->place);
	uint32_t entry, below = thread->top, parent = below, row = OPERATOR_NONE;
	struct operator_open *open;

	if (thread->depth >= OPERATOR_DEPTH_MAX) {
		thread->beyond++;
		return;
	}
	if (below != OPERATOR_NONE && operators->open[below].hidden)
		parent = operators->open[below].parent;
	if (opening->counts && !opening->hidden)
		row = operators_row_of(operators, opening->name, opening->scope);
	entry = operators_take_open(operators);
	open = &operators->open[entry]; /* `kept` is nothing yet, and large */
	open->start_ns = opening->time_ns;
	open->below = below;
	open->parent = parent;
	open->row = row;
	open->name = opening->name;
	open->flops = 0;
	open->own = open->children = (struct operator_work){ 0 };
	open->hidden = opening->hidden;
	open->has_kept = open->has_children = false;
	thread->top = entry;
	thread->process = opening->place.process;
	thread->depth++;
}

void operators_end(struct operators *operators, struct operator_place place, uint64_t time_ns)
{
	struct operator_thread *thread = operators_follow(operators, place);

	if (thread->beyond)
		thread->beyond--;
	else if (thread->top != OPERATOR_NONE)
		operators_close(operators, place.thread, time_ns, ENDS);
	else
		operators->unmatched++;
}

void operators_add_apart(struct operators *operators, const struct operator_opening *opening,
			 uint64_t end_ns)
{
	struct operator_call call = { .thread = opening->place.thread };

	if (!opening->counts || opening->hidden)
		return;
	call.row = operators_row_of(operators, opening->name, opening->scope);
	if (end_ns > opening->time_ns)
		call.total.ns = end_ns - opening->time_ns;
	call.children = call.total;
	operators_count(operators, &call);
}

/* One of the thread that need not be the innermost one: those inside are in what it was in. */
static void operators_take_out(struct operators *operators, uint32_t thread, uint32_t entry)
{
	struct operator_thread *owner = &operators->thread[thread];
	const struct operator_open *open = &operators->open[entry];
	uint32_t *link = &owner->top;

	while (*link != entry) {
		struct operator_open *inside = &operators->open[*link];

		if (inside->parent == entry)
			inside->parent = open->parent;
		link = &inside->below;
	}
	*link = open->below;
	owner->depth--;
}

static bool operators_end_on(struct operators *operators, uint32_t thread,
			     const struct operator_name_end *end, unsigned int *looks)
{
	uint32_t at = operators->thread[thread].top;

	for (; at != OPERATOR_NONE && *looks; at = operators->open[at].below) {
		--*looks;
		if (operators->open[at].hidden || operators->open[at].name != end->name)
			continue;
		operators_take_out(operators, thread, at);
		operators_close_entry(operators, thread, at, end->time_ns, ENDS);
		return true;
	}
	return false;
}

void operators_end_named(struct operators *operators, struct operator_place place, uint32_t name,
			 bool elsewhere, uint64_t time_ns)
{
	struct operator_thread *thread = operators_follow(operators, place);
	const struct operator_name_end end = { name, time_ns };
	unsigned int looks = LOOKS_MAX;
	bool ended = false;

	if (!elsewhere && thread->beyond) {
		thread->beyond--;
		return;
	}
	if (!elsewhere)
		ended = operators_end_on(operators, place.thread, &end, &looks);
	for (uint32_t i = 0; elsewhere && !ended && looks && i < operators->thread_room; i++) {
		looks--;
		if (i != place.thread && operators->thread[i].top != OPERATOR_NONE &&
		    operators->thread[i].process == place.process)
			ended = operators_end_on(operators, i, &end, &looks);
	}
	operators->unmatched += !ended;
}

void operators_describe(struct operators *operators, struct operator_place place, uint32_t shapes,
			uint64_t flops)
{
	struct operator_thread *thread = operators_follow(operators, place);
	struct operator_open *open;

	if (thread->beyond || thread->top == OPERATOR_NONE)
		return;
	open = &operators->open[thread->top];
	open->flops = flops;
	if (operators->by_shapes && open->row != OPERATOR_NONE)
		open->row = operators_shaped_row(operators, open->row, shapes);
}

void operators_note(struct operators *operators, struct operator_place place,
		    const struct operator_work *work)
{
	struct operator_thread *thread = operators_follow(operators, place);

	if (thread->top != OPERATOR_NONE)
		work_add(&operators->open[thread->top].own, work);
}

bool operators_innermost(struct operators *operators, struct operator_place place,
			 uint32_t *ret_name)
{
	uint32_t top = operators_follow(operators, place)->top;

	if (top != OPERATOR_NONE && operators->open[top].hidden)
		top = operators->open[top].parent;
	if (top == OPERATOR_NONE)
		return false;
	*ret_name = operators->open[top].name;
	return true;
}

unsigned int operators_chain(struct operators *operators, struct operator_place place,
			     uint32_t *ret_names, unsigned int room)
{
	uint32_t at = operators_follow(operators, place)->top;
	unsigned int count = 0;

	if (at != OPERATOR_NONE && operators->open[at].hidden)
		at = operators->open[at].parent;
	for (; at != OPERATOR_NONE && count < room; at = operators->open[at].parent)
		ret_names[count++] = operators->open[at].name;
	return count;
}

void operators_finish_thread(struct operators *operators, struct operator_place place,
			     uint64_t time_ns, bool ended)
{
	operators_follow(operators, place);
	operators_close_all(operators, place.thread, time_ns, ended ? ENDS_CUT : RUNS_ON);
}
