/* SPDX-License-Identifier: MIT */
/* Rules about memory: allocators that do not settle, copies, what grows, what ran out. */
#include <stdio.h>
#include <string.h>

#include "report/advice/bottleneck.h"
#include "report/advice/growth_place.h"
#include "report/base/units.h"

#define FRAGMENTS_MATTER (1ull << 30)
#define GROWTH_WINDOWS 8u
#define GROWTH_STEPS_MIN 16u
/* rises between windows that are needed: one may be missing */
#define GROWTH_RISES_MIN (GROWTH_WINDOWS - 2)
#define TENSOR_GROWTH_MIN (64u << 10) /* in all */
#define HEAP_GROWTH_MIN (1u << 20)
#define ARENA_GROWTH_MIN (4u << 20) /* they come by the MiB */

bool advice_device_allocations(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct evidence_work *work = &bottleneck->loop.work;
	char time[UNIT_TEXT_BYTES];

	if (!work->settled_steps ||
	    !advice_exceeds(advice, (double)work->device_allocs / (double)work->settled_steps))
		return false;
	advice->gain_ns = work->device_alloc_ns;
	advice_say(
		advice,
		"cudaMalloc and cudaFree are called %.1f times a step after the first %u steps, %s "
		"a step.",
		advice->value, EVIDENCE_SETTLED,
		unit_format_ns(time, work->device_alloc_ns / work->settled_steps));
	if (!bottleneck->operator_calls)
		advice->todo =
			"Allocate memory of the device once, before the loop, or take it from "
			"a pool: cudaMallocAsync().";
	return true;
}

/* By CUPTI's kinds of memory, not by what is known of pinned memory. */
static bool look_at_told_copies(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct gpu_evidence_work *work = &bottleneck->gpu->work;
	uint64_t steps = bottleneck->gpu->steps;
	char bytes[UNIT_TEXT_BYTES], time[UNIT_TEXT_BYTES];

	if (!advice_exceeds(advice, (double)work->pageable_bytes / (double)steps))
		return false;
	advice->gain_ns = work->pageable_ns;
	advice_say(advice,
		   "%.0f %% of the asynchronous copies to and from the device are of memory that "
		   "is not "
		   "pinned, and so the host waits for them: %s and %s a step.",
		   100.0 * (double)work->pageable / (double)work->copies,
		   unit_format_bytes(bytes, work->pageable_bytes / steps),
		   unit_format_ns(time, work->pageable_ns / steps));
	return true;
}

bool advice_pageable_copies(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct evidence_work *work = &bottleneck->loop.work;
	uint64_t steps = bottleneck->loop.steps;
	char bytes[UNIT_TEXT_BYTES], time[UNIT_TEXT_BYTES];

	if (bottleneck->steps->has_sums)
		return advice_summed_pageable(bottleneck, advice);
	if (bottleneck->gpu->work.copies)
		return look_at_told_copies(bottleneck, advice);
	/* memory that was pinned before recording is not known */
	if (!steps || bottleneck->limited || 2 * work->pageable_copies < work->copies_to_device ||
	    !advice_exceeds(advice, (double)work->pageable_bytes / (double)steps))
		return false;
	advice->gain_ns = work->pageable_ns;
	advice_say(
		advice,
		"%.0f %% of the copies to the device are from memory that is not pinned: %s and %s "
		"a step.",
		100.0 * (double)work->pageable_copies / (double)work->copies_to_device,
		unit_format_bytes(bytes, work->pageable_bytes / steps),
		unit_format_ns(time, work->pageable_ns / steps));
	return true;
}

bool advice_small_copies(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct evidence_work *work = &bottleneck->loop.work;
	uint64_t steps = bottleneck->loop.steps;
	char bytes[UNIT_TEXT_BYTES], time[UNIT_TEXT_BYTES];

	if (bottleneck->steps->has_sums)
		return advice_summed_small(bottleneck, advice);
	advice->gain_ns = work->copied_ns;
	if (!steps || bottleneck->limited || work->copies_to_device < COPIES_MANY * steps ||
	    work->copied_bytes > COPY_SMALL_BYTES * work->copies_to_device ||
	    !advice_exceeds(advice, bottleneck_share(bottleneck, work->copied_ns)))
		return false;
	advice_say(advice,
		   "%.1f copies to the device a step, of %s each on average: the calls take "
		   "%.1f %% of the steps' time, %s a step.",
		   (double)work->copies_to_device / (double)steps,
		   unit_format_bytes(bytes, work->copied_bytes / work->copies_to_device),
		   advice->value, unit_format_ns(time, work->copied_ns / steps));
	return true;
}

/* --- growth --- */

struct rise {
	uint64_t first, last; /* bytes of the first and of the last window */
	uint64_t steps;       /* between them */
	unsigned int rises;
};

