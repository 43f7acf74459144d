/* SPDX-License-Identifier: MIT */
/* Names are compared once for each stack and frame: there are few distinct ones. */
#include "report/advice/native_works.h"

#include <string.h>

#define WORK_PART 0.5 /* of the function's time */
#define LOOKS_MIN 20u /* samples of the function; of fewer the work must have nearly all */
#define GUESS_MIN 5u  /* samples of the work; with fewer nothing is said */
#define GUESS_PART 0.8

static const struct native_work native_works[] = {
#define NATIVE_WORK(id, words, todo) { words, todo },
#include "report/advice/native_works.def"
};

static const struct {
	enum native_work_id work;
	const char *pattern;
} native_functions[] = {
#define NATIVE_FUNCTION(id, pattern) { NATIVE_WORK_##id, pattern },
#include "report/advice/native_works.def"
};

/* A mismatch goes back to the last * only: the time is at most the product of both lengths. */
static bool native_works_matches(const char *pattern, const char *text)
{
	const char *star = NULL, *after = NULL;

	while (*text) {
		if (*pattern == '*') {
			star = pattern++;
			after = text;
		} else if (*pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star + 1;
			text = ++after;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

/* Returns the name without what the C library puts before its own ones. */
static const char *c_name(const char *function)
{
	static const char *const before[] = { "GI_", "libc_" };

	function += strspn(function, "_");
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
		if (!strncmp(function, before[i], strlen(before[i])))
			function += strlen(before[i]);
	return function + strspn(function, "_");
}

static bool is_c_function(const char *function, const char *module, const char *wanted)
{
	const char *name = c_name(function), *slash = module ? strrchr(module, '/') : NULL;
	size_t length = strlen(wanted);

	if (strncmp(name, wanted, length) != 0)
		return false;
	name += length;
	if (!*name || !strcmp(name, "64"))
		return true;
	return *name == '_' && module && !strncmp(slash ? slash + 1 : module, "libc.", 5);
}

enum native_work_id native_work_of(const char *function, const char *module)
{
	for (size_t i = 0; i < sizeof(native_functions) / sizeof(native_functions[0]); i++) {
		const char *pattern = native_functions[i].pattern;

		if (strpbrk(pattern, "*<:") ? native_works_matches(pattern, function)
					    : is_c_function(function, module, pattern))
			return native_functions[i].work;
	}
	return NATIVE_WORKS;
}

/* Nothing that the frame does calls the kernel. */
static bool only_touches(const struct named_frame *frame)
{
	enum native_work_id work = NATIVE_WORKS;

	if (frame->is_own)
		return false;
	if (frame->function)
		work = native_work_of(frame->function, frame->module);
	return frame->is_users || work == NATIVE_WORK_MOVES || work == NATIVE_WORK_CLEARS ||
	       work == NATIVE_WORK_LENGTHS;
}

static void native_works_put(struct native_works *works, enum native_work_id work,
			     const struct native_counts *counts)
{
	if (work < NATIVE_WORKS)
		native_counts_add(&works->counts[work], counts);
}

void native_works_add(struct native_works *works, const struct named_stacks *names, uint32_t stack,
		      const struct native_counts *counts)
{
	uint32_t own = named_stack_users(names, stack);
	enum native_work_id most = NATIVE_WORKS;
	uint64_t function;

	native_counts_add(&works->all, counts);
	if (!own)
		return;
	for (uint32_t at = stack; at != own; at = named_parent(names, at)) {
		const struct named_frame *frame = named_frame_of(names, at);
		enum native_work_id work = NATIVE_WORKS;

		if (frame->function)
			work = native_work_of(frame->exact ? frame->exact : frame->name,
					      frame->module);
		most = work < most ? work : most;
	}
	function = named_function(named_frame_of(names, own));
	for (uint32_t at = own; at; at = named_parent(names, at))
		if (named_function(named_frame_of(names, at)) == function)
			works->depth += counts->samples;
	if (counts->kernel_ns * 2 > counts->cpu_ns && only_touches(named_frame_of(names, stack)))
		most = NATIVE_WORK_FAULTS;
	native_works_put(works, most, counts);
}

const struct native_work *native_works_most(const struct native_works *works,
					    struct native_counts *ret_counts)
{
	size_t most = 0;
	double part;

	for (size_t i = 1; i < NATIVE_WORKS; i++)
		if (works->counts[i].cpu_ns > works->counts[most].cpu_ns)
			most = i;
	*ret_counts = works->counts[most];
	part = works->all.cpu_ns ? (double)ret_counts->cpu_ns / (double)works->all.cpu_ns : 0;
	if (ret_counts->samples < GUESS_MIN ||
	    part < (works->all.samples < LOOKS_MIN ? GUESS_PART : WORK_PART))
		return NULL;
	return &native_works[most];
}

double native_works_depth(const struct native_works *works)
{
	return works->all.samples ? (double)works->depth / (double)works->all.samples : 0;
}
