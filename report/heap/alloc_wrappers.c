/* SPDX-License-Identifier: MIT */
/*
 * Works in rounds. Each allocation stands at its innermost function that is not yet known as a
 * wrapper. If a module's allocations stand at few functions, these become wrappers, and the next
 * round begins one frame further out.
 */
#include "report/heap/alloc_wrappers.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

#define WRAPPERS_MAX 4u /* functions that make nearly all of a module's allocations */
#define NEARLY_ALL 0.9
#define ALLOCATIONS_MIN 100u  /* allocations of a module; fewer prove nothing */
#define CALLERS_MIN 5u        /* callers per function, on average */
#define SIZES_MIN 3u          /* different average sizes among the callers */
#define OTHERS_CALLERS_MIN 3u /* callers of another function in a module that has wrappers */
#define OTHERS_SIZES_MIN 2u
#define ROUNDS_MAX 8u

struct function {
	uint64_t identity;
	size_t module;
	/* tentative: it is a wrapper if its caller turns out to be one */
	bool is_wrapper, is_tentative;
	/* counts of the round */
	uint64_t allocations, callers, sizes;
	uint64_t most;   /* allocations of its most frequent caller */
	uint32_t caller; /* that caller, a named stack */
};

struct call { /* calls of a function by one caller, in the round */
	size_t function;
	uint32_t caller; /* a named stack; NAMED_NONE: not known */
	uint64_t allocations, bytes;
};

struct wrappers {
	struct named_stacks *names;
	const struct heap *heap;
	/* by row of the heap: the frame where it stands; NAMED_NONE: not in the user's code */
	uint32_t *at;
	struct function *function;
	size_t function_count, function_room, module_count;
	struct map functions, modules; /* identity to index */
	struct call *call;
	size_t call_count, call_room;
	struct map calls, sizes;
	size_t *order; /* functions, by module and then by allocations */
};

static uint64_t hash_two(uint64_t one, uint64_t other)
{
	return map_hash_bytes((const uint64_t[]){ one, other }, 2 * sizeof(one), 0);
}

/* A function without a name is identified by its address, so each call site is one of its own. */
static uint64_t alloc_wrappers_identity_of(const struct named_frame *frame)
{
	return hash_two(named_function(frame), symbols_hash(frame->module ? frame->module : ""));
}

static uint64_t identity_at(const struct wrappers *w, uint32_t stack)
{
	return stack == NAMED_NONE ? 0
				   : alloc_wrappers_identity_of(named_frame_of(w->names, stack));
}

/*
 * Returns the innermost native frame of the user's code, from `stack` outwards; NAMED_NONE if there
 * is none or if Python comes before it.
 */
static uint32_t users_of(const struct wrappers *w, uint32_t stack)
{
	for (; stack != NAMED_NONE; stack = named_parent(w->names, stack)) {
		const struct named_frame *frame = named_frame_of(w->names, stack);

		if (frame->is_python)
			return NAMED_NONE;
		if (frame->is_users)
			return stack;
	}
	return NAMED_NONE;
}

/* Returns the function's caller. Recursive calls are skipped. */
static uint32_t caller_of_function(const struct wrappers *w, uint32_t stack)
{
	uint64_t identity = identity_at(w, stack);

	do
		stack = named_parent(w->names, stack);
	while (stack != NAMED_NONE && identity_at(w, stack) == identity);
	return stack;
}

static void init(struct wrappers *w, const struct heap *heap, struct source *source,
		 struct named_stacks *names)
{
	struct source_process *const *process;

	*w = (struct wrappers){ .names = names, .heap = heap };
	map_init(&w->functions);
	map_init(&w->modules);
	map_init(&w->calls);
	map_init(&w->sizes);
	w->at = memory_zero(heap->row_count + 1, sizeof(*w->at));
	source_processes(source, &process);
	for (size_t i = 0; i < heap->row_count; i++) {
		const struct heap_row *row = &heap->row[i];

		if (row->allocations && (uint32_t)row->key != STACK_NONE)
			w->at[i] = users_of(w, named_stack_of(names, process[row->process],
							      (uint32_t)row->key, row->last_ns));
	}
}

