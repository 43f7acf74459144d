/* SPDX-License-Identifier: MIT */
/*
 * The key `range`: the innermost range that is open on the thread; if there is none, that of the
 * thread for which it works. A range is an NVTX range, a label of PyTorch or an action of Lightning
 * (report/scopes/open_ranges.h). All steps of torch.profiler are one range, as in report ops.
 */
#include <string.h>

#include "report/helpers/helpers.h"
#include "report/core/key.h"
#include "report/scopes/open_ranges.h"
#include "report/nvtx/rows_ranges.h"

#define NO_RANGE "(no range)"
#define STEP "ProfilerStep#"
#define STEP_SHOWN "ProfilerStep*"

struct range_places {
	struct open_ranges ranges;
	const struct helpers *helpers;
	struct source *source;
	uint32_t step; /* index of the name of the first step */
	bool has_step;
};

struct range_places_options {
	uint32_t none;
};

static bool is_step(const struct source_name *name)
{
	return name->text && name->length >= strlen(STEP) &&
	       !memcmp(name->text, STEP, strlen(STEP));
}

static void range_key_take_opening(void *state, const struct source_event *event, bool counts)
{
	struct range_places *places = state;
	struct open_range *range = open_ranges_take_opening(&places->ranges, places->source, event);

	(void)counts;
	if (!range || range->kind != EVT_SCOPE_KIND_operator ||
	    !is_step(source_name_at(places->source, range->name)))
		return;
	if (!places->has_step)
		places->step = range->name;
	places->has_step = true;
	range->is_wanted = true; /* represents all steps */
}

static void range_key_take_closing(void *state, const struct source_event *event, bool counts)
{
	struct range_places *places = state;

	(void)counts;
	open_ranges_take_closing(&places->ranges, places->source, event);
}

static void range_key_start(void *state, struct run *run, const void *options)
{
	struct range_places *places = state;

	(void)options;
	places->source = run_source(run);
	places->helpers = helpers_want(run, NULL);
	open_ranges_init(&places->ranges, NULL, NULL);
	run_reads_ranges(run, range_key_take_opening, range_key_take_closing, places);
	run_seeks(run, state);
}

static void range_key_cut(void *state, const struct cut *cut)
{
	if (cut->thread)
		open_ranges_cut(&((struct range_places *)state)->ranges, cut_place(cut),
				cut_ending(cut));
}

static void range_key_release(void *state)
{
	open_ranges_release(&((struct range_places *)state)->ranges);
}

static const struct analysis_kind analysis_range_places = {
	.name = "places in ranges",
	.state_bytes = sizeof(struct range_places),
	.options_bytes = sizeof(struct range_places_options),
	.start = range_key_start,
	.cut = range_key_cut,
	.release = range_key_release,
};

/* --- the key: kind of range, domain, and name + 1 --- */

#define KIND_SHIFT 60
#define DOMAIN_MAX 0x0fffffffu
_Static_assert(EVT_SCOPE_KIND_LIMIT <= 16, "kinds of ranges do not fit into the key");

static const void *range_key_key_start(struct run *run)
{
	return run_want(run, &analysis_range_places, NULL);
}

static uint64_t range_key_key_of_event(const void *state, const struct source_event *event)
{
	const struct range_places *places = state;
	const struct open_range *range = open_ranges_innermost(&places->ranges,
							       event->thread->index);
	uint32_t owner = range ? NEST_NONE : helpers_owner(places->helpers, event->thread->index);

	if (owner != NEST_NONE)
		range = open_ranges_innermost(&places->ranges, owner);
	if (!range)
		return 0;
	return (uint64_t)range->kind << KIND_SHIFT | (uint64_t)(range->domain & DOMAIN_MAX) << 32 |
	       ((uint64_t)(range->is_wanted ? places->step : range->name) + 1);
}

static void put_domain(const struct range_places *places, uint64_t key, struct table *table,
		       enum column_id column)
{
	const char *word = evt_scopes[key >> KIND_SHIFT].word;

	if (*word)
		table_set_text(table, column, word, strlen(word));
	else
		range_put_domain(
			table, column,
			source_name_at(places->source, (uint32_t)(key >> 32) & DOMAIN_MAX));
}

/* Range and domain. */
static void key_put_range(const void *state, uint64_t key, struct table *table,
			  const enum column_id *column)
{
	const struct range_places *places = state;
	const char *text = NO_RANGE;
	size_t length = strlen(NO_RANGE);

	if (key) {
		const struct source_name *name = source_name_at(places->source, (uint32_t)key - 1);

		text = name_text(name, &length);
		if (key >> KIND_SHIFT == EVT_SCOPE_KIND_operator && is_step(name)) {
			text = STEP_SHOWN;
			length = strlen(STEP_SHOWN);
		}
		put_domain(places, key, table, column[1]);
	}
	table_set_text(table, column[0], text, length);
}

const struct key_kind key_kind_range = {
	.name = "range",
	.start = range_key_key_start,
	.of = range_key_key_of_event,
	.put = key_put_range,
};
