/* SPDX-License-Identifier: MIT */
/*
 * Clocks of several hosts put on one time, before anything else is read.
 *
 * A family that knows how clocks differ has a line CLOCK_KIND(name) in its family.def and a struct
 * clock_kind clock_kind_<name>. A source with several clocks is read once for this,
 * and then again for the report; one with a single clock is not.
 */
#ifndef REPORT_CORE_CLOCKS_H
#define REPORT_CORE_CLOCKS_H

struct run;
struct source;

struct clock_kind {
	/* Wants the analyses that know it; its result is passed to correct(). */
	const void *(*start)(struct run *run);
	/* Called once all is read: corrects the clocks of another source of the same files. */
	void (*correct)(const void *state, struct run *run, struct source *source);
};

/* Call before the first source_next(). If the files cannot be read, nothing is corrected. */
void clocks_correct(struct source *source);

#define CLOCK_KIND(name) extern const struct clock_kind clock_kind_##name;
#include "report/families.def"

#endif
