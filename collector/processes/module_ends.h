/* SPDX-License-Identifier: MIT */
/*
 * What a process reports as unloaded. The reports are noted as they come out of the rings, thread
 * by thread, and taken in the order of time. Also until when each range of memory belonged to
 * something else. Bounded: if there is no room, the maps decide. One thread.
 */
#ifndef COLLECTOR_PROCESSES_MODULE_ENDS_H
#define COLLECTOR_PROCESSES_MODULE_ENDS_H

#include <stdbool.h>
#include <stdint.h>

#define MODULE_ENDS_MAX 65536u
#define MODULE_ENDS_KEPT 4096u /* ranges whose last end is known */

struct module_end {
	uint64_t time_ns; /* it was gone at this time */
	uint64_t seen_ns; /* it was certainly there at this time, the last that the process knows */
	uint64_t start, end, bias;
	uint64_t path, build_id; /* names; path 0: the range no longer has its former contents */
	bool is_whole;           /* concerns only modules that are completely in the range */
};

struct module_ends {
	struct module_end *noted;
	uint32_t count, room;
	struct module_end *last; /* by address; the ranges do not overlap */
	uint32_t places, places_room;
};

void module_ends_release(struct module_ends *ends);

void module_ends_note(struct module_ends *ends, const struct module_end *end);
/* Sorts the noted ends. */
void module_ends_sort(struct module_ends *ends);
/* Remembers it as the last end of its range. */
void module_ends_keep(struct module_ends *ends, const struct module_end *end);
/* Returns when the last thing that overlaps the range was unloaded; 0: nothing is known. */
uint64_t module_ends_before(const struct module_ends *ends, uint64_t start, uint64_t end);

/* Returns the first noted end that overlaps the range, which may be changed; NULL: none. */
struct module_end *module_ends_first(struct module_ends *ends, uint64_t start, uint64_t end);
/* True if a noted end overlaps the range and is between two times. */
bool module_ends_between(const struct module_ends *ends, uint64_t start, uint64_t end,
			 uint64_t from_ns, uint64_t to_ns);
/* Forgets one noted end, and the first `count`. */
void module_ends_forget(struct module_ends *ends, struct module_end *end);
void module_ends_drop(struct module_ends *ends, uint32_t count);

#endif
