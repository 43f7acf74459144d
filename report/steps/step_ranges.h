/* SPDX-License-Identifier: MIT */
/*
 * Where steps end if the user names a range (--step NAME): with a user scope of PyTorch or an NVTX
 * range of that name, in any domain. `NAME*` means any name that begins so. Of nested ranges on one
 * thread (and of one NVTX domain), the outermost counts: the one that ends last. Memory grows with
 * threads, domains and open ranges.
 */
#ifndef REPORT_STEPS_STEP_RANGES_H
#define REPORT_STEPS_STEP_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/base/map.h"
#include "report/scopes/nest.h"

struct step_ranges_process {
	bool has_begun;     /* a range of that name has opened */
	struct map started; /* number + 1 of an open start/end range of that name */
};

struct step_ranges {
	const char *name; /* borrowed; NULL: no range ends steps */
	size_t length;    /* without its * */
	bool is_prefix;
	struct nest ranges; /* NVTX ranges, by domain */
	struct nest scopes; /* PyTorch's scopes; the key is 1 for those that match, otherwise 0 */
	bool *matches;      /* parallel to `ranges` */
	size_t matches_room;
	/* thread and domain to the number of open ranges that match */
	struct map matching;
	bool ends;                           /* the range that ended last ends a step */
	struct step_ranges_process *process; /* by index */
	size_t process_room;
};

void step_ranges_init(struct step_ranges *ranges, const char *name);
void step_ranges_release(struct step_ranges *ranges);
bool step_ranges_match(const struct step_ranges *ranges, const char *text, size_t length);

#define STEP_DOMAIN_TORCH UINT32_MAX /* otherwise the index of an NVTX domain's name */

/* A range of the domain opens on a thread; `matches`: it has the name. */
void step_ranges_push(struct step_ranges *ranges, struct nest_place place, uint32_t domain,
		      bool matches);
/* Closes the innermost range; returns true if that ends a step. */
bool step_ranges_pop(struct step_ranges *ranges, struct nest_place place, uint32_t domain);
/* Closes a scope of PyTorch, which need not be the innermost; `matches`: it has the name. */
bool step_ranges_pop_one(struct step_ranges *ranges, struct nest_place place, bool matches);
/* For start/end ranges of a process that have the name. */
void step_ranges_start(struct step_ranges *ranges, uint32_t process, uint64_t number);
bool step_ranges_end(struct step_ranges *ranges, uint32_t process, uint64_t number);
/* Returns true for the first range of that name in the process, or after an interruption. */
bool step_ranges_begin(struct step_ranges *ranges, uint32_t process);
/* All that is open on the thread ends, and ends no step. */
void step_ranges_cut(struct step_ranges *ranges, struct nest_place place);
/* Recording was interrupted in the process: no open start/end range is known any more. */
void step_ranges_forget(struct step_ranges *ranges, uint32_t process);

#endif