enum growth_of { GROWTH_OF_TENSORS, GROWTH_OF_HEAP, GROWTH_OF_ARENAS };

static uint64_t sample_of(const struct evidence_sample *sample, enum growth_of what)
{
	switch (what) {
	case GROWTH_OF_TENSORS:
		return sample->tensor_bytes;
	case GROWTH_OF_HEAP:
		return sample->heap_bytes;
	default:
		return sample->arena_bytes;
	}
}

/*
 * Compares the minimum of each window, after the warm-up: memory that stays makes nearly all of
 * them rise.
 */
static bool rise_look(const struct bottleneck *bottleneck, enum growth_of what, struct rise *growth)
{
	const struct evidence_process *process = evidence_longest(bottleneck->evidence);
	size_t from, width;
	uint64_t before = 0;

	*growth = (struct rise){ 0 };
	if (!process || bottleneck->limited || run_detail(bottleneck->run)->until_ns ||
	    detail_is_of_captures(run_detail(bottleneck->run)))
		return false;
	from = process->sample_count / 10 + EVIDENCE_SETTLED;
	if (process->sample_count < from + GROWTH_STEPS_MIN)
		return false;
	width = (process->sample_count - from) / GROWTH_WINDOWS;
	for (unsigned int i = 0; i < GROWTH_WINDOWS; i++) {
		uint64_t least = UINT64_MAX;

		for (size_t s = from + i * width; s < from + (i + 1) * width; s++)
			if (sample_of(&process->sample[s], what) < least)
				least = sample_of(&process->sample[s], what);
		growth->first = i ? growth->first : least;
		growth->rises += i && least > before;
		before = growth->last = least;
	}
	growth->steps = (uint64_t)width * (GROWTH_WINDOWS - 1);
	return growth->rises >= GROWTH_RISES_MIN && growth->last > growth->first;
}

static bool rise_say(struct advice *advice, const struct rise *growth, const char *what)
{
	char a[UNIT_TEXT_BYTES], b[UNIT_TEXT_BYTES], c[UNIT_TEXT_BYTES];

	if (!advice_exceeds(advice, (double)(growth->last - growth->first) / (double)growth->steps))
		return false;
	advice_say(advice,
		   "%s grows by %s a step: from %s to %s over %llu steps, measured at the end of "
		   "each.",
		   what, unit_format_bytes(a, (uint64_t)advice->value),
		   unit_format_bytes(b, growth->first), unit_format_bytes(c, growth->last),
		   (unsigned long long)growth->steps);
	return true;
}

#define HOLDS_TENSORS                                                                             \
	"Look at who holds what that line makes. Usual reasons: losses kept without detach() or " \
	"item(), outputs in lists, hooks that hold on to graphs."
#define HOLDS_BLOCKS "Look at who holds what is allocated there, and free it or let it go."

/* Sets the command that shows the places and how much each of them grows. */
static void command_set(struct advice *advice, const char *command)
{
	snprintf(advice->command, sizeof(advice->command), "%s", command);
}

bool advice_tensor_growth(const struct bottleneck *bottleneck, struct advice *advice)
{
	struct rise growth;

	if (!rise_look(bottleneck, GROWTH_OF_TENSORS, &growth) ||
	    growth.last - growth.first < TENSOR_GROWTH_MIN ||
	    !rise_say(advice, &growth, "the memory of live tensors"))
		return false;
	if (growth_place_say(bottleneck, bottleneck->tensor_growth, false, advice).is_found) {
		advice->todo = HOLDS_TENSORS;
		command_set(advice, "tensors --by line --sort live_bytes");
	}
	return true;
}

/* CPU tensors are on the heap: growth that they explain is said of them. */
static bool heap_rises(const struct bottleneck *bottleneck, struct rise *ret_growth)
{
	struct rise tensors;
	bool rises = rise_look(bottleneck, GROWTH_OF_HEAP, ret_growth);

	if (rise_look(bottleneck, GROWTH_OF_TENSORS, &tensors) &&
	    2 * (tensors.last - tensors.first) >= ret_growth->last - ret_growth->first)
		return false;
	return rises && ret_growth->last - ret_growth->first >= HEAP_GROWTH_MIN;
}

/* Of the heap's growth, what is a graph of autograd's, and what is anything else. */
static bool heap_growth_say(const struct bottleneck *bottleneck, bool of_graph,
			    struct advice *advice)
{
	struct growth_place found;
	struct rise growth;

	if (!heap_rises(bottleneck, &growth) ||
	    !rise_say(advice, &growth, "the memory of live heap blocks"))
		return false;
	found = growth_place_say(bottleneck, bottleneck->heap_growth, false, advice);
	if (found.is_found)
		command_set(advice, "leaks --by line --sort growth");
	if (found.is_found && !of_graph)
		advice->todo = HOLDS_BLOCKS;
	return found.is_autograd == of_graph;
}

