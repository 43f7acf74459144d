/* SPDX-License-Identifier: MIT */
/*
 * Checks the possible causes in turn: filters, a family that was not recorded, losses, and limits
 * of the recording. If none holds, the program did nothing of the kind.
 */
#include "report/core/why_empty.h"

#include <stdio.h>
#include <string.h>

#include "report/base/text.h"
#include "report/base/units.h"
#include "report/options/options.h"
#include "report/session/holes.h"
#include "report/session/limitations.h"

/* The word for a family's events, and the sentence if the program made none. */
static const struct {
	const char *what, *none;
	bool by_default;
	bool is_always; /* recorded whatever INTERCEPT_TRACE is */
} absences[EVT_FAMILY_LIMIT] = {
#define FAMILY(name, by_default, needs, doc, none, why) { none, why, by_default, false },
#define FAMILY_ALWAYS(name, none, why) { none, why, true, true },
#include "collector/format/families.def"
};

#define STEPS_PREFIX "steps " /* begins the fact `capture` of a schedule */

/* Returns whether a comma-separated list of names contains the name. */
static bool list_holds(const struct source_name *list, const char *name)
{
	const char *at = list->text, *end = list->text + list->length;
	size_t length = strlen(name);

	while (at < end) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		size_t part = comma ? (size_t)(comma - at) : (size_t)(end - at);

		if (part == length && !memcmp(at, name, length))
			return true;
		at += part + 1;
	}
	return false;
}

/*
 * INTERCEPT_TRACE is without the family. A recording of no family at all has no list, but a
 * version.
 */
bool why_empty_is_off(const struct run *run, enum evt_family family)
{
	const struct source_name *trace = source_meta_of(run_source(run), "trace");

	if (absences[family].is_always)
		return false;
	if (!trace)
		return source_meta_of(run_source(run), "version") != NULL;
	return !list_holds(trace, evt_family_names[family]);
}

const struct source_name *why_empty_capture(const struct run *run)
{
	return source_meta_of(run_source(run), "capture");
}

bool why_empty_is_outside(const struct run *run)
{
	return source_meta_of(run_source(run), "outside") != NULL;
}

const char *why_empty_schedule(const char *capture)
{
	size_t length = strlen(STEPS_PREFIX);

	return strncmp(capture, STEPS_PREFIX, length) ? NULL : capture + length;
}

/* All but detail is recorded outside of captures, too. */
static bool why_empty_is_light(const struct run *run)
{
	return detail_is_of_captures(run_detail(run));
}

bool why_empty_is_limited(const struct run *run)
{
	return (source_meta_of(run_source(run), "capture") && !why_empty_is_light(run)) ||
	       run_events(run, EVT_capture_start) || source_gave_back(run_source(run));
}

bool why_empty_is_whole(const struct run *run)
{
	return source_meta_of(run_source(run), "capture") && !run_events_of_all(run) &&
	       !run_filters(run)->any;
}

void why_empty_name_filters(const struct run *run, const char *what, char text[ABSENCE_BYTES])
{
	const struct filter_settings *scope = &run_filters(run)->settings;
	const char *by = scope->by_capture   ? "--capture"
			 : scope->by_request ? "--request"
					     : "--step";
	const struct {
		const char *name;
		bool given;
	} filters[] = {
		{ "--process", scope->pid != FILTER_NO_ID },
		{ "--rank", scope->has_rank },
		{ "--thread", scope->tid != FILTER_NO_ID },
		{ "--time", !scope->windows && (scope->from_ns || scope->to_ns != UINT64_MAX) },
		{ by, scope->windows != NULL },
		{ scope->during ? "--during" : "--range", scope->range != NULL },
	};
	const char *before = " within ";

	snprintf(text, ABSENCE_BYTES, "%s", what);
	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		size_t used = strlen(text);

		if (!filters[i].given)
			continue;
		snprintf(text + used, ABSENCE_BYTES - used, "%s%s", before, filters[i].name);
		before = ", ";
	}
	snprintf(text + strlen(text), ABSENCE_BYTES - strlen(text),
		 "; without such options the report covers the whole run");
}

/* Writes which setting records the family in the next run. */
static void why_empty_name_setting(enum evt_family family, char text[ABSENCE_BYTES])
{
	const char *name = evt_family_names[family];

	if (absences[family].by_default)
		snprintf(text, ABSENCE_BYTES,
			 "%s was recorded: INTERCEPT_TRACE was without %s; record again with %s in "
			 "it, or without that setting",
			 absences[family].what, name, name);
	else
		snprintf(text, ABSENCE_BYTES,
			 "%s was recorded: INTERCEPT_TRACE was without %s; record again with "
			 "INTERCEPT_TRACE=+%s",
			 absences[family].what, name, name);
}

/*
 * INTERCEPT_BUDGET drew none of the steps that are selected, and records the family only in such.
 */
