/* SPDX-License-Identifier: MIT */
/*
 * Places of samples by whose code they are (core/own.h): the innermost one of the user's own, and
 * who called it. `own` NULL, or off: every place is the user's.
 */
#ifndef REPORT_SAMPLES_OWN_PLACES_H
#define REPORT_SAMPLES_OWN_PLACES_H

#include "report/core/own.h"
#include "report/samples/sample_events.h"

/* own_init(), with the scripts of the programs noted. */
void own_places_init(struct own *own, const struct samples *samples, const struct source *source,
		     const struct options *options);

/* The scripts are where stacks begin. */
void own_places_note_scripts(const struct samples *samples, struct own *own);

bool own_place_is_users(const struct samples *samples, struct own *own,
			const struct sample_place *place);
/* It is where a child of multiprocessing begins: see own_begins_process(). */
bool own_place_begins_process(const struct samples *samples, const struct own *own,
			      const struct sample_place *place);
/*
 * The innermost place of the stack that is the user's, within what the process does itself; NULL:
 * none is.
 */
const struct sample_place *own_place_of(const struct samples *samples, struct own *own,
					uint64_t key);
/* The same, else the innermost of all; NULL: its definition was lost. */
const struct sample_place *own_place_or_innermost(const struct samples *samples, struct own *own,
						  uint64_t key);
/*
 * The next place outwards that is the user's and another line, within what the process does itself;
 * NULL: there is none.
 */
const struct sample_place *own_place_caller(const struct samples *samples, struct own *own,
					    const struct sample_place *place);
/* Returns whether a module is imported between that place and `until`, which is around it. */
bool own_place_is_import(const struct samples *samples, const struct own *own,
			 const struct sample_place *place, const struct sample_place *until);

#endif
