/* SPDX-License-Identifier: MIT */
/*
 * See clock_fit.h. Each bound is a half-plane of offset and drift; the polygon of what is left is
 * cut by one after another. If it gets more corners than there is room for, a cut is left out: what
 * is said then is less exact, not wrong.
 *
 * Offsets are relative to the piece's first bound, times to its time, and drifts in ns a second, so
 * that a double holds all of them to less than a ns.
 */
#include "report/clocks/clock_fit.h"

#include <math.h>
#include <stdlib.h>

#include "report/base/memory.h"

#define CORNERS_MAX 96u
#define SECOND_NS 1e9
#define BOUND_NS_MAX (1ll << 60)
/* What the clocks of one machine and their conversions may be off; part of each doubt. */
#define SLACK_NS 1000.0

struct clock_line {
	double add_ns, drift;
};

struct clock_lines {
	struct clock_line corner[CORNERS_MAX];
	size_t count;
};

/* A piece while bounds are added. */
struct clock_fitting {
	struct clock_lines lines;
	int64_t time_ns, add_ns; /* of its first bound */
	double reach_ns;         /* of offsets: beyond that is no bound */
	int64_t to_ns;
	uint64_t bounds;
};

static double clock_line_at(const struct clock_line *line, double seconds)
{
	return line->add_ns + line->drift * seconds;
}

/* --- cutting --- */

/* How far a line is beyond the bound; up to 0 it keeps to it. */
static double clock_line_beyond(const struct clock_line *line, double seconds, double limit_ns,
				bool is_most)
{
	double at_ns = clock_line_at(line, seconds);

	return is_most ? at_ns - limit_ns : limit_ns - at_ns;
}

static void clock_lines_add(struct clock_lines *lines, struct clock_line corner)
{
	if (lines->count <= CORNERS_MAX)
		lines->count++;
	if (lines->count <= CORNERS_MAX)
		lines->corner[lines->count - 1] = corner;
}

/* Returns false if nothing is left. */
static bool clock_lines_cut(struct clock_lines *lines, double seconds, double limit_ns,
			    bool is_most)
{
	struct clock_lines cut = { .count = 0 };

	for (size_t i = 0; i < lines->count; i++) {
		const struct clock_line *here = &lines->corner[i];
		const struct clock_line *next = &lines->corner[(i + 1) % lines->count];
		double beyond = clock_line_beyond(here, seconds, limit_ns, is_most);
		double later = clock_line_beyond(next, seconds, limit_ns, is_most);
		double part = beyond / (beyond - later);

		if (beyond <= 0)
			clock_lines_add(&cut, *here);
		if ((beyond < 0 && later > 0) || (beyond > 0 && later < 0))
			clock_lines_add(&cut,
					(struct clock_line){
						here->add_ns + part * (next->add_ns - here->add_ns),
						here->drift + part * (next->drift - here->drift) });
	}
	if (!cut.count)
		return false;
	if (cut.count <= CORNERS_MAX)
		*lines = cut;
	return true;
}

/* --- pieces --- */

static void clock_fitting_begin(struct clock_fitting *fitting, const struct clock_bound *bound,
				double reach_ns)
{
	*fitting = (struct clock_fitting){
		.lines = { .corner = { { -reach_ns, -CLOCK_DRIFT_MAX },
				       { reach_ns, -CLOCK_DRIFT_MAX },
				       { reach_ns, CLOCK_DRIFT_MAX },
				       { -reach_ns, CLOCK_DRIFT_MAX } },
			   .count = 4 },
		.time_ns = bound->time_ns,
		.add_ns = bound->add_ns,
		.reach_ns = reach_ns,
		.to_ns = bound->time_ns,
	};
}

static bool clock_fitting_take(struct clock_fitting *fitting, const struct clock_bound *bound)
{
	double seconds = (double)(bound->time_ns - fitting->time_ns) / SECOND_NS;
	double limit_ns = (double)(bound->add_ns - fitting->add_ns);

	limit_ns += bound->is_most ? SLACK_NS : -SLACK_NS;
	if (!clock_lines_cut(&fitting->lines, seconds, limit_ns, bound->is_most))
		return false;
	fitting->to_ns = bound->time_ns;
	fitting->bounds++;
	return true;
}

/* The lowest and the highest of the lines at a time. */
static void clock_lines_range(const struct clock_lines *lines, double seconds, double *ret_low,
			      double *ret_high)
{
	*ret_low = INFINITY;
	*ret_high = -INFINITY;
	for (size_t i = 0; i < lines->count; i++) {
		double at_ns = clock_line_at(&lines->corner[i], seconds);

		*ret_low = fmin(*ret_low, at_ns);
		*ret_high = fmax(*ret_high, at_ns);
	}
}

