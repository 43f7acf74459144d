/* SPDX-License-Identifier: MIT */
/* Counts the openings of each name in a map; the most frequent names are then printed. */
#include "report/ranges/range_names.h"

#include <stdio.h>
#include <string.h>

#include "report/base/text.h"
#include "report/base/units.h"
#include "report/scopes/open_ranges.h"
#include "report/core/why_empty.h"

#define NAMES_SHOWN 5
#define NAME_BYTES 41

static void count_name(struct range_names *names, const struct source_event *event, uint64_t id)
{
	bool added;

	map_put(&names->count, (uint64_t)event_name(names->source, event, id) + 1, &added)->value++;
}

static void range_names_take(void *state, const struct source_event *event, bool counts)
{
	uint64_t title;

	if (counts && event_range_title(&event->event, &title))
		count_name(state, event, title);
}

static void range_names_start(void *state, struct run *run, const void *options)
{
	struct range_names *names = state;

	(void)options;
	names->source = run_source(run);
	map_init(&names->count);
	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++) {
		const struct evt_role *role = &evt_roles[id];
		uint32_t fields = role->label ? 1u << (role->label - 1) : 0;

		if (role->title && evt_scopes[role->opens].is_range)
			run_reads(run, (enum evt_id)id, fields | 1u << (role->title - 1),
				  range_names_take, names);
	}
}

static void range_names_release(void *state)
{
	map_release(&((struct range_names *)state)->count);
}

const struct analysis_kind analysis_range_names = {
	.name = "range names",
	.state_bytes = sizeof(struct range_names),
	.options_bytes = sizeof(struct range_names_options),
	.start = range_names_start,
	.release = range_names_release,
};

/* --- in words --- */

/* Among names with equal counts, the one that came first precedes. */
static bool range_names_comes_before(const struct map_entry *left, const struct map_entry *right)
{
	if (left->value != right->value)
		return left->value > right->value;
	return left->key < right->key;
}

static const struct map_entry *most_after(const struct range_names *names,
					  const struct map_entry *last)
{
	const struct map_entry *most = NULL;

	for (size_t i = 0; names->count.count && i <= names->count.mask; i++) {
		const struct map_entry *entry = &names->count.entry[i];

		if (entry->key && (!last || range_names_comes_before(last, entry)) &&
		    (!most || range_names_comes_before(entry, most)))
			most = entry;
	}
	return most;
}

const char *range_names_say(const struct range_names *names, struct range_names_text *ret_text)
{
	const struct map_entry *entry = most_after(names, NULL);
	char *text = ret_text->text, name[NAME_BYTES], count[UNIT_TEXT_BYTES];
	const char *before = "there were: ";

	snprintf(text, RANGE_NAMES_BYTES, "%s", entry ? "" : "no range was recorded");
	for (size_t i = 0; i < NAMES_SHOWN && entry; i++) {
		size_t used = strlen(text), length;
		const char *shown = name_text(
			source_name_at(names->source, (uint32_t)entry->key - 1), &length);

		text_escape(name, sizeof(name), shown, length);
		snprintf(text + used, RANGE_NAMES_BYTES - used, "%s%s (%s)", before, name,
			 unit_format_count(count, entry->value));
		before = ", ";
		entry = most_after(names, entry);
	}
	if (entry)
		strncat(text, ", ...", RANGE_NAMES_BYTES - strlen(text) - 1);
	return text;
}

bool range_names_why(const struct run *run, char *ret_text, size_t bytes)
{
	const struct source_name *step = source_meta_of(run_source(run), "step");
	char name[NAME_BYTES];

	if (!step || run_filters(run)->any || why_empty_is_limited(run))
		return false;
	text_escape(name, sizeof(name), step->text, step->length);
	snprintf(ret_text, bytes, "INTERCEPT_STEP=%s ended no step", name);
	return true;
}
