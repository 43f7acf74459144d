/* SPDX-License-Identifier: MIT */
/*
 * What a process says that it has unloaded: noted as it comes out of the rings, thread by thread, and taken in the order of time;
 * and until when the memory was that of something else. Bounded; what finds no room is left to the maps. One thread.
 */
#ifndef COLLECTOR_PROCESSES_MODULE_ENDS_H
#define COLLECTOR_PROCESSES_MODULE_ENDS_H

#include <stdbool.h>
#include <stdint.h>

#define MODULE_ENDS_MAX 65536u
#define MODULE_ENDS_KEPT 4096u /* places whose last end is known */

struct module_end {
	uint64_t time_ns; /* it was gone */
	uint64_t seen_ns; /* it was there for certain, as late as the process knows */
	uint64_t start, end, bias;
	uint64_t path, build_id; /* names; path 0: the range has no longer what it had */
	bool is_whole;           /* that concerns only what lies in the range completely */
};

struct module_ends {
	struct module_end *noted;
	uint32_t count, room;
	struct module_end *last; /* by place, which do not overlap */
	uint32_t places, places_room;
};

void module_ends_release(struct module_ends *ends);

void module_ends_note(struct module_ends *ends, const struct module_end *end);
/* Sorts what was noted. */
void module_ends_sort(struct module_ends *ends);
/* It was the last that was in its place. */
void module_ends_keep(struct module_ends *ends, const struct module_end *end);
/* When the last of what overlapped with the range was unloaded; 0: nothing is known to have been. */
uint64_t module_ends_before(const struct module_ends *ends, uint64_t start, uint64_t end);

/* The first noted one that overlaps with the range, which may be changed; NULL: none does. */
struct module_end *module_ends_first(struct module_ends *ends, uint64_t start, uint64_t end);
/* Whether one that is noted overlaps with the range and lies between two times. */
bool module_ends_between(const struct module_ends *ends, uint64_t start, uint64_t end,
			 uint64_t from_ns, uint64_t to_ns);
/* Forgets one that is noted, and the first `count`. */
void module_ends_forget(struct module_ends *ends, struct module_end *end);
void module_ends_drop(struct module_ends *ends, uint32_t count);

#endif
