/* SPDX-License-Identifier: MIT */
/*
 * How long at least one scope of a group was open in a place (a thread, a process): each moment of
 * a place counts once, however many scopes are open. So unlike the sum of its scopes, a group's
 * time never exceeds the time of its places.
 *
 * Groups and places are numbers that the caller assigns from 0. A scope that is still open when all
 * is read adds no time. Memory grows with groups and with pairs of a group and a place. To be used
 * by one thread.
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
	uint64_t since_ns; /* while a scope is open: time up to here has been counted */
};

struct cover_group {
	uint64_t ns;         /* over all places */
	uint32_t last_place; /* + 1, the place of `last`: usually the next one, too */
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
/*
 * A scope that began there ends. `adds` false: it is not known whether it was open since the last
 * end.
 */
void cover_end(struct cover *cover, uint32_t group, uint32_t place, uint64_t time_ns, bool adds);
/*
 * Makes group `from` a part of `into`, once all is read. If the groups overlap, the sum is too
 * large.
 */
void cover_join(struct cover *cover, uint32_t into, uint32_t from);
uint64_t cover_ns(const struct cover *cover, uint32_t group);

#endif
