/* SPDX-License-Identifier: MIT */
/*
 * The heap is read as a source of stacks, because families know no other interface to each other.
 */
#include "report/samples/line_memory.h"

#include "report/samples/line_columns.h"
#include "report/samples/line_stacks.h"
#include "report/stacks/stack_source.h"

struct adding {
	const struct stacks *stacks;
	struct lines *lines;
	enum stack_value value;
	uint64_t weight;
	bool has_python;
	struct line_memory_share share;
};

bool line_memory_is_wanted(const struct options *options)
{
	static const char *const names[] = { "allocations", "allocated", "live_bytes", "peak_bytes",
					     NULL };

	return line_columns_are_wanted(options, names);
}

const void *line_memory_want(struct run *run)
{
	return stack_source_alloc.want(run);
}

static void memory_add(struct line_memory *memory, enum stack_value value, uint64_t weight)
{
	switch (value) {
	case STACK_CALLS:
		memory->allocations += weight;
		break;
	case STACK_LIVE:
		memory->live_bytes += weight;
		break;
	case STACK_PEAK:
		memory->peak_bytes += weight;
		break;
	default:
		memory->bytes_allocated += weight;
		break;
	}
}

/* Its innermost line allocated the memory itself. In a recursive function each line counts once. */
static void line_memory_take_line_of(void *context, struct line *line, bool is_innermost,
				     bool is_first)
{
	const struct adding *adding = context;

	if (is_innermost)
		memory_add(&line->memory, adding->value, adding->weight);
	if (is_first)
		memory_add(&line->total_memory, adding->value, adding->weight);
}

static void line_memory_take_use(void *context, const struct stack_use *use)
{
	struct adding *adding = context;

	bool is_known;

	adding->weight = use->weight;
	is_known = line_stack_put(adding->lines, adding->stacks, use, line_memory_take_line_of,
				  adding);
	if (adding->value != STACK_BYTES)
		return;
	adding->share.bytes += use->weight;
	adding->share.known_bytes += is_known ? use->weight : 0;
}

static void take_python(void *context, const struct stack_use *use)
{
	struct adding *adding = context;

	if (!adding->has_python)
		adding->has_python = line_stack_is_python(adding->lines, adding->stacks, use);
}

bool line_memory_add(const void *heap, struct source *source, struct lines *lines,
		     struct line_memory_share *ret_share)
{
	static const enum stack_value values[] = { STACK_CALLS, STACK_BYTES, STACK_LIVE,
						   STACK_PEAK };
	struct adding adding = { .stacks = source_stacks(source), .lines = lines };

	stack_source_alloc.put(heap, source, STACK_CALLS, take_python, &adding);
	for (size_t i = 0; adding.has_python && i < sizeof(values) / sizeof(values[0]); i++) {
		adding.value = values[i];
		stack_source_alloc.put(heap, source, values[i], line_memory_take_use, &adding);
	}
	*ret_share = adding.share;
	return adding.has_python;
}

void line_memory_join(struct line_memory *into, const struct line_memory *more)
{
	into->allocations += more->allocations;
	into->bytes_allocated += more->bytes_allocated;
	into->live_bytes += more->live_bytes;
	into->peak_bytes += more->peak_bytes;
}