/* The middle of the lines that have this drift, at time 0. */
static double clock_lines_middle(const struct clock_lines *lines, double drift)
{
	double low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < lines->count; i++) {
		const struct clock_line *here = &lines->corner[i];
		const struct clock_line *next = &lines->corner[(i + 1) % lines->count];
		double apart = next->drift - here->drift;
		double part = apart != 0 ? (drift - here->drift) / apart : 0;
		double at_ns = here->add_ns + part * (next->add_ns - here->add_ns);

		if (part < 0 || part > 1 || (apart == 0 && here->drift != drift))
			continue;
		low = fmin(low, at_ns);
		high = fmax(high, at_ns);
	}
	return low <= high ? (low + high) / 2 : 0;
}

/*
 * The line that is used has no drift if the bounds allow that, else the middle one of the drifts.
 * False: there are only lower or only upper bounds.
 */
static bool clock_fitting_end(const struct clock_fitting *fitting, struct clock_piece *ret_piece)
{
	double to_seconds = (double)(fitting->to_ns - fitting->time_ns) / SECOND_NS;
	double least = INFINITY, most = -INFINITY, low[2], high[2], doubt = 0;
	struct clock_line used;

	clock_lines_range(&fitting->lines, 0, &low[0], &high[0]);
	clock_lines_range(&fitting->lines, to_seconds, &low[1], &high[1]);
	for (size_t i = 0; i < fitting->lines.count; i++) {
		least = fmin(least, fitting->lines.corner[i].drift);
		most = fmax(most, fitting->lines.corner[i].drift);
	}
	if (low[0] <= -fitting->reach_ns || high[0] >= fitting->reach_ns)
		return false;
	used.drift = least <= 0 && most >= 0 ? 0 : (least + most) / 2;
	used.add_ns = clock_lines_middle(&fitting->lines, used.drift);
	for (int end = 0; end < 2; end++) {
		double at_ns = clock_line_at(&used, end ? to_seconds : 0);

		doubt = fmax(doubt, fmax(high[end] - at_ns, at_ns - low[end]));
	}
	*ret_piece = (struct clock_piece){
		.from_ns = fitting->time_ns,
		.to_ns = fitting->to_ns,
		.add_ns = fitting->add_ns + (int64_t)used.add_ns,
		.drift = used.drift,
		.doubt_ns = doubt + 1,
		.drift_doubt = fmax(most - used.drift, used.drift - least),
		.drift_is_known = least > -CLOCK_DRIFT_MAX && most < CLOCK_DRIFT_MAX,
		.bounds = fitting->bounds,
	};
	return true;
}

static void clock_fit_add(struct clock_fit *fit, const struct clock_fitting *fitting, bool is_last)
{
	struct clock_piece piece;
	bool is_good = clock_fitting_end(fitting, &piece);
	bool is_short = fitting->bounds < CLOCK_PIECE_BOUNDS_MIN;

	if (!is_last && (!is_good || is_short))
		fit->contradicts = true;
	if (!is_good || (fit->count && is_short))
		return;
	fit->piece = memory_room(fit->piece, fit->count, &fit->room, sizeof(*fit->piece));
	fit->piece[fit->count++] = piece;
}

/* False: only a damaged file has such times. */
static bool clock_bound_is_good(const struct clock_bound *bound)
{
	return bound->time_ns > -BOUND_NS_MAX && bound->time_ns < BOUND_NS_MAX &&
	       bound->add_ns > -BOUND_NS_MAX && bound->add_ns < BOUND_NS_MAX;
}

/* More than any bound of the clock can be from another one. */
static double clock_bounds_reach(const struct clock_bound *bound, size_t count)
{
	double least = INFINITY, most = -INFINITY, seconds;

	for (size_t i = 0; i < count; i++) {
		least = fmin(least, (double)bound[i].add_ns);
		most = fmax(most, (double)bound[i].add_ns);
	}
	seconds = (double)(bound[count - 1].time_ns - bound[0].time_ns) / SECOND_NS;
	return 2 * (most - least) + 2 * CLOCK_DRIFT_MAX * seconds + 1e6;
}

void clock_fit_make(struct clock_fit *fit, const struct clock_bound *bound, size_t count)
{
	struct clock_fitting fitting;
	double reach_ns;

	*fit = (struct clock_fit){ .count = 0 };
	for (size_t i = 0; i < count; i++)
		if (!clock_bound_is_good(&bound[i]))
			return;
	if (!count)
		return;
	reach_ns = clock_bounds_reach(bound, count);
	clock_fitting_begin(&fitting, &bound[0], reach_ns);
	for (size_t i = 0; i < count && !fit->contradicts; i++) {
		if (clock_fitting_take(&fitting, &bound[i]))
			continue;
		clock_fit_add(fit, &fitting, false);
		clock_fitting_begin(&fitting, &bound[i], reach_ns);
		clock_fitting_take(&fitting, &bound[i]);
	}
	clock_fit_add(fit, &fitting, true);
	if (fit->contradicts)
		fit->count = 0;
}

void clock_fit_release(struct clock_fit *fit)
{
	free(fit->piece);
}
