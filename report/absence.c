/* SPDX-License-Identifier: MIT */
/* Why there is nothing to show: see absence.h. */
#include "report/absence.h"

#include <stdio.h>
#include <string.h>

#include "report/text.h"

/* What a family's events are called, and what is said when the program made none. */
static const struct {
	const char *what, *none;
} absences[EVT_FAMILY_LIMIT] = {
	[EVT_FAMILY_system] = { "no event", "no event was recorded" },
	[EVT_FAMILY_alloc] = { "no allocation", "nothing was allocated" },
	[EVT_FAMILY_nvtx] = { "no NVTX range",
			      "no NVTX ranges; Python: with "
			      "torch.cuda.nvtx.range(\"name\"): ... (no GPU needed)" },
	[EVT_FAMILY_cuda] = { "no CUDA call", "no CUDA call was seen: the program made none, or "
					      "has the CUDA runtime "
					      "linked in statically (nvcc -cudart shared links it "
					      "so that it is seen)" },
	[EVT_FAMILY_steps] = { "no step",
			       "no step was seen: one ends with an optimizer's step() or a step of "
			       "torch.profiler, or a range that INTERCEPT_STEP names" },
	[EVT_FAMILY_torch] = { "no operator", "no PyTorch operator was seen: the program did not "
					      "import torch, or made no call" },
	[EVT_FAMILY_tensors] = { "no tensor's memory",
				 "no memory of PyTorch's tensors was seen: the "
				 "program used no PyTorch" },
	[EVT_FAMILY_modules] = { "no module",
				 "no call of a PyTorch module was seen: the program made none, or "
				 "torch.compile made them its own" },
	[EVT_FAMILY_capture] = { "no capture range", "no capture range opened" },
};

#define STEPS_PREFIX "steps " /* of the fact `capture`, before a schedule */

static const struct source_name *absence_meta(const struct model *model, const char *key)
{
	const struct source_meta *meta;
	size_t count = source_metas(model->source, &meta);

	for (size_t i = 0; i < count; i++)
		if (meta[i].key->text && !strcmp(meta[i].key->text, key) && meta[i].value->text)
			return meta[i].value;
	return NULL;
}

/* Whether a list of names with commas between holds the name. */
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

/* INTERCEPT_TRACE without the family; a recording of no family at all has no list, but a version. */
bool absence_is_off(const struct model *model, enum evt_family family)
{
	const struct source_name *trace = absence_meta(model, "trace");

	if (family == EVT_FAMILY_system || family == EVT_FAMILY_steps)
		return false;
	if (!trace)
		return absence_meta(model, "version") != NULL;
	return !list_holds(trace, evt_family_names[family]);
}

void absence_clear(const struct model *model, struct table *table,
		   const struct absence_column *column, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (absence_is_off(model, column[i].family))
			table_set_none(table, column[i].column);
}

const struct source_name *absence_capture(const struct model *model)
{
	return absence_meta(model, "capture");
}

const char *absence_schedule(const char *capture)
{
	size_t length = strlen(STEPS_PREFIX);

	return strncmp(capture, STEPS_PREFIX, length) ? NULL : capture + length;
}

bool absence_is_limited(const struct model *model)
{
	return absence_meta(model, "capture") || model->by_id[EVT_capture_start];
}

bool absence_is_whole(const struct model *model)
{
	return absence_meta(model, "capture") && !model->counted && !model->filters.any;
}

static void absence_name_filters(const struct model *model, const char *what,
				 char text[ABSENCE_BYTES])
{
	const struct filter_settings *scope = &model->filters.settings;
	const struct {
		const char *name;
		bool given;
	} filters[] = {
		{ "--process", scope->pid != FILTER_NO_ID },
		{ "--thread", scope->tid != FILTER_NO_ID },
		{ "--time", scope->from_ns || scope->to_ns != UINT64_MAX },
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
}

const char *absence_explain(const struct model *model, enum evt_family family,
			    struct absence *ret_absence)
{
	const struct source_name *capture = absence_meta(model, "capture");
	char *text = ret_absence->text, name[ABSENCE_BYTES / 2] = "";

	if (capture)
		text_escape(name, sizeof(name), capture->text, capture->length);
	if (model->filters.any)
		absence_name_filters(model, absences[family].what, text);
	else if (absence_is_off(model, family))
		snprintf(text, ABSENCE_BYTES, "%s was recorded: INTERCEPT_TRACE was without %s",
			 absences[family].what, evt_family_names[family]);
	else if (absence_is_whole(model) && absence_schedule(name))
		snprintf(text, ABSENCE_BYTES,
			 "recording was limited to %s by INTERCEPT_SCHEDULE, and no such step came",
			 name);
	else if (absence_is_whole(model))
		snprintf(text, ABSENCE_BYTES, "recording was limited to %s, which never opened",
			 name);
	else if (capture && absence_schedule(name))
		snprintf(text, ABSENCE_BYTES, "%s was recorded in %s", absences[family].what, name);
	else if (capture)
		snprintf(text, ABSENCE_BYTES, "%s was recorded while %s was open",
			 absences[family].what, name);
	else
		snprintf(text, ABSENCE_BYTES, "%s", absences[family].none);
	return text;
}
