/* SPDX-License-Identifier: MIT */
/* GPU work is deferred: its place is the stack of its call (deferred/deferred.h). */
#include "report/samples/line_gpu.h"

#include <stdlib.h>

#include "report/deferred/deferred.h"
#include "report/samples/line_columns.h"
#include "report/samples/line_stacks.h"
#include "report/stacks/stack_keys.h"

struct line_gpu_use {
	struct stack_keys *keys;
	struct line_gpu *by_stack; /* by key; 0: no stack */
	size_t room, count;
};

bool line_gpu_is_wanted(const struct options *options)
{
	static const char *const names[] = { "gpu_ns", "copies", "copied_bytes", NULL };

	return line_columns_are_wanted(options, names);
}

void line_gpu_join(struct line_gpu *into, const struct line_gpu *more)
{
	into->gpu_ns += more->gpu_ns;
	into->copies += more->copies;
	into->copied_bytes += more->copied_bytes;
}

static void use_add(struct line_gpu_use *gpu, uint64_t key, const struct line_gpu *more)
{
	gpu->by_stack = memory_room(gpu->by_stack, key, &gpu->room, sizeof(*gpu->by_stack));
	line_gpu_join(&gpu->by_stack[key], more);
	if (key >= gpu->count)
		gpu->count = key + 1;
}

/* --- while the source is read --- */

static uint64_t line_gpu_place_of(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	return stack_keys_of(((struct line_gpu_use *)state)->keys, event);
}

static void line_gpu_take_work(void *state, uint64_t place, const struct deferred_work *work)
{
	if (work->is_on_device)
		use_add(state, place, &(struct line_gpu){ .gpu_ns = work->duration_ns });
}

/* The direction of a copy by addresses is not known. */
static bool is_between(uint64_t kind)
{
	return kind == EVT_CUDA_COPY_HTOD || kind == EVT_CUDA_COPY_DTOH ||
	       kind == EVT_CUDA_COPY_DEFAULT;
}

static void line_gpu_take_copy(void *state, const struct source_event *event, bool counts)
{
	const struct evt_cuda_copy *copy = EVENT_AS(cuda_copy, &event->event);
	struct line_gpu_use *gpu = state;

	if (counts && !copy->result && !(copy->flags & EVT_CUDA_NESTED) && is_between(copy->kind))
		use_add(gpu, stack_keys_of(gpu->keys, event),
			&(struct line_gpu){ .copies = 1, .copied_bytes = copy->bytes });
}

static void line_gpu_start(void *state, struct run *run, const void *options)
{
	static const struct deferred_listener listener = { .place = line_gpu_place_of,
							   .take = line_gpu_take_work };
	struct line_gpu_use *gpu = state;

	(void)options;
	gpu->keys = stack_keys_want(run, STACK_BY_STACK);
	deferred_listen(deferred_want(run), &listener, gpu);
	run_reads(run, EVT_cuda_copy,
		  FIELD_BIT(cuda_copy, result) | FIELD_BIT(cuda_copy, flags) |
			  FIELD_BIT(cuda_copy, kind) | FIELD_BIT(cuda_copy, bytes),
		  line_gpu_take_copy, gpu);
}

static void line_gpu_release(void *state)
{
	free(((struct line_gpu_use *)state)->by_stack);
}

const struct analysis_kind analysis_line_gpu = {
	.name = "GPU by line",
	.state_bytes = sizeof(struct line_gpu_use),
	.start = line_gpu_start,
	.release = line_gpu_release,
};

/* --- after the reading --- */

bool line_gpu_has_work(const struct line_gpu_use *gpu)
{
	return gpu->count > 0;
}

static void line_gpu_take_line_of(void *context, struct line *line, bool is_innermost,
				  bool is_first)
{
	if (is_innermost)
		line_gpu_join(&line->gpu, context);
	if (is_first)
		line_gpu_join(&line->total_gpu, context);
}

/* A key without a stack has a use without one. */
static struct stack_use use_of(const struct line_gpu_use *gpu, size_t key)
{
	return key ? *stack_keys_use(gpu->keys, key) : (struct stack_use){ .stack = STACK_NONE };
}

bool line_gpu_add(const struct line_gpu_use *gpu, struct source *source, struct lines *lines)
{
	const struct stacks *stacks = source_stacks(source);
	bool has_python = false;

	for (size_t i = 0; i < gpu->count && !has_python; i++) {
		struct stack_use use = use_of(gpu, i);

		has_python = line_stack_is_python(lines, stacks, &use);
	}
	for (size_t i = 0; has_python && i < gpu->count; i++) {
		struct stack_use use = use_of(gpu, i);
		struct line_gpu *done = &gpu->by_stack[i];

		if (done->gpu_ns || done->copies)
			line_stack_put(lines, stacks, &use, line_gpu_take_line_of, done);
	}
	return has_python;
}
