/* SPDX-License-Identifier: MIT */
/* Losses, facts about the run, faults of the files: what reports show beside their figures. */
#include "report/session/holes.h"
#include "report/session/source_state.h"
#include "report/session/limitations.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "collector/format/error.h"

#define LOSSES_MAX 4096u /* limit for rows; later losses belong to no process */

uint64_t add_capped(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* The row of (process, reason): at most one per reason for each known process. */
static int loss_find(struct source *source, struct source_process *process, uint32_t reason,
		     struct source_loss **ret_loss)
{
	int error;

	for (size_t i = source->loss_count; i > 0; i--) {
		struct source_loss *loss = &source->loss[i - 1];

		if (loss->process == process && loss->reason == reason) {
			*ret_loss = loss;
			return EVT_OK;
		}
	}
	if (source->loss_count >= LOSSES_MAX && process)
		return loss_find(source, NULL, reason, ret_loss);
	error = array_reserve(&source->loss, source->loss_count, &source->loss_room,
			      sizeof(*source->loss));
	if (error)
		return error;
	source->loss[source->loss_count] = (struct source_loss){ process, reason, 0, UINT64_MAX,
								 0 };
	*ret_loss = &source->loss[source->loss_count++];
	return EVT_OK;
}

/* Between the end of the previous frame and this moment. */
static void loss_place(const struct file_row *file, struct source_loss *loss, uint64_t time_ns)
{
	if (file->before_ns < loss->from_ns)
		loss->from_ns = file->before_ns;
	if (time_ns > loss->to_ns)
		loss->to_ns = time_ns;
}

int loss_add(struct file_row *file, const struct evt_lost *event, uint64_t time_ns)
{
	uint32_t reason = event->reason < EVT_LOST_LIMIT_COUNT ? (uint32_t)event->reason : 0;
	struct process_row *row = NULL;
	struct source_loss *loss;
	int error = EVT_OK;

	if (event->process)
		error = process_mention(file, event->process, time_ns, &row);
	if (!error)
		error = loss_find(file->source, row ? &row->process : NULL, reason, &loss);
	if (error)
		return error;
	loss->count = add_capped(loss->count, event->count);
	loss_place(file, loss, time_ns);
	if (!lost_is_of_events(reason))
		return EVT_OK;
	if (reason == EVT_LOST_LIMIT) {
		loss->count = add_capped(loss->count, file->left_out);
		file->left_out = 0;
	}
	file->lost_told = add_capped(file->lost_told, event->count);
	if (row)
		row->process.lost = add_capped(row->process.lost, event->count);
	return loss_is_of_frames(reason)
		       ? EVT_OK /* see file_find_hole() */
		       : hole_add(file, row ? &row->process : NULL, file->before_ns, time_ns);
}

const char *source_loss_text(const struct source_loss *loss)
{
	return loss->reason < EVT_LOST_LIMIT_COUNT ? evt_lost_reasons[loss->reason]
						   : evt_lost_reasons[0];
}

int loss_add_unreported(struct file_row *file)
{
	const struct reader_facts *facts = reader_facts(file->reader);
	struct evt_lost event = { .reason = EVT_LOST_LIMIT };

	if (!file->counts_before) {
		file->counts_before = true;
		file->lost_told = add_capped(file->lost_told, facts->before.lost);
	}
	if (!facts->complete || facts->end.lost <= file->lost_told)
		return EVT_OK;
	event.count = facts->end.lost - file->lost_told;
	file->lost_told = facts->end.lost; /* counted once, however many ends there are */
	if (facts->end.frames != facts->frames + facts->before.frames)
		event.reason = 0; /* it may have been recorded in a frame that is missing */
	file->before_ns = file->watermark_ns;
	if (event.reason)
		file_cut_short(file);
	return loss_add(file, &event, file_time(file, facts->end.end_ns));
}

static bool name_says(const struct source_name *name, const char *text)
{
	return name->text && !strcmp(name->text, text);
}

/* UINT64_MAX: the name is no number. */
static uint64_t source_losses_name_number(const struct source_name *name)
{
	uint64_t number = 0;

	if (!name->text || !name->length || name->length > 10)
		return UINT64_MAX;
	for (size_t i = 0; i < name->length; i++) {
		if (name->text[i] < '0' || name->text[i] > '9')
			return UINT64_MAX;
		number = number * 10 + (uint64_t)(name->text[i] - '0');
	}
	return number;
}

#define STACKS_EVERY_LIMIT (1ull << 32)

static void process_add_fact(struct source *source, struct source_process *process,
			     const struct source_name *key, const struct source_name *value)
{
	uint64_t number = source_losses_name_number(value);

	if (name_says(key, "rank")) {
		process->rank = number;
	} else if (name_says(key, "world_size") && number != UINT64_MAX) {
		process->world_size = number;
	} else if (name_says(key, "stacks_every") && number < STACKS_EVERY_LIMIT) {
		process->stacks_every = number;
	} else if (name_says(key, "rank_variable")) {
		process->rank_is_torch = name_says(value, "RANK") ||
					 name_says(value, "init_process_group");
		source->has_torch_ranks |= process->rank_is_torch;
	} else {
		limitation_add(process, key, value);
	}
}

uint64_t source_rank(const struct source *source, const struct source_process *process)
{
	return source->has_torch_ranks && !process->rank_is_torch ? UINT64_MAX : process->rank;
}

int meta_add(struct file_row *file, const struct evt_meta *event, uint64_t time_ns)
{
	struct source *source = file->source;
	struct process_row *row = NULL;
	int error;

	if (event->process && !process_mention(file, event->process, time_ns, &row))
		process_add_fact(source, &row->process,
				 source_name_of(source, &file->file, event->key),
				 source_name_of(source, &file->file, event->value));
	if (source->meta_count >= SOURCE_METAS_MAX)
		return EVT_OK;
	error = array_reserve(&source->meta, source->meta_count, &source->meta_room,
			      sizeof(*source->meta));
	if (!error && event->process)
		error = process_mention(file, event->process, time_ns, &row);
	if (error)
		return error;
	source->meta[source->meta_count++] = (struct source_meta){
		row ? &row->process : NULL,
		&file->file,
		source_name_of(source, &file->file, event->key),
		source_name_of(source, &file->file, event->value),
	};
	return EVT_OK;
}

void fault_add(struct file_row *file, uint64_t offset, int error, const char *format, ...)
{
	struct source *source = file->source;
	struct source_fault *fault;
	va_list arguments;

	if (source->fault_count >= SOURCE_FAULTS_MAX ||
	    array_reserve(&source->fault, source->fault_count, &source->fault_room,
			  sizeof(*source->fault)))
		return;
	fault = &source->fault[source->fault_count++];
	fault->file = &file->file;
	fault->offset = offset;
	fault->error = error;
	va_start(arguments, format);
	vsnprintf(fault->text, sizeof(fault->text), format, arguments);
	va_end(arguments);
}

bool source_file_has_holes(const struct source *source, const struct source_file *file)
{
	const struct source_fault *fault;
	size_t count = source_faults(source, &fault);

	for (size_t i = 0; i < count; i++)
		if (fault[i].file == file && fault[i].error != EVT_TRUNCATED)
			return true;
	return false;
}
