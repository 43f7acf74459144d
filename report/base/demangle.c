/* SPDX-License-Identifier: MIT */
/*
 * Through libiberty, in the form that hands out its text piece by piece and allocates nothing: so it can
 * be left in the middle when a name grows beyond its bound.
 */
#include "report/base/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>
#include <sys/resource.h>

#define INPUT_PLAIN 1024u     /* libiberty demangles no longer one while it limits its recursion */
#define STACK_MIN (8ul << 20) /* a name of DEMANGLE_INPUT_MAX takes less than half of it */

struct demangling {
	char input[DEMANGLE_INPUT_MAX + 1], output[DEMANGLE_OUTPUT_MAX];
	size_t used;
	jmp_buf too_long;
};

void demangler_release(struct demangler *demangler)
{
	text_store_release(&demangler->texts);
}

static void demangling_collect(const char *text, size_t length, void *opaque)
{
	struct demangling *demangling = opaque;

	if (length > sizeof(demangling->output) - demangling->used)
		longjmp(demangling->too_long, 1);
	memcpy(demangling->output + demangling->used, text, length);
	demangling->used += length;
}

/* Whether names that are long, and may be deep, fit on the stack. */
static bool stack_is_large(void)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur >= STACK_MIN;
}

/* False when it is no name, or one that is too long. */
static bool demangling_run(struct demangling *demangling, int options)
{
	demangling->used = 0;
	if (setjmp(demangling->too_long))
		return false;
	return cplus_demangle_v3_callback(demangling->input, options, demangling_collect,
					  demangling);
}

const char *demangle(struct demangler *demangler, const char *name, size_t length,
		     bool with_parameters)
{
	static struct demangling demangling; /* large; there is one thread */
	int options = DMGL_ANSI | DMGL_RET_DROP | (with_parameters ? DMGL_PARAMS : 0);
	bool done;

	if (length < 3 || length > DEMANGLE_INPUT_MAX || memcmp(name, "_Z", 2) != 0 ||
	    memchr(name, '\0', length) || demangler->output >= DEMANGLE_OUTPUT_ALL)
		return NULL;
	if (length > INPUT_PLAIN) {
		if (!stack_is_large())
			return NULL;
		options |= DMGL_NO_RECURSE_LIMIT;
	}
	memcpy(demangling.input, name, length);
	demangling.input[length] = '\0';
	done = demangling_run(&demangling, options);
	demangler->output += demangling.used + length;
	return done ? text_store_put(&demangler->texts, demangling.output, demangling.used) : NULL;
}
