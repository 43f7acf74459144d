/* SPDX-License-Identifier: MIT */
/* Heap memory that grows from step to step, in a line of the summary. */
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/text.h"
#include "report/heap/stack_sums.h"
#include "report/summary/summary.h"

#define LEAK_SHARE_MIN 0.01        /* share of the heap at its peak */
#define LEAK_BYTES_MIN (64u << 10) /* bytes that were never freed */
#define NAME_BYTES 200

/* Returns which places have kept enough memory to be mentioned. */
static bool *large_ones(const struct summary *summary, const struct stack_sums *sums)
{
	uint64_t least = (uint64_t)(LEAK_SHARE_MIN * (double)summary->heap->totals.peak_bytes);
	bool *is_large = memory_zero(sums->count, sizeof(*is_large));

	for (size_t i = 0; i < sums->count; i++) {
		uint64_t kept = stack_sums_get(sums, i).row.kept_bytes;

		is_large[i] = kept >= LEAK_BYTES_MIN && kept >= least;
	}
	return is_large;
}

/* Returns the function that grows most; SIZE_MAX: none grows. */
static size_t most_growing(const struct summary *summary, const struct stack_sums *sums,
			   const bool *is_large, double *ret_per_step)
{
	struct growth_said *said = growth_say(summary->growth, sums->place, sums->count, is_large);
	size_t most = SIZE_MAX;

	*ret_per_step = 0;
	for (size_t i = 0; i < sums->count; i++) {
		if (!is_large[i] || said[i].verdict != GROWTH_STEADY ||
		    said[i].per_step <= *ret_per_step)
			continue;
		*ret_per_step = said[i].per_step;
		most = i;
	}
	free(said);
	return most;
}

static void print_leak(struct stack_rows *rows, size_t place, double per_step, uint64_t kept,
		       const struct screen *screen)
{
	const struct named_frame *frame = stack_rows_frame(rows, place);
	const char *slash = frame->file ? strrchr(frame->file, '/') : NULL;
	char name[NAME_BYTES], line[NAME_BYTES] = "", step[UNIT_TEXT_BYTES], bytes[UNIT_TEXT_BYTES];

	text_escape(name, sizeof(name), frame->name, strnlen(frame->name, NAME_BYTES));
	if (frame->file && frame->line)
		snprintf(line, sizeof(line), " (%.150s:%u)", slash ? slash + 1 : frame->file,
			 frame->line);
	screen_print_prose(screen,
			   "      what %s%s asks for grows by %s a step, to %s: prof-report leaks",
			   name, line, unit_format_bytes(step, (uint64_t)(per_step + 0.5)),
			   unit_format_bytes(bytes, kept));
}

void summary_print_leak(const struct summary *summary, const struct screen *screen)
{
	struct stack_sums sums = { .keeps_places = true };
	bool *is_large;
	struct stack_rows rows;
	double per_step;
	size_t most;

	if (growth_steps(summary->growth) < GROWTH_LOOKS_MIN || run_filters(summary->run)->any)
		return;
	stack_rows_init(&rows, summary->source, NULL, STACK_BY_FUNCTION, STACK_COLUMNS_NONE);
	stack_rows_pick_own(&rows);
	stack_sums_make(&sums, summary->heap, summary->source, &rows, WEIGHT_KEPT);
	is_large = large_ones(summary, &sums);
	most = most_growing(summary, &sums, is_large, &per_step);
	if (most != SIZE_MAX)
		print_leak(&rows, most, per_step, stack_sums_get(&sums, most).row.kept_bytes,
			   screen);
	free(is_large);
	stack_sums_release(&sums);
	stack_rows_release(&rows);
}
