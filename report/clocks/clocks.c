/* SPDX-License-Identifier: MIT */
/*
 * See clocks.h. Calls are sorted by operation, process and time, so that the calls of a process are
 * a row of them. For each number, the latest entry and the earliest exit of each clock are found;
 * those of the first clock and another one give a lower and an upper bound.
 */
#include "report/clocks/clocks.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/core/clocks.h"

/* Times of the GPU are converted from its own clock; those of a host's threads are read. */
#define CLOCKS_SLACK_NS 2000u
#define CLOCKS_SLACK_GPU_NS 10000u

/* The calls of one operation by one process. */
struct clocks_calls {
	const struct collective_call *call;
	size_t count;
	uint32_t clock;
	bool is_open; /* one more has begun */
};

/* One operation. */
struct clocks_operation {
	struct clocks_calls *of; /* by process that called it */
	size_t processes, room;
	uint32_t name;
	uint64_t slack_ns;
};

/* What one call was by each clock. */
struct clocks_moment {
	uint64_t entered_ns, left_ns; /* the latest and the earliest; left_ns 0: nobody called it */
};

/* --- which operations --- */

static bool clocks_is_synchronous(enum collective_kind kind)
{
	return kind == COLLECTIVE_all_reduce || kind == COLLECTIVE_all_gather ||
	       kind == COLLECTIVE_reduce_scatter || kind == COLLECTIVE_barrier;
}

static bool clocks_takes_label(const struct source_name *name)
{
	struct collective_label label;

	return name->text && collective_label_of(name->text, name->length, &label) &&
	       collective_is_timed(&label) &&
	       clocks_is_synchronous(collective_kind_of(label.op, label.op_length));
}

/* ncclDevKernel_AllReduce_Sum_f32_RING_LL and the like. */
static bool clocks_takes_kernel(const struct source_name *name)
{
	return name->text && (strstr(name->text, "AllReduce") || strstr(name->text, "AllGather") ||
			      strstr(name->text, "ReduceScatter"));
}

/* --- one operation --- */

static bool clocks_has_open(const struct collectives *all, uint32_t name, uint32_t process)
{
	for (size_t i = 0; i < all->open_count; i++)
		if (all->open_call[i].name == name && all->open_call[i].process == process)
			return true;
	return false;
}

/* Returns how many calls belong together by their number; 0: that is not known. */
static size_t clocks_matched(const struct clocks_operation *operation)
{
	size_t least = SIZE_MAX, most = 0;

	for (size_t i = 0; i < operation->processes; i++) {
		size_t count = operation->of[i].count;

		least = count < least ? count : least;
		most = count > most ? count : most;
	}
	for (size_t i = 0; i < operation->processes; i++)
		if (operation->of[i].count + operation->of[i].is_open < most)
			return 0;
	return operation->processes > 1 && most - least <= 1 ? least : 0;
}

static void clocks_find_moment(const struct clocks_operation *operation, size_t number,
			       struct clocks_moment *moment, size_t clocks)
{
	memset(moment, 0, clocks * sizeof(*moment));
	for (size_t i = 0; i < operation->processes; i++) {
		const struct collective_call *call = &operation->of[i].call[number];
		struct clocks_moment *of = &moment[operation->of[i].clock];

		if (call->begin_ns > of->entered_ns)
			of->entered_ns = call->begin_ns;
		if (!of->left_ns || call->end_ns < of->left_ns)
			of->left_ns = call->end_ns;
	}
}

/* Of processes with one clock, that nobody left before the last had entered. */
static bool clocks_moment_is_one(const struct clocks_moment *moment, size_t clocks,
				 uint64_t slack_ns)
{
	for (size_t i = 0; i < clocks; i++)
		if (moment[i].left_ns && moment[i].entered_ns > moment[i].left_ns + slack_ns)
			return false;
	return true;
}

static void clock_bounds_add(struct clock_bounds *bounds, uint64_t time_ns, int64_t add_ns,
			     bool is_most)
{
	bounds->bound = memory_room(bounds->bound, bounds->count, &bounds->room,
				    sizeof(*bounds->bound));
	bounds->bound[bounds->count++] = (struct clock_bound){ (int64_t)time_ns, add_ns, is_most };
}

static void clocks_take_moment(struct clocks *clocks, const struct clocks_moment *moment,
			       size_t count, uint64_t slack_ns)
{
	int64_t slack = (int64_t)slack_ns;

	for (size_t i = 1; i < count && moment[0].left_ns; i++) {
		if (!moment[i].left_ns)
			continue;
		clock_bounds_add(&clocks->of[i], moment[i].left_ns,
				 (int64_t)(moment[0].entered_ns - moment[i].left_ns) - slack,
				 false);
		clock_bounds_add(&clocks->of[i], moment[i].entered_ns,
				 (int64_t)(moment[0].left_ns - moment[i].entered_ns) + slack, true);
	}
}

