/* SPDX-License-Identifier: MIT */
/* Report `nvtx`: time and work of the program's ranges, as a list or as a tree. */
#include "report/core/report_kind.h"
#include "report/core/unmatched.h"
#include "report/nvtx/range_events.h"
#include "report/nvtx/rows_ranges.h"

#define NAME_BYTES_MAX 65536u /* RECORD_TEXT_MAX of collector/region/record.h */

struct nvtx_state {
	const struct ranges *ranges;
};

/*
 * A filter may drop begins but keep their ends, which then seem to have no begin. So with a filter
 * the count is not shown.
 */
static uint64_t nvtx_unbalanced(const struct report *report)
{
	const struct nvtx_state *state = report->state;

	return run_filters(report->run)->any ? 0 : state->ranges->unbalanced;
}

static void nvtx_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct ranges *ranges = ((const struct nvtx_state *)report->state)->ranges;
	char number[UNIT_TEXT_BYTES];

	if (ranges->marks)
		fprintf(screen->out, "%s mark%s\n", unit_format_count(number, ranges->marks),
			ranges->marks == 1 ? "" : "s");
}

/* Names of the maximum length may have been longer: the recording does not say which. */
static void nvtx_print_cut(const struct report *report, const struct screen *screen)
{
	const struct ranges *ranges = ((const struct nvtx_state *)report->state)->ranges;
	char number[UNIT_TEXT_BYTES], bytes[UNIT_TEXT_BYTES];
	uint64_t names = 0;

	for (size_t i = 0; i < ranges->row_count; i++)
		names += source_name_at(run_source(report->run), ranges->row[i].name)->length >=
			 NAME_BYTES_MAX;
	if (!names)
		return;
	screen_print_prose(screen,
			   "cut: %s row%s a name of %s bytes, where longer ones are cut: names "
			   "that differ later are one row.",
			   unit_format_count(number, names), names == 1 ? " has" : "s have",
			   unit_format_count(bytes, NAME_BYTES_MAX));
}

/* For ranges of tasks that take turns on a thread. */
static void nvtx_print_crossed(const struct report *report, const struct screen *screen)
{
	uint64_t crossed = ((const struct nvtx_state *)report->state)->ranges->crossed;
	char number[UNIT_TEXT_BYTES];

	if (!crossed)
		return;
	screen_print_prose(
		screen,
		"crossed: %s range%s closed before a range that opened later on the "
		"same thread, as where tasks or generators take turns. Which range a pop closes is "
		"known where they are asyncio's tasks, greenlets, generators or async generators. "
		"Crossed ranges are not inside of each other; the tree says where each one began. "
		"Self times count each moment "
		"for the range that opened last, and what was done inside of a range counts all "
		"that its thread did meanwhile.",
		unit_format_count(number, crossed), crossed == 1 ? "" : "s");
}

static void nvtx_print_guessed(const struct report *report, const struct screen *screen)
{
	uint64_t guessed = ((const struct nvtx_state *)report->state)->ranges->guessed;
	char number[UNIT_TEXT_BYTES];

	if (!guessed)
		return;
	screen_print_prose(
		screen,
		"guessed: %s pop%s came from another generator than each push whose range was "
		"open. The pop closed the innermost range; which range was meant is not known.",
		unit_format_count(number, guessed), guessed == 1 ? "" : "s");
}

static void nvtx_foot(const struct document *document, const struct screen *screen)
{
	nvtx_print_cut(document->context, screen);
	nvtx_print_crossed(document->context, screen);
	nvtx_print_guessed(document->context, screen);
	unmatched_print_ends(screen, nvtx_unbalanced(document->context), "range");
}

static uint64_t nvtx_sum_open(const struct ranges *ranges)
{
	uint64_t open = 0;

	for (size_t i = 0; i < ranges->row_count; i++)
		open += ranges->row[i].open;
	return open;
}

static uint64_t nvtx_sum_count(const struct ranges *ranges)
{
	uint64_t count = 0;

	for (size_t i = 0; i < ranges->row_count; i++)
		count += ranges->row[i].count;
	return count;
}

static void nvtx_want(struct report *report)
{
	((struct nvtx_state *)report->state)->ranges = ranges_want(
		report->run, &(struct ranges_options){ .by_path = report->request->options->tree,
						       .work = work_bits_of("nvtx") });
}

static void nvtx_fill(struct report *report, struct table *table)
{
	ranges_fill_table(((struct nvtx_state *)report->state)->ranges, report->run, table);
}

static void nvtx_total(const struct report *report, struct facts *facts)
{
	const struct ranges *ranges = ((const struct nvtx_state *)report->state)->ranges;

	facts_number(facts, "count", UNIT_COUNT, nvtx_sum_count(ranges));
	facts_number(facts, "open", UNIT_COUNT, nvtx_sum_open(ranges));
	facts_number(facts, "marks", UNIT_COUNT, ranges->marks);
	facts_number(facts, "unbalanced", UNIT_COUNT, nvtx_unbalanced(report));
	facts_number(facts, "crossed", UNIT_COUNT, ranges->crossed);
	facts_number(facts, "guessed", UNIT_COUNT, ranges->guessed);
}

const struct report_kind report_kind_nvtx = {
	.state_bytes = sizeof(struct nvtx_state),
	.family = EVT_FAMILY_nvtx,
	.want = nvtx_want,
	.fill = nvtx_fill,
	.total = nvtx_total,
	.head = nvtx_head,
	.foot = nvtx_foot,
};
