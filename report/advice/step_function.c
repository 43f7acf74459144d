/* SPDX-License-Identifier: MIT */
/*
 * A function is the loop's if some of its samples say so: all are read first. A single one may have
 * been taken just before or after an optimizer's step, and be counted in it.
 */
#include "report/advice/step_function.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/text.h"
#include "report/samples/place_roles.h"

#define WORK_SHARE 0.5
/* Rows of other threads, of samples that have another row as well, and of the first steps. */
#define STEP_FUNCTION_BESIDE \
	(STEP_LINES(HOLDERS) | STEP_LINES(RESTS) | STEP_LINES(STARVED) | STEP_LINES(WARM))
#define LOOP_SHARE 0.05 /* of its samples: a function with more of them runs the loop */

/* Which part of a training a place belongs to. */
enum part { PART_HELPER, PART_LOOP, PART_MODEL };

struct seen {
	enum part part;
	uint64_t code; /* of the innermost own function; 0: there is none */
};

struct candidate {
	uint64_t code;
	uint64_t looks, loop_looks;
	uint64_t work_ns;
	const struct known_work *work;
	struct line_sums lines;
};

struct finding {
	const struct bottleneck *bottleneck;
	struct own own;
	struct candidate *candidate;
	size_t count, room;
};

static bool step_function_is_file(const struct finding *finding, const struct sample_code *code,
				  const char *end)
{
	size_t length;
	const char *file = name_text(source_name_at(finding->own.source, code->file), &length);

	return place_file_is(file, length, end);
}

/* A module is called, and not copied or asked for its state. */
static bool step_function_is_call(const struct finding *finding, const struct sample_code *code)
{
	size_t length;
	const char *name = name_text(source_name_at(finding->own.source, code->function), &length);

	return text_is(name, length, "_call_impl") || text_is(name, length, "_wrapped_call_impl");
}

static bool step_function_is_in(const struct finding *finding, const struct sample_code *code,
				const char *folder)
{
	size_t length;
	const char *file = name_text(source_name_at(finding->own.source, code->file), &length);

	return memmem(file, length, folder, strlen(folder)) != NULL;
}

/* A comprehension is a function of its own, within the one that is meant. */
static bool is_made_up(const struct finding *finding, const struct sample_code *code)
{
	size_t length;
	const char *name = name_text(source_name_at(finding->own.source, code->function), &length);

	return length && name[0] == '<' && !text_is(name, length, "<module>");
}

/* `seen` has what is inside of the frame. */
static void step_function_take_frame(struct finding *finding, const struct sample_place *place,
				     const struct sample_code *code, struct seen *seen)
{
	bool is_users = own_place_is_users(finding->bottleneck->lines->samples, &finding->own,
					   place);

	if (is_users && !seen->code && !is_made_up(finding, code))
		seen->code = place->code;
	if (is_users)
		return;
	if (step_function_is_file(finding, code, "torch/nn/modules/module.py") &&
	    step_function_is_call(finding, code))
		seen->part = seen->code ? PART_MODEL : PART_LOOP;
	else if (!seen->code &&
		 (step_function_is_file(finding, code, "torch/autograd/graph.py") ||
		  step_function_is_file(finding, code, "torch/autograd/__init__.py") ||
		  step_function_is_in(finding, code, "torch/optim/") ||
		  step_function_is_in(finding, code, "torch/utils/data/")))
		seen->part = PART_LOOP;
}

static struct seen step_function_look_at(struct finding *finding, uint64_t key)
{
	const struct samples *samples = finding->bottleneck->lines->samples;
	const struct sample_place *place = samples_place(samples, key);
	struct seen seen = { PART_HELPER, 0 };

	for (unsigned int depth = 0; place && depth < SAMPLE_DEPTH_MAX; depth++) {
		const struct sample_code *code = samples_code(samples, place->code);

		if (!code || own_place_begins_process(samples, &finding->own, place))
			break;
		step_function_take_frame(finding, place, code, &seen);
		place = place->from ? samples_place(samples, place->from) : NULL;
	}
	return seen;
}

static struct candidate *step_function_candidate_at(struct finding *finding, uint64_t code)
{
	for (size_t i = 0; i < finding->count; i++)
		if (finding->candidate[i].code == code)
			return &finding->candidate[i];
	finding->candidate = memory_room(finding->candidate, finding->count, &finding->room,
					 sizeof(*finding->candidate));
	finding->candidate[finding->count].code = code;
	line_sums_init(&finding->candidate[finding->count].lines);
	return &finding->candidate[finding->count++];
}

static bool step_function_is_counted(const struct step_lines_row *row)
{
	return row->of <= STEP_LINES_WAITS;
}

static bool runs_the_loop(const struct candidate *candidate)
{
	return (double)candidate->loop_looks > LOOP_SHARE * (double)candidate->looks;
}

static void step_function_add_row(struct finding *finding, const struct step_lines_row *row)
{
	const struct samples *samples = finding->bottleneck->lines->samples;
	struct seen seen = step_function_look_at(finding, row->place);
	struct candidate *candidate;
	struct wait_place place;

	if (!seen.code || seen.part == PART_MODEL)
		return;
	candidate = step_function_candidate_at(finding, seen.code);
	candidate->looks += row->looks;
	if (seen.part == PART_LOOP || !step_function_is_counted(row))
		candidate->loop_looks += row->looks;
	wait_place_look(samples, &finding->own, row->place, &place);
	if (!step_function_is_counted(row) || !place.has_line || !place.line.is_users)
		return;
	place.line.ns = row->ns;
	place.line.looks = row->looks;
	line_sums_add(&candidate->lines, &place.line);
	if (place.work && (!candidate->work || !strcmp(candidate->work->id, place.work->id))) {
		candidate->work = place.work;
		candidate->work_ns += row->ns;
	}
}

bool step_function_find(const struct bottleneck *bottleneck, struct step_function *ret_function)
{
	const struct step_lines *lines = bottleneck->lines;
	struct finding finding = { .bottleneck = bottleneck };
	const struct candidate *most = NULL;
	bool is_found;

	own_init(&finding.own, bottleneck->source, run_options(bottleneck->run));
	own_places_note_scripts(lines->samples, &finding.own);
	for (size_t i = 0; i < lines->row_count; i++)
		if (!(1u << lines->row[i].of & STEP_FUNCTION_BESIDE))
			step_function_add_row(&finding, &lines->row[i]);
	for (size_t i = 0; i < finding.count; i++)
		if (!runs_the_loop(&finding.candidate[i]) &&
		    (!most || finding.candidate[i].lines.ns > most->lines.ns))
			most = &finding.candidate[i];
	*ret_function = (struct step_function){ .ns = 0 };
	is_found = most && line_sums_most(&most->lines, &ret_function->line);
	if (is_found) {
		ret_function->ns = most->lines.ns;
		ret_function->looks = most->lines.looks;
		if ((double)most->work_ns >= WORK_SHARE * (double)most->lines.ns)
			ret_function->work = most->work;
	}
	for (size_t i = 0; i < finding.count; i++)
		line_sums_release(&finding.candidate[i].lines);
	free(finding.candidate);
	own_release(&finding.own);
	return is_found;
}
