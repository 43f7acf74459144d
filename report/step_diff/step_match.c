/* SPDX-License-Identifier: MIT */
/* Alignment of two trees: see step_match.h. A level is a stretch of the array of parts. */
#include "report/step_diff/step_match.h"

#include <stdlib.h>

#include "report/base/memory.h"

#define SAME_NAMES 3u
#define STEP_MATCH_NEAR 64u
#define STEP_MATCH_LOOKS 20000000u /* far ahead, in all: beyond that, only near ones are sought */

/* Where both sides are, and where their level ends. */
struct match_level {
	uint32_t at[STEP_SIDES], end[STEP_SIDES];
};

struct matching {
	struct step_pairs *pairs;
	const struct step_part *part[STEP_SIDES];
	uint64_t looks; /* far ahead */
};

void step_pairs_release(struct step_pairs *pairs)
{
	free(pairs->pair);
}

static void match_put(struct matching *matching, uint32_t typical, uint32_t slow)
{
	struct step_pairs *pairs = matching->pairs;

	pairs->pair = memory_room(pairs->pair, pairs->count, &pairs->room, sizeof(*pairs->pair));
	pairs->pair[pairs->count++] = (struct step_pair){
		{ [STEP_TYPICAL] = typical, [STEP_SLOW] = slow }
	};
}

static bool match_is_same(const struct matching *matching, uint32_t typical, uint32_t slow)
{
	const struct step_part *a = &matching->part[STEP_TYPICAL][typical],
			       *b = &matching->part[STEP_SLOW][slow];

	return a->name == b->name && a->is_gap == b->is_gap;
}

/* Whether the levels go on alike from there. */
static bool match_goes_on(const struct matching *matching, const struct match_level *level,
			  uint32_t typical, uint32_t slow)
{
	for (unsigned int i = 0; i < SAME_NAMES; i++) {
		bool typical_ends = typical >= level->end[STEP_TYPICAL];

		if (typical_ends || slow >= level->end[STEP_SLOW])
			return i && typical_ends == (slow >= level->end[STEP_SLOW]);
		if (!match_is_same(matching, typical, slow))
			return false;
		typical = matching->part[STEP_TYPICAL][typical].next;
		slow = matching->part[STEP_SLOW][slow].next;
	}
	return true;
}

/* All that is in a stretch of one side stands alone, with what is inside. */
static void match_put_alone(struct matching *matching, enum two_steps_side side, uint32_t from,
			    uint32_t upto)
{
	for (uint32_t at = from; at < upto; at++)
		match_put(matching, side == STEP_TYPICAL ? at : STEP_PART_NONE,
			  side == STEP_SLOW ? at : STEP_PART_NONE);
}

/* The first parts from where a side is. */
struct match_front {
	uint32_t at[STEP_MATCH_NEAR + 1];
	uint32_t count;
};

static void match_front_make(const struct matching *matching, const struct match_level *level,
			     enum two_steps_side side, struct match_front *ret_front)
{
	uint32_t at = level->at[side];

	ret_front->count = 0;
	for (; at < level->end[side] && ret_front->count <= STEP_MATCH_NEAR;
	     at = matching->part[side][at].next)
		ret_front->at[ret_front->count++] = at;
}

/* Finds the nearest place at which the sides meet again, after parts of either or of both. */
static bool match_meets_near(const struct matching *matching, const struct match_level *level,
			     uint32_t ret_at[STEP_SIDES])
{
	struct match_front typical, slow;

	match_front_make(matching, level, STEP_TYPICAL, &typical);
	match_front_make(matching, level, STEP_SLOW, &slow);
	for (uint32_t together = 1; together <= STEP_MATCH_NEAR; together++)
		for (uint32_t i = 0; i <= together; i++) {
			if (i >= slow.count || together - i >= typical.count ||
			    !match_goes_on(matching, level, typical.at[together - i], slow.at[i]))
				continue;
			ret_at[STEP_TYPICAL] = typical.at[together - i];
			ret_at[STEP_SLOW] = slow.at[i];
			return true;
		}
	return false;
}

/* Whether what one side comes to next is found further on in the other side. */
static bool match_meets_far(struct matching *matching, const struct match_level *level,
			    enum two_steps_side ahead, uint32_t ret_at[STEP_SIDES])
{
	uint32_t at[STEP_SIDES] = { level->at[STEP_TYPICAL], level->at[STEP_SLOW] };

	for (; at[ahead] < level->end[ahead] && matching->looks < STEP_MATCH_LOOKS;
	     at[ahead] = matching->part[ahead][at[ahead]].next) {
		matching->looks++;
		if (!match_goes_on(matching, level, at[STEP_TYPICAL], at[STEP_SLOW]))
			continue;
		ret_at[STEP_TYPICAL] = at[STEP_TYPICAL];
		ret_at[STEP_SLOW] = at[STEP_SLOW];
		return true;
	}
	return false;
}

/* The orders differ here: leaves out what only one of them has. */
static void match_pass(struct matching *matching, struct match_level *level)
{
	uint32_t at[STEP_SIDES];

	if (!match_meets_near(matching, level, at) &&
	    !match_meets_far(matching, level, STEP_SLOW, at) &&
	    !match_meets_far(matching, level, STEP_TYPICAL, at))
		for (unsigned int i = 0; i < STEP_SIDES; i++) /* one of each is left out */
			at[i] = matching->part[i][level->at[i]].next;
	for (unsigned int i = 0; i < STEP_SIDES; i++) {
		match_put_alone(matching, (enum two_steps_side)i, level->at[i], at[i]);
		level->at[i] = at[i];
	}
}

static void match_levels(struct matching *matching, struct match_level level)
{
	while (level.at[STEP_TYPICAL] < level.end[STEP_TYPICAL] &&
	       level.at[STEP_SLOW] < level.end[STEP_SLOW]) {
		uint32_t typical = level.at[STEP_TYPICAL], slow = level.at[STEP_SLOW];

		if (!match_is_same(matching, typical, slow)) {
			match_pass(matching, &level);
			continue;
		}
		level.at[STEP_TYPICAL] = matching->part[STEP_TYPICAL][typical].next;
		level.at[STEP_SLOW] = matching->part[STEP_SLOW][slow].next;
		match_put(matching, typical, slow);
		match_levels(matching, (struct match_level){
					       { typical + 1, slow + 1 },
					       { level.at[STEP_TYPICAL], level.at[STEP_SLOW] } });
	}
	for (unsigned int i = 0; i < STEP_SIDES; i++)
		match_put_alone(matching, (enum two_steps_side)i, level.at[i], level.end[i]);
}

void step_match(struct step_pairs *pairs, const struct step_tracks *tracks)
{
	struct matching matching = { .pairs = pairs };
	struct match_level level = { 0 };

	for (unsigned int i = 0; i < STEP_SIDES; i++) {
		matching.part[i] = tracks->of[i].part;
		level.end[i] = (uint32_t)tracks->of[i].count;
	}
	match_levels(&matching, level);
}
