/* SPDX-License-Identifier: MIT */
/*
 * See growth_place.h. Goes over the sums of report leaks by stack: of the places that grow steadily the one that grows
 * most, or without steps the one that keeps most, and words for it.
 */
#include "report/advice/growth_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/advice/place_text.h"
#include "report/base/memory.h"
#include "report/base/units.h"
#include "report/heap/growth.h"
#include "report/heap/stack_sums.h"

#define KEPT_MIN (64u << 10)      /* bytes that nobody has freed */
#define KEPT_WHOLE_MIN (1u << 20) /* the same of a run without steps */

/* The place that grows most; SIZE_MAX: none does. */
static size_t find_most(const struct growth *growth, const struct stack_sums *sums,
			double *ret_per_step)
{
	bool *is_large = memory_zero(sums->count, sizeof(*is_large));
	struct growth_said *said;
	size_t most = SIZE_MAX;

	for (size_t i = 0; i < sums->count; i++)
		is_large[i] = stack_sums_get(sums, i).row.kept_bytes >= KEPT_MIN;
	said = growth_say(growth, sums->place, sums->count, is_large);
	*ret_per_step = 0;
	for (size_t i = 0; i < sums->count; i++)
		if (is_large[i] && said[i].verdict == GROWTH_STEADY &&
		    said[i].per_step > *ret_per_step) {
			*ret_per_step = said[i].per_step;
			most = i;
		}
	free(said);
	free(is_large);
	return most;
}

static void rows_init(struct stack_rows *rows, const struct bottleneck *bottleneck)
{

	stack_rows_init(rows, bottleneck->source, run_options(bottleneck->run), STACK_BY_FUNCTION,
			STACK_COLUMNS_NONE);
	rows->names.for_people = true;
	stack_rows_pick_own(rows);
}

/* NULL: no place, or one without a name. */
static const struct named_frame *frame_at(struct stack_rows *rows, size_t place)
{
	const struct named_frame *frame = place != SIZE_MAX ? stack_rows_frame(rows, place) : NULL;

	return frame && frame->function ? frame : NULL;
}

/* With callers only a wrapper of malloc() cannot be told from who wanted the memory. */
static const char *unknown_callers(const struct stack_rows *rows, const struct named_frame *frame)
{
	return rows->names.is_deep || frame->is_python || !strcmp(frame->function, "main")
		       ? ""
		       : " Its callers were not recorded: INTERCEPT_STACKS=native records them.";
}

static bool is_users(const struct named_frame *frame)
{
	return frame && frame->is_users;
}

/*
 * The same without steps, of all allocations: by what was never freed. Of the user's own code only: a library that is
 * imported keeps what it registers, more with each part of the import, and that is no leak.
 */
static size_t find_most_kept(const struct growth *growth, const struct stack_sums *sums,
			     struct stack_rows *rows)
{
	bool *is_large = memory_zero(sums->count, sizeof(*is_large));
	struct growth_curve *curve;
	uint64_t most_bytes = 0;
	size_t most = SIZE_MAX;

	for (size_t i = 0; i < sums->count; i++)
		is_large[i] = stack_sums_get(sums, i).row.kept_bytes >= KEPT_WHOLE_MIN &&
			      is_users(frame_at(rows, i));
	curve = growth_curves_whole(growth, sums->place, sums->count, is_large);
	for (size_t i = 0; i < sums->count; i++) {
		struct stack_sum sum = stack_sums_get(sums, i);
		struct growth_span span = { sum.first_ns, sum.latest_ns, sum.row.kept_bytes };

		if (is_large[i] && sum.row.kept_bytes > most_bytes &&
		    growth_judge_whole(growth, &curve[i], &span) == GROWTH_STEADY) {
			most_bytes = sum.row.kept_bytes;
			most = i;
		}
	}
	free(curve);
	free(is_large);
	return most;
}

bool growth_place_find(const struct bottleneck *bottleneck, struct advice_place *ret_place,
		       char text[GROWTH_PLACE_BYTES])
{
	const struct growth *growth = bottleneck->heap_growth;
	struct stack_sums sums = { .keeps_places = true };
	char name[PLACE_FRAME_BYTES], step[UNIT_TEXT_BYTES];
	const struct named_frame *frame;
	struct stack_rows rows;
	double per_step;

	if (growth_steps(growth) < GROWTH_LOOKS_MIN || bottleneck->heap->estimate)
		return false;
	rows_init(&rows, bottleneck);
	stack_sums_make(&sums, bottleneck->heap, bottleneck->source, &rows, WEIGHT_KEPT);
	frame = frame_at(&rows, find_most(growth, &sums, &per_step));
	if (frame) {
		place_of_frame(frame, ret_place);
		place_frame_text(frame, name);
		snprintf(text, GROWTH_PLACE_BYTES, " What %s asks for grows by %s a step.%s", name,
			 unit_format_bytes(step, (uint64_t)(per_step + 0.5)),
			 unknown_callers(&rows, frame));
	}
	stack_sums_release(&sums);
	stack_rows_release(&rows);
	return frame != NULL;
}

uint64_t growth_place_kept(const struct bottleneck *bottleneck, struct advice_place *ret_place,
			   char text[GROWTH_PLACE_BYTES])
{
	const struct growth *growth = bottleneck->heap_growth;
	struct stack_sums sums = { .keeps_places = true };
	char name[PLACE_FRAME_BYTES], kept[UNIT_TEXT_BYTES], blocks[UNIT_TEXT_BYTES];
	const struct named_frame *frame;
	struct stack_sum sum = { .first_ns = 0 };
	struct stack_rows rows;
	size_t most;

	if (!growth_is_whole(growth) || bottleneck->heap->estimate)
		return 0;
	rows_init(&rows, bottleneck);
	stack_sums_make(&sums, bottleneck->heap, bottleneck->source, &rows, WEIGHT_KEPT);
	most = find_most_kept(growth, &sums, &rows);
	frame = frame_at(&rows, most);
	if (frame) {
		sum = stack_sums_get(&sums, most);
		place_of_frame(frame, ret_place);
		place_frame_text(frame, name);
		snprintf(text, GROWTH_PLACE_BYTES,
			 "what %s asks for is never freed, and grows throughout the run: %s in %s "
			 "blocks.%s",
			 name, unit_format_bytes(kept, sum.row.kept_bytes),
			 unit_format_count(blocks, sum.row.kept_allocations),
			 unknown_callers(&rows, frame));
	}
	stack_sums_release(&sums);
	stack_rows_release(&rows);
	return sum.row.kept_bytes;
}