static bool is_without_detail(const struct run *run, enum evt_family family)
{
	static const uint64_t drawn = 0
#define FAMILY_DRAWN(name, gate) | 1ull << EVT_FAMILY_##name
#include "collector/format/families.def"
		;
	const struct detail *detail = run_detail(run);

	return drawn >> family & 1 && run_filters(run)->settings.windows &&
	       (detail->until_ns || why_empty_is_light(run)) && !detail->detailed;
}

/* Returns whether events were excluded by their stacks, before there were rows. */
static bool is_filtered_by_stack(const struct run *run)
{
	const struct options *options = run_options(run);

	for (size_t i = 0; options && i < options->filter_count; i++)
		if (!strncmp(options->filter[i], "stack~", 6))
			return true;
	return false;
}

/* Says that the events may be among those that were lost. Returns false if none were lost. */
static bool why_empty_is_lost(const struct run *run, const char *what, char text[ABSENCE_BYTES])
{
	const struct source *source = run_source(run);
	const struct source_loss *losses;
	char time[UNIT_TEXT_BYTES];

	if (!source_losses(source, &losses))
		return false;
	if (source_known_ns(source) < source_end_ns(source))
		snprintf(text, ABSENCE_BYTES, "%s was recorded until %s; what came later was lost",
			 what, unit_format_ns(time, source_known_ns(source)));
	else
		snprintf(text, ABSENCE_BYTES, "%s was recorded; other events were lost", what);
	return true;
}

static bool why_empty_is_trigger(const char *capture)
{
	return strcmp(capture, "trigger") == 0 || strncmp(capture, "trigger,", 8) == 0;
}

/* Recording was limited to what `name` says (INTERCEPT_CAPTURE, INTERCEPT_SCHEDULE). */
static void why_empty_limited(const struct run *run, const char *what, const char *name,
			      char text[ABSENCE_BYTES])
{
	bool never = why_empty_is_whole(run);

	if (never && why_empty_schedule(name))
		snprintf(
			text, ABSENCE_BYTES,
			"recording was limited to %s by INTERCEPT_SCHEDULE, and no such step came: "
			"the program made fewer steps, or none; choose earlier steps, or record "
			"without INTERCEPT_SCHEDULE",
			name);
	else if (never && why_empty_is_trigger(name))
		snprintf(text, ABSENCE_BYTES,
			 "nothing was asked for: with INTERCEPT_CAPTURE=trigger only what "
			 "`intercept "
			 "capture` or INTERCEPT_TRIGGER asks for is recorded");
	else if (never)
		snprintf(text, ABSENCE_BYTES,
			 "recording was limited to %s, which never opened: check INTERCEPT_CAPTURE",
			 name);
	else if (why_empty_schedule(name))
		snprintf(text, ABSENCE_BYTES, "%s was recorded in %s", what, name);
	else if (why_empty_is_trigger(name))
		snprintf(text, ABSENCE_BYTES, "%s was recorded in a capture", what);
	else
		snprintf(text, ABSENCE_BYTES, "%s was recorded while %s was open", what, name);
}

const char *why_empty_explain(const struct run *run, enum evt_family family,
			      struct why_empty *ret_absence)
{
	const struct source_name *capture = source_meta_of(run_source(run), "capture");
	char *text = ret_absence->text, name[ABSENCE_BYTES / 2] = "";

	if (capture)
		text_escape(name, sizeof(name), capture->text, capture->length);
	if (is_without_detail(run, family))
		snprintf(text, ABSENCE_BYTES,
			 "%s was recorded: of the steps within --step none has detail "
			 "(INTERCEPT_%s); prof-report steps shows which steps have it",
			 absences[family].what,
			 why_empty_is_light(run) ? "CAPTURE=trigger,light" : "BUDGET");
	else if (filter_is_set(&run_filters(run)->settings))
		why_empty_name_filters(run, absences[family].what, text);
	else if (why_empty_is_off(run, family) && why_empty_is_outside(run))
		snprintf(text, ABSENCE_BYTES,
			 "%s was recorded: the program was sampled from outside, which shows "
			 "stacks, "
			 "memory, threads and processes",
			 absences[family].what);
	else if (why_empty_is_off(run, family))
		why_empty_name_setting(family, text);
	else if (source_gave_back(run_source(run)))
		snprintf(text, ABSENCE_BYTES,
			 "%s was recorded in the part that INTERCEPT_KEEP_LAST has kept",
			 absences[family].what);
	else if (limitations_concern(run_source(run), 1ull << family))
		snprintf(text, ABSENCE_BYTES, "%s was recorded", absences[family].what);
	else if (is_filtered_by_stack(run))
		snprintf(text, ABSENCE_BYTES, "no stack meets --filter");
	else if (capture)
		why_empty_limited(run, absences[family].what, name, text);
	else if (!why_empty_is_lost(run, absences[family].what, text))
		snprintf(text, ABSENCE_BYTES, "%s", absences[family].none);
	return text;
}
