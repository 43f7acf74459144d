/* SPDX-License-Identifier: MIT */
/*
 * The time in which at least one piece of work ran: the union of intervals that come nearly in
 * order. Pieces wait until they are settled, so that late ones find their place. Memory is bounded:
 * BUSY_PIECES_MAX pieces wait at most, then the older half is settled early.
 */
#ifndef COLLECTOR_METRICS_BUSY_H
#define COLLECTOR_METRICS_BUSY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUSY_PIECES_MAX (1u << 15)

/* Zeroed memory is an empty one. */
struct busy {
	struct busy_piece {
		uint64_t start_ns, end_ns;
	} * piece;
	size_t count, room;
	bool unsorted;
	uint64_t settled_ns; /* everything that begins before that has been settled */
	uint64_t until_ns;   /* end of the latest settled piece */
	uint64_t busy_ns;
	/* pieces that came after their time was settled: idle time before them may be missing */
	uint64_t late;
};

void busy_release(struct busy *busy);
void busy_add(struct busy *busy, uint64_t start_ns, uint64_t end_ns);
/* Adds all pieces that begin before `upto_ns` to busy_ns. */
void busy_settle(struct busy *busy, uint64_t upto_ns);

#endif
