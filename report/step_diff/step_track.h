/* SPDX-License-Identifier: MIT */
/*
 * What the loop's thread did in each of two steps, as a tree: operators and user scopes, those of
 * the threads that worked for it while it waited (helpers/helpers.h) included, and the gaps between
 * the outermost of them. Gaps and parts of one level follow each other in the order of time.
 *
 * Also what the thread was seen in by samples, and the readings of its CPU clock.
 *
 * Memory grows with the operators of the two steps, at most STEP_TRACK_MAX each. One thread.
 */
#ifndef REPORT_STEP_DIFF_STEP_TRACK_H
#define REPORT_STEP_DIFF_STEP_TRACK_H

#include "report/core/analysis.h"
#include "report/step_diff/two_steps.h"

#define STEP_TRACK_MAX (1u << 18)
#define STEP_TRACK_DEPTH 64u /* what is deeper is its parent's own time */
#define STEP_PART_NONE UINT32_MAX

struct step_part {
	uint64_t start_ns, end_ns;
	uint32_t name; /* index; STEP_PART_NONE: of a gap, which the step begins with */
	bool is_gap;   /* name: of the part before it */
	uint32_t depth;
	uint32_t next;    /* behind all that is inside of it, in the array */
	uint64_t self_ns; /* outside of the parts inside of it */
};

struct step_look {
	uint64_t from_ns, to_ns, place; /* place: as sample_place_key() has it */
	uint32_t thread;
};

struct step_reading {
	uint64_t time_ns, cpu_ns;
	uint32_t thread;
};

struct step_track {
	struct step_part *part; /* a part stands before those inside of it */
	size_t count;
	struct step_look *look;
	size_t look_count, look_room;
	struct step_reading *reading; /* one of before the step and one of after it, too */
	size_t reading_count, reading_room;
	uint64_t left_out; /* operators beyond STEP_TRACK_MAX */
};

struct step_tracks {
	struct step_track of[STEP_SIDES];
};

struct step_tracks_options {
	const struct two_steps *two; /* borrowed */
};
ANALYSIS(step_tracks, struct step_tracks)

/*
 * Returns how long the thread was on no CPU in that time; false: its clock was not read often
 * enough.
 */
bool step_track_waited(const struct step_track *track, uint64_t from_ns, uint64_t to_ns,
		       uint64_t *ret_ns);

#endif