static void alloc_wrappers_release(struct wrappers *w)
{
	map_release(&w->functions);
	map_release(&w->modules);
	map_release(&w->calls);
	map_release(&w->sizes);
	free(w->at);
	free(w->function);
	free(w->call);
	free(w->order);
}

static size_t function_at(struct wrappers *w, uint32_t stack)
{
	const struct named_frame *frame = named_frame_of(w->names, stack);
	bool added, is_new;
	struct map_entry *entry = map_put(&w->functions, alloc_wrappers_identity_of(frame), &added),
			 *module;

	if (!added)
		return (size_t)entry->value;
	entry->value = w->function_count;
	module = map_put(&w->modules, symbols_hash(frame->module ? frame->module : ""), &is_new);
	if (is_new)
		module->value = w->module_count++;
	w->function = memory_room(w->function, w->function_count, &w->function_room,
				  sizeof(*w->function));
	w->function[w->function_count] = (struct function){ .identity = entry->key,
							    .module = (size_t)module->value };
	return w->function_count++;
}

/* The result is valid until another function is added. */
static const struct function *alloc_wrappers_function_of(struct wrappers *w, uint32_t stack)
{
	size_t number = function_at(w, stack);

	return &w->function[number];
}

/*
 * Returns where the row stands: outside of all wrappers, unless no frame of the user's is out
 * there.
 */
static uint32_t stand(struct wrappers *w, uint32_t stack)
{
	while (stack != NAMED_NONE && alloc_wrappers_function_of(w, stack)->is_wrapper)
		stack = users_of(w, named_parent(w->names, stack));
	return stack;
}

static void count_row(struct wrappers *w, uint32_t stack, const struct heap_row *row)
{
	size_t number = function_at(w, stack);
	uint32_t caller = caller_of_function(w, stack);
	uint64_t key = hash_two(w->function[number].identity, identity_at(w, caller));
	bool added;
	struct map_entry *entry = map_put(&w->calls, key, &added);

	if (added) {
		entry->value = w->call_count;
		w->call = memory_room(w->call, w->call_count, &w->call_room, sizeof(*w->call));
		w->call[w->call_count++] = (struct call){ number, caller, 0, 0 };
	}
	w->call[entry->value].allocations += row->allocations;
	w->call[entry->value].bytes += row->bytes_allocated;
	w->function[number].allocations += row->allocations;
}

static void count_call(struct wrappers *w, const struct call *call)
{
	struct function *function = &w->function[call->function];
	bool added;

	if (call->caller == NAMED_NONE)
		return;
	function->callers++;
	map_put(&w->sizes, hash_two(function->identity, call->bytes / call->allocations), &added);
	function->sizes += added;
	if (call->allocations > function->most) {
		function->most = call->allocations;
		function->caller = call->caller;
	}
}

static void count(struct wrappers *w)
{
	for (size_t i = 0; i < w->function_count; i++) {
		struct function *function = &w->function[i];

		function->allocations = function->callers = function->sizes = function->most = 0;
	}
	map_clear(&w->calls);
	map_clear(&w->sizes);
	w->call_count = 0;
	for (size_t i = 0; i < w->heap->row_count; i++) {
		w->at[i] = stand(w, w->at[i]);
		if (w->at[i] != NAMED_NONE)
			count_row(w, w->at[i], &w->heap->row[i]);
	}
	for (size_t i = 0; i < w->call_count; i++)
		count_call(w, &w->call[i]);
}

static int compare_functions(const void *left, const void *right, void *context)
{
	const struct wrappers *w = context;
	const struct function *a = &w->function[*(const size_t *)left],
			      *b = &w->function[*(const size_t *)right];

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	if (a->allocations != b->allocations)
		return a->allocations > b->allocations ? -1 : 1;
	return *(const size_t *)left < *(const size_t *)right ? -1 : 1;
}

