/* SPDX-License-Identifier: MIT */
/*
 * Two files are two runs, even if they are copies of one; more files are grouped into runs by
 * session.
 */
#include "report/diff/sides.h"

#include <stdlib.h>

#include "report/core/clocks.h"
#include "report/options/opening.h"
#include "report/session/sessions.h"
#include "report/session/source_say.h"
#include "report/stacks/stack_report.h"

static void sides_add_files(struct sides *sides, char *const *file, size_t count)
{
	struct side *side = &sides->side[sides->count++];

	side->name = file[0];
	side->steps = 1;
	side->file = &sides->file[sides->file_count];
	side->file_count = count;
	for (size_t i = 0; i < count; i++)
		sides->file[sides->file_count++] = file[i];
}

static int sides_fail(struct report_request *request, const char *why)
{
	snprintf(request->message, sizeof(request->message), "diff: %s", why);
	return STATUS_USAGE;
}

/*
 * Adds one side for each run, in the order of their first files. If there are more than `most`, the
 * message explains why ranks are not one run.
 */
static size_t sides_add_sessions(struct sides *sides, char *const *file, size_t count, size_t most)
{
	struct sessions sessions;
	size_t groups;

	sessions_split(&sessions, file, count);
	groups = sessions.count;
	if (groups > most)
		sessions_say_why(&sessions);
	for (size_t i = 0; i < groups; i++)
		sides_add_files(sides, sessions.group[i].file, sessions.group[i].count);
	sessions_release(&sessions);
	return groups;
}

static int sides_split(struct sides *sides, char *const *file, size_t count, size_t against)
{
	struct report_request *request = sides->outer;

	sides->before = 1;
	if (against != SIZE_MAX) {
		if (!against || against >= count)
			return sides_fail(
				request,
				"--against stands between the runs after and those before: diff "
				"NEW.evt --against BASE1.evt BASE2.evt");
		sides->before = sides_add_sessions(sides, file + against, count - against,
						   SIZE_MAX);
		sides_add_sessions(sides, file, against, SIZE_MAX);
		return STATUS_OK;
	}
	if (count == 2) {
		sides_add_files(sides, file, 1);
		sides_add_files(sides, file + 1, 1);
		return STATUS_OK;
	}
	if (count < 2)
		return sides_fail(
			request,
			"two recordings are needed, as in: prof-report diff BEFORE.evt AFTER.evt");
	if (sides_add_sessions(sides, file, count, 2) != 2)
		return sides_fail(
			request,
			"the files are not of two runs; name those of two, or put --against in "
			"front of several runs before");
	return STATUS_OK;
}

static int side_open(struct side *side, struct report_request *outer)
{
	const struct options *options = outer->options;
	const struct source_options opening = opening_of(options);

	side->options = *options;
	side->options.file = side->file;
	side->options.file_count = side->file_count;
	side->request = (struct report_request){ .options = &side->options,
						 .screen = outer->screen };
	if (source_open(&side->request.source, side->file, side->file_count, &opening,
			outer->message, sizeof(outer->message)))
		return STATUS_INPUT;
	clocks_correct(side->request.source);
	side->is_open = true;
	batch_init(&side->batch, &side->request);
	return STATUS_OK;
}

int sides_open(struct sides *sides, struct report_request *request, char **file, size_t count,
	       size_t against)
{
	int status;

	*sides = (struct sides){ .outer = request };
	sides->side = memory_zero(count + 1, sizeof(*sides->side));
	sides->file = memory_zero(count + 1, sizeof(*sides->file));
	status = sides_split(sides, file, count, against);
	for (size_t i = 0; i < sides->count && !status; i++)
		status = side_open(&sides->side[i], request);
	return status;
}

size_t sides_add(struct sides *sides, enum report_id id, enum key_id by)
{
	size_t place = 0;

	for (size_t i = 0; i < sides->count; i++)
		place = batch_add(&sides->side[i].batch, id, by);
	return place;
}

size_t sides_add_own(struct sides *sides, enum report_id id, enum key_id by)
{
	size_t place = 0;

	for (size_t i = 0; i < sides->count; i++)
		place = batch_add_own(&sides->side[i].batch, id, by);
	return place;
}

bool sides_is_sampled(const struct sides *sides, size_t place)
{
	const struct batch_report *one = sides->side[0].batch.report[place];
	const struct stack_report *stacks = one->job.report.state;

	if (one->id != REPORT_flame && one->id != REPORT_top_down && one->id != REPORT_bottom_up)
		return false;
	return stacks->from->family == EVT_FAMILY_samples ||
	       stacks->from->family == EVT_FAMILY_native_samples ||
	       stack_report_is_estimated(stacks);
}

int sides_read(struct sides *sides)
{
	int status = STATUS_OK;

	for (size_t i = 0; i < sides->count && !status; i++) {
		struct side *side = &sides->side[i];

		status = batch_read(&side->batch);
		if (side->request.message[0])
			snprintf(sides->outer->message, sizeof(sides->outer->message),
				 "'%.150s': %.340s", side->name, side->request.message);
	}
	return status;
}

int sides_say_faults(const struct sides *sides)
{
	bool is_faulty = false;

	for (size_t i = 0; i < sides->count; i++) {
		is_faulty |= source_say_faults(sides->side[i].request.source);
		source_say_missing(sides->side[i].request.source);
	}
	return is_faulty ? STATUS_INPUT : STATUS_OK;
}

void sides_release(struct sides *sides)
{
	for (size_t i = 0; i < sides->count; i++) {
		struct side *side = &sides->side[i];

		if (!side->is_open)
			continue;
		batch_release(&side->batch);
		source_close(side->request.source);
	}
	free(sides->side);
	free(sides->file);
}
