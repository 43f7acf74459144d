/* SPDX-License-Identifier: MIT */
/*
 * Calls counted and timed by a key of some words: the rows of the reports of CUDA calls before they
 * have names. Memory grows with distinct keys.
 */
#ifndef REPORT_BASE_GROUPS_H
#define REPORT_BASE_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/base/map.h"
#include "report/base/timing.h"

#define GROUP_WORDS 6
#define GROUP_SUMS 4

struct group {
	uint64_t key[GROUP_WORDS]; /* what the words are is the user's; unused ones are 0 */
	struct timing time;
	uint64_t errors, bytes, max_bytes;
	uint64_t deferred_ns; /* of work that a call asked for and that was told later */
	double *sum;          /* GROUP_SUMS of them, the user's; NULL: all 0 */
};

struct groups {
	struct group *group; /* in the order of their first call */
	size_t count, room;
	struct map index; /* hash of the key to place; 64 bits with a secret: taken for the key */
	size_t latest;    /* asked for: most calls are of the same key as the one before */
};

/* One call. */
struct group_call {
	uint64_t duration_ns, bytes;
	bool failed; /* its bytes do not count */
};

/* For adding to. */
double *group_sums(struct group *group);
/* Frees the contents. */
void group_release(struct group *group);

void groups_init(struct groups *groups);
void groups_release(struct groups *groups);
/* Returns where it was counted, until the next call. */
struct group *groups_add(struct groups *groups, const uint64_t key[GROUP_WORDS],
			 const struct group_call *call);
/* Where a call of that key is counted, before it is. */
size_t groups_place(struct groups *groups, const uint64_t key[GROUP_WORDS]);
/* Moves what `from` has counted, for groups that are one row; a group without a call is no row. */
void group_move(struct group *into, struct group *from);
/* Calls, time, errors and bytes of all groups together. */
struct group groups_total(const struct groups *groups);

#endif
