/* SPDX-License-Identifier: MIT */
/*
 * A callback for PyTorch's operators that does nothing: what torch itself takes for any; or one
 * that reads the time twice and does nothing with it: what any takes that measures. operators.py
 * and steps.py load this and say where at::addGlobalCallback() is.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#define SCOPES 10u /* at::RecordScope::NUM_SCOPES */

/* at::RecordFunctionCallback, passed by value */
struct callback {
	void *(*start)(void **ret_context, const void *function);
	void (*end)(const void *function, void *context);
	double probability;
	bool scopes[SCOPES];
	bool needs_inputs, needs_outputs, needs_ids;
};

uint64_t empty_callback_add(uint64_t (*add)(struct callback callback), int needs_inputs,
			    int reads_clock);

static volatile uint64_t ticks;

static void read_clock(void)
{
#if defined(__x86_64__)
	ticks = __builtin_ia32_rdtsc();
#else
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ticks = (uint64_t)now.tv_nsec;
#endif
}

/* unique_ptr<ObserverContext>: returned through a hidden pointer. */
static void *empty_start(void **ret_context, const void *function)
{
	(void)function;
	*ret_context = NULL;
	return ret_context;
}

static void empty_end(const void *function, void *context)
{
	(void)function;
	(void)context;
}

static void *clock_start(void **ret_context, const void *function)
{
	read_clock();
	return empty_start(ret_context, function);
}

static void clock_end(const void *function, void *context)
{
	read_clock();
	empty_end(function, context);
}

/* Returns the handle, which at::removeCallback() takes. */
uint64_t empty_callback_add(uint64_t (*add)(struct callback callback), int needs_inputs,
			    int reads_clock)
{
	struct callback callback = { .start = reads_clock ? clock_start : empty_start,
				     .end = reads_clock ? clock_end : empty_end,
				     .probability = 1,
				     .needs_inputs = needs_inputs };

	memset(callback.scopes, true, sizeof(callback.scopes));
	return add(callback);
}
