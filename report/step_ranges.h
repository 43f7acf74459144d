/* SPDX-License-Identifier: MIT */
/*
 * Where steps end when the reader says so (--step NAME): with a user scope of PyTorch or an NVTX range of
 * that name, of any domain; `NAME*` is any that begins so. Of such ranges inside of each other on a thread
 * (of an NVTX domain) the outermost counts. Memory grows with threads, domains and open ranges.
 */
#ifndef REPORT_STEP_RANGES_H
#define REPORT_STEP_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/map.h"

struct step_ranges_process {
	bool has_begun; /* a range of that name has opened */
	struct map
		nests; /* thread + 1 << 32 | domain to depth << 32 | depth of the one that counts */
	struct map started; /* number + 1 of an open start/end range of that name */
};

struct step_ranges {
	const char *name; /* borrowed; NULL: nothing ends here */
	size_t length;    /* without its * */
	bool is_prefix;
	struct step_ranges_process *process; /* by index */
	size_t process_room;
};

#define STEP_DOMAIN_TORCH UINT32_MAX

void step_ranges_init(struct step_ranges *ranges, const char *name);
void step_ranges_release(struct step_ranges *ranges);
bool step_ranges_match(const struct step_ranges *ranges, const char *text, size_t length);

#define STEP_DOMAIN_TORCH UINT32_MAX /* else the index of an NVTX domain's name */

/* Where a range is; `domain`: STEP_DOMAIN_TORCH or the index of an NVTX domain's name. */
struct step_nest {
	uint32_t process, thread, domain;
};
/* A range opens on a thread; `matches`: it has the name. */
void step_ranges_push(struct step_ranges *ranges, const struct step_nest *nest, bool matches);
/* The innermost one closes: true when that ends a step. */
bool step_ranges_pop(struct step_ranges *ranges, const struct step_nest *nest);
/* One closes that need not be the innermost; `matches`: it has the name. */
bool step_ranges_pop_one(struct step_ranges *ranges, const struct step_nest *nest, bool matches);
/* Start/end ranges of a process, of those with the name. */
void step_ranges_start(struct step_ranges *ranges, uint32_t process, uint64_t number);
bool step_ranges_end(struct step_ranges *ranges, uint32_t process, uint64_t number);
/* True for the first range of that name in the process, or after an interruption. */
bool step_ranges_begin(struct step_ranges *ranges, uint32_t process);
/* Recording was interrupted in the process: nothing is open that is known. */
void step_ranges_forget(struct step_ranges *ranges, uint32_t process);

#endif
