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

	if (!length)
		return; /* Rust's demangler has no text then */
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

/* Rust's names begin with _R; those of before look like C++'s, with a hash for the last part: 17h0123456789abcdefE. */
static bool is_rust(const char *name, size_t length)
{
	return !memcmp(name, "_R", 2) ||
	       (length > 20 && name[length - 1] == 'E' && !memcmp(name + length - 20, "17h", 3) &&
		strspn(name + length - 17, "0123456789abcdef") == 16);
}

/* False when it is no name, or one that is too long. */
static bool demangling_run(struct demangling *demangling, size_t length, int options)
{
	demangling->used = 0;
	if (setjmp(demangling->too_long))
		return false;
	if (is_rust(demangling->input, length) &&
	    rust_demangle_callback(demangling->input, options & DMGL_NO_RECURSE_LIMIT,
				   demangling_collect, demangling))
		return true;
	demangling->used = 0;
	return cplus_demangle_v3_callback(demangling->input, options, demangling_collect,
					  demangling);
}

/* gfortran's __MODULE_MOD_PROCEDURE as MODULE::PROCEDURE; NULL when it is none. */
static const char *demangle_fortran(struct demangler *demangler, const char *name, size_t length)
{
	const char *middle = length > 7 && !memcmp(name, "__", 2)
				     ? memmem(name + 3, length - 3, "_MOD_", 5)
				     : NULL;
	const char *procedure = middle ? middle + 5 : NULL;

	if (!procedure || procedure == name + length || *procedure == '_' ||
	    memchr(name, '\0', length) || length > DEMANGLE_INPUT_MAX)
		return NULL;
	demangler->output += 2 * length;
	return text_store_format(&demangler->texts, "%.*s::%.*s", (int)(middle - name - 2),
				 name + 2, (int)(name + length - procedure), procedure);
}

const char *demangle(struct demangler *demangler, const char *name, size_t length,
		     bool with_parameters)
{
	static struct demangling demangling; /* large; there is one thread */
	int options = DMGL_ANSI | DMGL_RET_DROP | (with_parameters ? DMGL_PARAMS : 0);
	bool done;

	if (length < 3 || demangler->output >= DEMANGLE_OUTPUT_ALL)
		return NULL;
	if (!memcmp(name, "__", 2))
		return demangle_fortran(demangler, name, length);
	if (length > DEMANGLE_INPUT_MAX || memchr(name, '\0', length) ||
	    (memcmp(name, "_Z", 2) != 0 && memcmp(name, "_R", 2) != 0))
		return NULL;
	if (length > INPUT_PLAIN) {
		if (!stack_is_large())
			return NULL;
		options |= DMGL_NO_RECURSE_LIMIT;
	}
	memcpy(demangling.input, name, length);
	demangling.input[length] = '\0';
	done = demangling_run(&demangling, length, options);
	demangler->output += demangling.used + length;
	return done ? text_store_put(&demangler->texts, demangling.output, demangling.used) : NULL;
}
