/* SPDX-License-Identifier: MIT */
/*
 * Puts the parts of two steps side by side: those of one name that come at the same place of the
 * order, level by level. Parts without a counterpart stand alone.
 *
 * Where the orders differ, they meet again at the next place from which three names are the same in
 * both (fewer at the end of a level). That is the place nearby that leaves out the fewest parts of
 * both, else the next one for which only one side leaves something out.
 */
#ifndef REPORT_STEP_DIFF_STEP_MATCH_H
#define REPORT_STEP_DIFF_STEP_MATCH_H

#include "report/step_diff/step_track.h"

struct step_pair {
	uint32_t part[STEP_SIDES]; /* numbers of parts; STEP_PART_NONE: it has none */
};

struct step_pairs {
	struct step_pair *pair; /* in the order of the step that is explained */
	size_t count, room;
};

void step_match(struct step_pairs *pairs, const struct step_tracks *tracks);
void step_pairs_release(struct step_pairs *pairs);

#endif
