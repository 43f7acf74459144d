/* SPDX-License-Identifier: MIT */
/* Writes each document into memory, one for each report, and passes it to the caller. */
#include "report/diff/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/diff/diff.h"
#include "report/stacks/stack_report.h"

#define FLAME_NODES_MAX 20000u

static FILE *compare_text_open(char **text, size_t *length)
{
	FILE *out = open_memstream(text, length);

	if (!out)
		memory_grow(NULL, SIZE_MAX, 1); /* ends the program with the message about memory */
	return out;
}

/* Passes what diff->has_report selects: one report, or all. */
static int diff_put_once(struct diff *diff, take_compared *take, void *context, size_t *ret_again)
{
	struct screen *screen = &diff->request->screen;
	const struct report_info *info = diff->has_report ? &report_infos[diff->report] : NULL;
	struct compared one = { .report = info ? info->name : NULL,
				.by = info && diff->by != KEY_ID_LIMIT ? key_list[diff->by].name
								       : NULL,
				.metric = info ? info->sort : NULL };
	char *text[3] = { NULL };
	size_t length[3];
	FILE *out[3];
	struct diff_reader reader;
	int status;

	for (unsigned int i = 0; i < 3; i++)
		out[i] = compare_text_open(&text[i], &length[i]);
	reader = (struct diff_reader){ .head = out[1], .foot = out[2] };
	screen->out = out[0];
	status = diff_write(diff, &reader);
	for (unsigned int i = 0; i < 3; i++)
		fclose(out[i]);
	one.json = text[0];
	one.length = length[0];
	one.head = text[1];
	one.foot = text[2];
	one.rows = reader.rows;
	one.shown = reader.shown;
	one.most = diff->request->options->limit;
	if (!status)
		*ret_again = take(context, &one);
	for (unsigned int i = 0; i < 3; i++)
		free(text[i]);
	return status;
}

/* Repeats with fewer rows as long as the caller asks for that. */
static int diff_put(struct diff *diff, struct options *options, take_compared *take, void *context)
{
	size_t most = options->limit, again = 0;
	int status = diff_put_once(diff, take, context, &again);

	while (!status && again) {
		options->limit = again;
		again = 0;
		status = diff_begin_again(diff);
		if (!status)
			status = diff_put_once(diff, take, context, &again);
	}
	options->limit = most;
	return status;
}

/* Passes the overview, then each report of the overview, by the key that it has there. */
static int diff_put_all(struct diff *diff, struct options *options, take_compared *take,
			void *context)
{
	int status = diff_put(diff, options, take, context);

	diff->has_report = true;
	for (size_t i = 0; i < DIFF_OVERVIEW && !status; i++) {
		size_t before = 0;

		while (before < i && diff->shown[before].place != diff->shown[i].place)
			before++;
		if (before < i)
			continue;
		diff->report = diff->shown[i].report;
		diff->place = diff->shown[i].place;
		diff->by = sides_after(&diff->sides)->batch.report[diff->place]->by;
		status = diff_begin_again(diff);
		if (!status)
			status = diff_put(diff, options, take, context);
	}
	return status;
}

/* Repeats with fewer functions as long as the caller asks for that. */
static void diff_put_flame(struct diff *diff, size_t place, take_compared *take, void *context)
{
	const struct batch_report *one = sides_after(&diff->sides)->batch.report[place];
	const struct stack_report *stacks = one->job.report.state;
	struct diff_flame flame;
	size_t most = FLAME_NODES_MAX;

	diff_flame_make(&flame, &diff->sides, place);
	while (most) {
		char *text = NULL;
		size_t length, shown;
		FILE *out = compare_text_open(&text, &length);

		shown = diff_flame_write_json(&flame, out, most);
		fclose(out);
		most = take(context, &(struct compared){ .flame = stacks->from->name,
							 .title = flame.title,
							 .json = text,
							 .length = length,
							 .rows = flame.tree.count - 1,
							 .shown = shown,
							 .most = most });
		free(text);
	}
	diff_flame_release(&flame);
}

static void diff_put_flames(struct diff *diff, take_compared *take, void *context)
{
	for (size_t i = 0; i < DIFF_FLAMES; i++)
		if (diff_has_stacks(diff, diff->flame[i], false))
			diff_put_flame(diff, diff->flame[i], take, context);
}

static int diff_documents(struct diff *diff, struct options *options, take_compared *take,
			  void *context)
{
	int status = diff_prepare(diff);

	if (!status)
		status = diff_read(diff);
	if (!status)
		status = diff_put_all(diff, options, take, context);
	if (!status)
		diff_put_flames(diff, take, context);
	if (!status)
		sides_say_faults(&diff->sides);
	return status;
}

int compare_put(struct report_request *request, char *const *base, size_t base_count, size_t most,
		take_compared *take, void *context)
{
	struct options options = *request->options;
	struct report_request own = { .options = &options, .screen = request->screen };
	struct diff *diff = memory_zero(1, sizeof(*diff));
	int status;

	options.report = REPORT_diff;
	options.format = FORMAT_JSON;
	options.limit = most;
	options.output = NULL;
	options.by_name = NULL;
	options.against = options.file_count;
	options.file = memory_zero(options.file_count + base_count + 1, sizeof(*options.file));
	memcpy(options.file, request->options->file, options.against * sizeof(*options.file));
	memcpy(options.file + options.against, base, base_count * sizeof(*options.file));
	options.file_count = options.against + base_count;
	diff->request = &own;
	diff->by = KEY_ID_LIMIT;
	diff->has_flames = true;
	status = diff_documents(diff, &options, take, context);
	if (status)
		snprintf(request->message, sizeof(request->message), "%s", own.message);
	diff_release(diff);
	request_release(&own);
	free(options.file);
	free(diff);
	return status;
}