static void clocks_take_operation(struct clocks *clocks, const struct clocks_operation *operation)
{
	size_t count = source_clocks(clocks->source), matched = clocks_matched(operation);
	struct clocks_moment *moment = memory_zero(count, sizeof(*moment));
	bool is_one = true;

	for (size_t i = 0; i < matched && is_one; i++) {
		clocks_find_moment(operation, i, moment, count);
		is_one = clocks_moment_is_one(moment, count, operation->slack_ns);
	}
	for (size_t i = 0; i < matched && is_one; i++) {
		clocks_find_moment(operation, i, moment, count);
		clocks_take_moment(clocks, moment, count, operation->slack_ns);
	}
	clocks->refused += !is_one;
	free(moment);
}

/* --- all of them --- */

static void clocks_operation_add(struct clocks_operation *operation,
				 const struct collective_call *call, size_t count, uint32_t clock,
				 bool is_open)
{
	operation->of = memory_room(operation->of, operation->processes, &operation->room,
				    sizeof(*operation->of));
	operation->of[operation->processes++] = (struct clocks_calls){ call, count, clock,
								       is_open };
}

typedef bool clocks_takes(const struct source_name *name);

/* `call` is sorted by collectives_compare_calls(). */
static void clocks_take_calls(struct clocks *clocks, const struct collectives *all,
			      const struct collective_call *call, size_t count, clocks_takes *takes,
			      uint64_t slack_ns)
{
	struct clocks_operation operation = { .slack_ns = slack_ns };
	struct source_process *const *process;
	size_t from = 0;

	source_processes(clocks->source, &process);
	for (size_t i = 1; i <= count; i++) {
		bool is_last = i == count || call[i].name != call[from].name;
		uint32_t of = call[from].process;

		if (!is_last && call[i].process == of)
			continue;
		clocks_operation_add(&operation, call + from, i - from, process[of]->file->clock,
				     clocks_has_open(all, call[from].name, of));
		if (is_last) {
			if (takes(source_name_at(clocks->source, call[from].name)))
				clocks_take_operation(clocks, &operation);
			operation.processes = 0;
		}
		from = i;
	}
	free(operation.of);
}

static int clock_bounds_compare(const void *a, const void *b)
{
	const struct clock_bound *left = a, *right = b;

	return (left->time_ns > right->time_ns) - (left->time_ns < right->time_ns);
}

/* A copy, because others rely on the order of the calls. */
static struct collective_call *clocks_sorted(const struct collective_call *call, size_t count)
{
	struct collective_call *copy = memory_zero(count + 1, sizeof(*copy));

	if (count)
		memcpy(copy, call, count * sizeof(*copy));
	qsort(copy, count, sizeof(*copy), collectives_compare_calls);
	return copy;
}

/* Bounds from all operations, sorted by time. */
static void clocks_find_bounds(struct clocks *clocks, const struct source *source,
			       const struct collectives *collectives)
{
	struct collective_call *call = clocks_sorted(collectives->call, collectives->call_count);
	struct collective_call *kernel = clocks_sorted(collectives->kernel,
						       collectives->kernel_count);

	*clocks = (struct clocks){ .source = source };
	clocks->of = memory_zero(source_clocks(source) + 1, sizeof(*clocks->of));
	clocks_take_calls(clocks, collectives, call, collectives->call_count, clocks_takes_label,
			  CLOCKS_SLACK_NS);
	clocks_take_calls(clocks, collectives, kernel, collectives->kernel_count,
			  clocks_takes_kernel, CLOCKS_SLACK_GPU_NS);
	for (size_t i = 0; i < source_clocks(source); i++)
		if (clocks->of[i].count)
			qsort(clocks->of[i].bound, clocks->of[i].count,
			      sizeof(*clocks->of[i].bound), clock_bounds_compare);
	free(call);
	free(kernel);
}

static void clocks_free_bounds(struct clocks *clocks)
{
	for (size_t i = 0; i < source_clocks(clocks->source); i++)
		free(clocks->of[i].bound);
	free(clocks->of);
}

/* --- before any report --- */

static const void *clocks_start(struct run *run)
{
	return collectives_want(run, &(struct collectives_options){ .wants_kernels = true });
}

static void clocks_correct_all(const void *state, struct run *run, struct source *source)
{
	struct clocks clocks;

	clocks_find_bounds(&clocks, run_source(run), state);
	for (size_t i = 1; i < source_clocks(source); i++) {
		struct clock_fit fit;

		clock_fit_make(&fit, clocks.of[i].bound, clocks.of[i].count);
		if (fit.count)
			(void)source_correct_clock(source, i, fit.piece, fit.count);
		clock_fit_release(&fit);
	}
	clocks_free_bounds(&clocks);
}

const struct clock_kind clock_kind_collectives = { clocks_start, clocks_correct_all };
