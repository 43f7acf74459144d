/* SPDX-License-Identifier: MIT */
/*
 * Calls counted and timed by a key of several words: the rows of the reports on CUDA calls before
 * they have names. Memory grows with the number of distinct keys.
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
	uint64_t key[GROUP_WORDS]; /* the user decides what the words mean; unused ones are 0 */
	struct timing time;
	uint64_t errors, bytes, max_bytes;
	uint64_t deferred_ns; /* of deferred work that a call caused */
	double *sum;          /* GROUP_SUMS values with the user's meaning; NULL: all 0 */
};

struct groups {
	struct group *group; /* in the order of their first call */
	size_t count, room;
	/*
	 * from the key's hash to the index; the hash has 64 bits with a secret, so it stands for
	 * the key
	 */
	struct map index;
	size_t latest; /* found last: most calls have the same key as the previous one */
};

/* One call. */
struct group_call {
	uint64_t duration_ns, bytes;
	bool failed; /* its bytes are not counted */
};

/* Returns the sums, for adding to them. */
double *group_sums(struct group *group);
/* Frees the contents. */
void group_release(struct group *group);

void groups_init(struct groups *groups);
void groups_release(struct groups *groups);
/* Returns the group in which it was counted, valid until the next call. */
struct group *groups_add(struct groups *groups, const uint64_t key[GROUP_WORDS],
			 const struct group_call *call);
/* The same for calls of which only sums are known. */
struct group *groups_add_sums(struct groups *groups, const uint64_t key[GROUP_WORDS],
			      const struct timing_sums *sums, uint64_t bytes, uint64_t max_bytes);
/* Returns the index of the group in which a call with that key will be counted. */
size_t groups_place(struct groups *groups, const uint64_t key[GROUP_WORDS]);
/*
 * Moves everything that `from` has counted, to join groups into one row. A group without calls is
 * no row.
 */
void group_move(struct group *into, struct group *from);
/* Calls, time, the longest call, errors and bytes of all groups together. */
struct group groups_total(const struct groups *groups);

#endif
