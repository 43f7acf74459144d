/* SPDX-License-Identifier: MIT */
/*
 * What native functions do, where a better way is known (native_works.def): by the functions that
 * the user's own frame called. A pattern with "::", "<" or a "*" is compared with a full name, and
 * each * stands for any text. Any other is the name of a C function: underscores before it are
 * passed over, so are "64" behind it, and in libc the variants for processors ("__memcpy_evex").
 *
 * Kernel time in the user's own code, or in a function that only copies or reads memory, is that
 * of page faults: nothing called the kernel there. One thread; stateless.
 */
#ifndef REPORT_ADVICE_NATIVE_WORKS_H
#define REPORT_ADVICE_NATIVE_WORKS_H

#include "report/native/native_events.h"
#include "report/stacks/named_stacks.h"

struct native_work {
	const char *words, *todo;
};

enum native_work_id {
#define NATIVE_WORK(id, words, todo) NATIVE_WORK_##id,
#include "report/advice/native_works.def"
	NATIVE_WORKS, /* no known work */
};

struct native_works {
	struct native_counts counts[NATIVE_WORKS];
	struct native_counts all;
	uint64_t depth; /* sum over samples: frames of the user's function on the stack */
};

/* `module` NULL: unknown. */
enum native_work_id native_work_of(const char *function, const char *module);
/* Adds samples of a stack to what the innermost own frame of it does. */
void native_works_add(struct native_works *works, const struct named_stacks *names, uint32_t stack,
		      const struct native_counts *counts);
/*
 * Returns the work with most CPU time if it has half of it, of fewer than 20 samples nearly all.
 * NULL: none has.
 */
const struct native_work *native_works_most(const struct native_works *works,
					    struct native_counts *ret_counts);
/* How often the function is on the stacks, in the mean; above 1 it calls itself. */
double native_works_depth(const struct native_works *works);

#endif
