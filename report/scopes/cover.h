/* SPDX-License-Identifier: MIT */
/*
 * How long at least one of a group's scopes was open in a place (a thread, a process): each moment of a place counts once, however
 * many are open. So a group's time is never more than the time of its places, as the sum of the scopes may be.
 *
 * Groups and places are numbers of the caller's, from 0 on. A scope that runs on when all is read adds no time.
 * Memory grows with groups and with pairs of a group and a place. One thread.
 */
#ifndef REPORT_SCOPES_COVER_H
#define REPORT_SCOPES_COVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/base/map.h"

/* A group in a place. */
struct cover_pair {
	uint32_t open;
	uint64_t since_ns; /* while one is open: counted up to here */
};

struct cover_group {
	uint64_t ns;         /* of all places */
	uint32_t last_place; /* + 1, whose pair is `last`: mostly the next one, too */
	uint32_t last;
};

struct cover {
	struct map pairs; /* group and place to an entry of `pair` */
	struct cover_pair *pair;
	size_t pair_count, pair_room;
	struct cover_group *group;
	size_t group_room;
};

void cover_init(struct cover *cover);
void cover_release(struct cover *cover);

void cover_begin(struct cover *cover, uint32_t group, uint32_t place, uint64_t time_ns);
/* One that began there is over; `adds` false: it is not known to have been open since the last one ended. */
void cover_end(struct cover *cover, uint32_t group, uint32_t place, uint64_t time_ns, bool adds);
/* Group `from` is part of `into`. Once all is read; of groups that overlap the sum is too large. */
void cover_join(struct cover *cover, uint32_t into, uint32_t from);
uint64_t cover_ns(const struct cover *cover, uint32_t group);

#endif
