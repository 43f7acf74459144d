/* SPDX-License-Identifier: MIT */
/* See growth_place.h. */
#include "report/advice/growth_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/text.h"
#include "report/base/units.h"
#include "report/heap/growth.h"
#include "report/heap/stack_sums.h"

#define KEPT_MIN (64u << 10) /* bytes that nobody has freed */
#define NAME_SHOWN 100u

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

static void put_place(const struct named_frame *frame, struct advice_place *place)
{
	if (!frame->is_users)
		return;
	text_escape(place->function, sizeof(place->function), frame->name, strlen(frame->name));
	if (!frame->file || !frame->line)
		return;
	text_escape(place->line, sizeof(place->line) - 16, frame->file, strlen(frame->file));
	snprintf(place->line + strlen(place->line), 16, ":%u", frame->line);
}

static void put_text(const struct named_frame *frame, double per_step,
		     char text[GROWTH_PLACE_BYTES])
{
	const char *slash = frame->file ? strrchr(frame->file, '/') : NULL;
	char name[NAME_SHOWN + 1], line[NAME_SHOWN + 24] = "", step[UNIT_TEXT_BYTES];
	char file[NAME_SHOWN + 1];

	text_escape(name, sizeof(name), frame->name, strlen(frame->name));
	if (frame->file && frame->line) {
		const char *base = slash ? slash + 1 : frame->file;

		text_escape(file, sizeof(file), base, strlen(base));
		snprintf(line, sizeof(line), " (%s:%u)", file, frame->line);
	}
	snprintf(text, GROWTH_PLACE_BYTES, " What %s%s asks for grows by %s a step.", name, line,
		 unit_format_bytes(step, (uint64_t)(per_step + 0.5)));
}

bool growth_place_find(const struct bottleneck *bottleneck, struct advice_place *ret_place,
		       char text[GROWTH_PLACE_BYTES])
{
	static const struct stack_columns none = { COLUMN_ID_LIMIT, COLUMN_ID_LIMIT,
						   COLUMN_ID_LIMIT, COLUMN_ID_LIMIT,
						   COLUMN_ID_LIMIT };
	const struct growth *growth = bottleneck->heap_growth;
	struct stack_sums sums = { .keeps_places = true };
	const struct named_frame *frame;
	struct stack_rows rows;
	bool is_named;
	double per_step;
	size_t most;

	if (!growth || growth_steps(growth) < GROWTH_LOOKS_MIN || bottleneck->heap->estimate)
		return false;
	stack_rows_init(&rows, bottleneck->source, run_options(bottleneck->run), STACK_BY_FUNCTION,
			none);
	rows.names.for_people = true;
	stack_rows_pick_own(&rows);
	stack_sums_make(&sums, bottleneck->heap, bottleneck->source, &rows, WEIGHT_KEPT);
	most = find_most(growth, &sums, &per_step);
	frame = most != SIZE_MAX ? stack_rows_frame(&rows, most) : NULL;
	is_named = frame && frame->function;
	if (is_named) {
		put_place(frame, ret_place);
		put_text(frame, per_step, text);
	}
	stack_sums_release(&sums);
	stack_rows_release(&rows);
	return is_named;
}
