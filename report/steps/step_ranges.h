/* SPDX-License-Identifier: MIT */
/*
 * Where steps end when the reader says so (--step NAME): with a user scope of PyTorch or an NVTX range of
 * that name, of any domain; `NAME*` is any that begins so. Of such ranges inside of each other on a thread
 * (of an NVTX domain) the outermost counts: the last that ends. Memory grows with threads, domains and
 * open ranges.
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
	const char *name; /* borrowed; NULL: nothing ends here */
	size_t length;    /* without its * */
	bool is_prefix;
	struct nest ranges; /* NVTX, by domain */
	struct nest scopes; /* PyTorch's: key 1 of those that match, else 0 */
	bool *matches;      /* of `ranges` */
	size_t matches_room;
	struct map matching;                 /* thread and domain to open ones that match */
	bool ends;                           /* the one that ended last ends a step */
	struct step_ranges_process *process; /* by index */
	size_t process_room;
};

void step_ranges_init(struct step_ranges *ranges, const char *name);
void step_ranges_release(struct step_ranges *ranges);
bool step_ranges_match(const struct step_ranges *ranges, const char *text, size_t length);

#define STEP_DOMAIN_TORCH UINT32_MAX /* else the index of an NVTX domain's name */

/* A range of the domain opens on a thread; `matches`: it has the name. */
void step_ranges_push(struct step_ranges *ranges, struct nest_place place, uint32_t domain,
		      bool matches);
/* The innermost one closes: true when that ends a step. */
bool step_ranges_pop(struct step_ranges *ranges, struct nest_place place, uint32_t domain);
/* A scope of PyTorch closes that need not be the innermost; `matches`: it has the name. */
bool step_ranges_pop_one(struct step_ranges *ranges, struct nest_place place, bool matches);
/* Start/end ranges of a process, of those with the name. */
void step_ranges_start(struct step_ranges *ranges, uint32_t process, uint64_t number);
bool step_ranges_end(struct step_ranges *ranges, uint32_t process, uint64_t number);
/* True for the first range of that name in the process, or after an interruption. */
bool step_ranges_begin(struct step_ranges *ranges, uint32_t process);
/* What is open on the thread is over, and ends no step. */
void step_ranges_cut(struct step_ranges *ranges, struct nest_place place);
/* Recording was interrupted in the process: no start/end range is open that is known. */
void step_ranges_forget(struct step_ranges *ranges, uint32_t process);

#endif