/* Returns how many functions make nearly all allocations of the module; 0 if they are too many. */
static size_t few_of(const struct wrappers *w, const size_t *order, size_t functions)
{
	uint64_t all = 0, sum = 0;

	for (size_t i = 0; i < functions; i++)
		all += w->function[order[i]].allocations;
	if (all < ALLOCATIONS_MIN)
		return 0;
	for (size_t i = 0; i < functions && i < WRAPPERS_MAX; i++) {
		sum += w->function[order[i]].allocations;
		if ((double)sum >= NEARLY_ALL * (double)all)
			return i + 1;
	}
	return 0;
}

static bool are_wrappers(const struct wrappers *w, const size_t *order, size_t few)
{
	uint64_t callers = 0;

	for (size_t i = 0; i < few; i++) {
		callers += w->function[order[i]].callers;
		if (w->function[order[i]].sizes < SIZES_MIN)
			return false;
	}
	return callers >= CALLERS_MIN * few;
}

/* Marks the few functions, others of the same kind, and functions that only wrappers called. */
static void mark_wrappers(struct wrappers *w, const size_t *order, size_t functions, size_t few)
{
	for (size_t i = 0; i < functions; i++) {
		struct function *function = &w->function[order[i]];

		function->is_wrapper |= i < few || (function->callers >= OTHERS_CALLERS_MIN &&
						    function->sizes >= OTHERS_SIZES_MIN);
		function->is_tentative = false;
	}
}

/*
 * A function that is called from almost one place, in its own module, is a wrapper if its caller
 * is.
 */
static bool try_caller(struct wrappers *w, struct function *function)
{
	uint32_t caller = function->caller;
	size_t number, module;

	if (!function->most ||
	    (double)function->most < NEARLY_ALL * (double)function->allocations ||
	    !named_frame_of(w->names, caller)->is_users)
		return false;
	number = (size_t)(function - w->function); /* `function` is not valid below */
	module = alloc_wrappers_function_of(w, caller)->module;
	if (module != w->function[number].module)
		return false;
	w->function[number].is_wrapper = w->function[number].is_tentative = true;
	return true;
}

/* Returns whether another round may find more. */
static bool judge_module(struct wrappers *w, const size_t *order, size_t functions)
{
	size_t few = few_of(w, order, functions);
	bool found = false;

	if (few && are_wrappers(w, order, few)) {
		mark_wrappers(w, order, functions, few);
		return true;
	}
	for (size_t i = 0; i < few; i++)
		found |= try_caller(w, &w->function[order[i]]);
	return found;
}

static bool alloc_wrappers_judge(struct wrappers *w)
{
	size_t functions = w->function_count, begin = 0; /* the loop may add functions */
	bool found = false;

	free(w->order);
	w->order = memory_zero(functions + 1, sizeof(*w->order));
	for (size_t i = 0; i < functions; i++)
		w->order[i] = i;
	qsort_r(w->order, functions, sizeof(*w->order), compare_functions, w);
	for (size_t i = 1; i <= functions; i++) {
		if (i < functions &&
		    w->function[w->order[i]].module == w->function[w->order[begin]].module)
			continue;
		found |= judge_module(w, &w->order[begin], i - begin);
		begin = i;
	}
	return found;
}

static void mark_frames(const struct wrappers *w)
{
	for (size_t i = 1; i < w->names->frame_count; i++) {
		struct named_frame *frame = &w->names->frame[i];
		const struct map_entry *entry = frame->is_users
							? map_find(
								  &w->functions,
								  alloc_wrappers_identity_of(frame))
							: NULL;

		frame->is_wrapper = entry && w->function[entry->value].is_wrapper &&
				    !w->function[entry->value].is_tentative;
	}
}

void alloc_wrappers_mark(const struct heap *heap, struct source *source, struct named_stacks *names)
{
	struct wrappers w;

	if (!names->own || names->is_raw)
		return;
	init(&w, heap, source, names);
	for (unsigned int round = 0; round < ROUNDS_MAX; round++) {
		count(&w);
		if (!alloc_wrappers_judge(&w))
			break;
	}
	mark_frames(&w);
	alloc_wrappers_release(&w);
}
