/* SPDX-License-Identifier: MIT */
/* Runs a report like report_run(), but writes nothing. */
#include "report/core/report_batch.h"

#include <stdlib.h>
#include <string.h>

#include "report/core/lookahead.h"

static const struct report_kind *const kinds[REPORT_LIMIT] = {
#define REPORT(id, name, takes, sort, doc, more) [REPORT_##id] = &report_kind_##id,
#include "report/families.def"
};

const struct report_kind *report_kind_of(enum report_id id)
{
	return kinds[id];
}

bool batch_takes(enum report_id id)
{
	return kinds[id]->fill && report_infos[id].takes & TAKES_FORMAT;
}

enum key_id batch_key(enum report_id id, const char *name)
{
	for (int key = 0; key < KEY_ID_LIMIT; key++)
		if (!strcmp(key_list[key].report, report_infos[id].id) &&
		    (!name || !strcmp(key_list[key].name, name)))
			return (enum key_id)key;
	return KEY_ID_LIMIT;
}

void batch_init(struct batch *batch, struct report_request *outer)
{
	*batch = (struct batch){ .outer = outer };
}

size_t batch_add_own(struct batch *batch, enum report_id id, enum key_id by)
{
	struct batch_report *one = memory_zero(1, sizeof(*one));

	one->id = id;
	one->by = by;
	one->is_own = true;
	one->options = *batch->outer->options;
	one->options.report = id;
	one->options.by = by == KEY_ID_LIMIT ? (enum key_id)0 : by;
	one->options
		.format = FORMAT_JSON; /* for programs: no column is left out for lack of room */
	one->request = (struct report_request){ .options = &one->options,
						.source = batch->outer->source,
						.screen = batch->outer->screen };
	report_job_init(&one->job, kinds[id], &one->request);
	batch->report = memory_room(batch->report, batch->count, &batch->room,
				    sizeof(*batch->report));
	batch->report[batch->count] = one;
	return batch->count++;
}

size_t batch_add(struct batch *batch, enum report_id id, enum key_id by)
{
	size_t place;

	for (size_t i = 0; i < batch->count; i++)
		if (batch->report[i]->id == id && batch->report[i]->by == by &&
		    !batch->report[i]->is_own)
			return i;
	place = batch_add_own(batch, id, by);
	batch->report[place]->is_own = false;
	return place;
}

static void batch_want(struct batch *batch)
{
	batch->run = run_new(batch->outer->source, &batch->outer->scope);
	run_set_options(batch->run, batch->outer->options);
	for (size_t i = 0; i < batch->count; i++) {
		struct batch_report *one = batch->report[i];

		one->request.scope = batch->outer->scope;
		report_job_want(&one->job, batch->run);
	}
}

/*
 * Cells that are made on demand are made for all rows, because it is not known yet which rows are
 * needed.
 */
static void batch_fill(const struct batch *batch, struct batch_report *one)
{
	const struct arrangement all = { .sort = -1 };

	report_job_fill(&one->job);
	if (!batch->only_writes || !one->job.table.pending.next)
		table_arrange(&one->job.table, &all);
}

int batch_read(struct batch *batch)
{
	struct report_request *outer = batch->outer;
	const struct options *options = outer->options;
	int status = STATUS_OK;

	outer->scope = options->scope;
	if (lookahead_is_needed(&outer->scope) &&
	    lookahead_complete(&outer->scope, &batch->windows, outer->source, options->file,
			       options->file_count, outer->message, sizeof(outer->message)))
		status = STATUS_USAGE;
	if (!status) {
		batch_want(batch);
		request_read(outer, batch->run);
		for (size_t i = 0; i < batch->count; i++)
			batch_fill(batch, batch->report[i]);
	}
	return status;
}

void batch_release(struct batch *batch)
{
	for (size_t i = 0; i < batch->count; i++)
		report_job_release(&batch->report[i]->job);
	if (batch->run)
		run_free(batch->run);
	windows_release(&batch->windows);
	for (size_t i = 0; i < batch->count; i++)
		free(batch->report[i]);
	free(batch->report);
}
