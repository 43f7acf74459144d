/* SPDX-License-Identifier: MIT */
/* Counts the openings of each name; the most frequent names are then printed. */
#include "report/ranges/range_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/text.h"
#include "report/base/units.h"
#include "report/scopes/open_ranges.h"
#include "report/core/why_empty.h"

#define NAMES_SHOWN 5
#define NAME_BYTES 41

static void count_name(struct range_names *names, const struct source_event *event, uint64_t id)
{
	uint32_t name = event_name(names->source, event, id);
	bool added;
	struct map_entry *place = map_put(&names->places, (uint64_t)name + 1, &added);

	if (added) {
		names->name = memory_room(names->name, names->count, &names->room,
					  sizeof(*names->name));
		names->name[names->count] = (struct range_name){ .name = name };
		place->value = names->count++;
	}
	names->name[place->value].count++;
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
	map_init(&names->places);
	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++) {
		const struct evt_role *role = &evt_roles[id];
		uint32_t fields = role->label ? 1u << (role->label - 1) : 0;

		if (role->title && evt_scopes[role->opens].is_range)
			run_reads(run, (enum evt_id)id, fields | 1u << (role->title - 1),
				  range_names_take, names);
	}
	run_seeks(run, state);
}

static void range_names_release(void *state)
{
	struct range_names *names = state;

	map_release(&names->places);
	free(names->name);
}

const struct analysis_kind analysis_range_names = {
	.name = "range names",
	.state_bytes = sizeof(struct range_names),
	.options_bytes = sizeof(struct range_names_options),
	.start = range_names_start,
	.release = range_names_release,
};

/* --- in words --- */

/* The most frequent name that is not as frequent as `last`, or is and came after it. */
static const struct range_name *most_after(const struct range_names *names,
					   const struct range_name *last)
{
	const struct range_name *most = NULL;

	for (size_t i = 0; i < names->count; i++) {
		const struct range_name *name = &names->name[i];
		bool follows = !last || name->count < last->count ||
			       (name->count == last->count && name > last);

		if (follows && (!most || name->count > most->count))
			most = name;
	}
	return most;
}

const char *range_names_say(const struct range_names *names, struct range_names_text *ret_text)
{
	const struct range_name *entry = most_after(names, NULL);
	char *text = ret_text->text, name[NAME_BYTES], count[UNIT_TEXT_BYTES];
	const char *before = "there were: ";

	snprintf(text, RANGE_NAMES_BYTES, "%s", entry ? "" : "no range was recorded");
	for (size_t i = 0; i < NAMES_SHOWN && entry; i++) {
		size_t used = strlen(text), length;
		const char *shown = name_text(source_name_at(names->source, entry->name), &length);

		text_escape(name, sizeof(name), shown, length);
		snprintf(text + used, RANGE_NAMES_BYTES - used, "%s%s (%s)", before, name,
			 unit_format_count(count, entry->count));
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