/*
 * The blocks are nodes of the graph and not what the nodes hold, which is tensors. A backward pass
 * frees those and leaves the nodes.
 */
bool advice_graph_growth(const struct bottleneck *bottleneck, struct advice *advice)
{
	return heap_growth_say(bottleneck, true, advice);
}

bool advice_heap_growth(const struct bottleneck *bottleneck, struct advice *advice)
{
	return heap_growth_say(bottleneck, false, advice);
}

/*
 * Without steps there is no rate. Growth is judged from allocation to allocation, as in report
 * leaks: of blocks of the heap, else of objects of Python where each was recorded. Arenas alone do
 * not tell, because they are only asked for while memory grows. Of servers, memory_growth says it.
 */
bool advice_leak(const struct bottleneck *bottleneck, struct advice *advice)
{
	struct growth_place found;

	if (bottleneck->steps->time.count || bottleneck->serving.is_server)
		return false;
	found = growth_place_say_kept(bottleneck, bottleneck->heap_growth, advice);
	if (!found.is_found) {
		found = growth_place_say_kept(bottleneck, bottleneck->object_growth, advice);
		if (found.is_found)
			command_set(advice, "leaks --allocator python --by line");
	}
	return advice_exceeds(advice, (double)found.bytes);
}

/*
 * Small Python objects are no blocks of the heap. They are judged one by one if they were recorded,
 * else by their arenas.
 */
bool advice_python_memory_growth(const struct bottleneck *bottleneck, struct advice *advice)
{
	struct rise growth;

	if (!rise_look(bottleneck, GROWTH_OF_ARENAS, &growth) ||
	    growth.last - growth.first < ARENA_GROWTH_MIN ||
	    !rise_say(advice, &growth, "the memory that Python holds for small objects (arenas)"))
		return false;
	if (growth_place_say(bottleneck, bottleneck->object_growth, false, advice).is_found) {
		advice->todo = HOLDS_BLOCKS;
		command_set(advice, "leaks --allocator python --by line --sort growth");
	} else {
		(void)growth_place_say(bottleneck, bottleneck->arena_growth, true, advice);
	}
	return true;
}

/* --- what failed --- */

bool advice_out_of_memory(const struct bottleneck *bottleneck, struct advice *advice)
{
	uint64_t ooms = bottleneck->tensors->ooms;

	if (!advice_exceeds(advice, (double)ooms))
		return false;
	advice_say(advice, "an allocator of torch could not get memory, %llu time%s.",
		   (unsigned long long)ooms, ooms == 1 ? "" : "s");
	return true;
}

bool advice_fragmentation(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct tensors *tensors = bottleneck->tensors;
	char lost[UNIT_TEXT_BYTES], reserved[UNIT_TEXT_BYTES], largest[UNIT_TEXT_BYTES];
	const struct fragments_peak *worst = NULL;

	for (size_t i = 0; i < tensors->device_count; i++) {
		const struct fragments_peak *peak = fragments_of(bottleneck->fragments,
								 tensors->device[i].device);

		if (peak && (!worst || fragments_lost_bytes(peak) > fragments_lost_bytes(worst)))
			worst = peak;
	}
	if (!worst || !advice_exceeds(advice, 100.0 * (double)fragments_lost_bytes(worst) /
						      (double)worst->reserved))
		return false;
	/* where memory is not short, pieces cost nothing but themselves */
	if (!tensors->ooms && fragments_lost_bytes(worst) < FRAGMENTS_MATTER)
		advice->severity = ADVICE_NOTE;
	advice_say(advice,
		   "of the %s that PyTorch had reserved on the GPU at its peak, it asked for %s "
		   "although as much was free, in smaller pieces: at most %s.",
		   unit_format_bytes(reserved, worst->reserved),
		   unit_format_bytes(lost, fragments_lost_bytes(worst)),
		   unit_format_bytes(largest, worst->largest_bytes));
	return true;
}

bool advice_cuda_errors(const struct bottleneck *bottleneck, struct advice *advice)
{
	char errors[UNIT_TEXT_BYTES];

	if (!advice_exceeds(advice, (double)bottleneck->cuda_errors))
		return false;
	advice_say(advice, "%s CUDA call%s failed.",
		   unit_format_count(errors, bottleneck->cuda_errors),
		   bottleneck->cuda_errors == 1 ? "" : "s");
	return true;
}

bool advice_page_faults(const struct bottleneck *bottleneck, struct advice *advice)
{
	struct source_process *const *process;
	size_t count = source_processes(bottleneck->source, &process);
	char faults[UNIT_TEXT_BYTES];
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += process[i]->major_faults;
	if (!advice_exceeds(advice, (double)sum))
		return false;
	advice_say(advice, "%s page faults had to read a disk.", unit_format_count(faults, sum));
	return true;
}
