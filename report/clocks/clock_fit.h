/* SPDX-License-Identifier: MIT */
/*
 * How a clock differs from another one, from bounds: at some times at least, at others at most so
 * much has to be added to it. Between jumps of its rate a clock is a straight line: an offset, and
 * a drift.
 *
 * All lines that keep to the bounds are known, as a polygon of offset and drift; so the offset at a
 * time lies between that of the lowest and that of the highest line. Where no single line keeps to
 * them any more, a new piece begins. A clock whose pieces are short contradicts its bounds: they
 * are not of one event, and nothing is known of it.
 *
 * Pure; memory grows with pieces. To be used by one thread.
 */
#ifndef REPORT_CLOCKS_CLOCK_FIT_H
#define REPORT_CLOCKS_CLOCK_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/session/source.h"

/* No clock of a computer is further off its rate: 1000 ppm, in ns a second. */
#define CLOCK_DRIFT_MAX 1e6
/*
 * Pieces of fewer bounds are none. Only the last one may have fewer, if it is the only one; else
 * it is left out.
 */
#define CLOCK_PIECE_BOUNDS_MIN 16u

struct clock_bound {
	int64_t time_ns; /* by the clock that is to be corrected */
	int64_t add_ns;
	bool is_most; /* at most that much is to be added; false: at least */
};

struct clock_fit {
	struct clock_piece *piece;
	size_t count, room;
	bool contradicts;
};

/* `bound` is sorted by time. Without pieces nothing is known. */
void clock_fit_make(struct clock_fit *fit, const struct clock_bound *bound, size_t count);
void clock_fit_release(struct clock_fit *fit);

#endif
