/* SPDX-License-Identifier: MIT */
/*
 * Samples of Python's stacks as events of a trace, for formats that have a line for them: what a thread was in and what it did
 * there, one stretch after the other. See chrome.h. Kineto's schema has none: its readers take each span of a thread for an
 * operator.
 */
#include "report/export/chrome.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/base/json.h"
#include "report/base/memory.h"
#include "report/samples/sample_frame.h"
#include "report/samples/stretches.h"

#define FRAMES_MAX 100u /* of a stack in the trace */

static FILE *text_open(char **text, size_t *length)
{
	FILE *out = open_memstream(text, length);

	if (!out)
		memory_grow(NULL, SIZE_MAX, 1); /* ends the program with the usual line */
	return out;
}

/* The innermost frame as JSON, whose memory is the caller's. */
static struct trace_text name_of(const struct chrome *chrome, const struct sample_place *place)
{
	char *plain = NULL, *quoted = NULL;
	size_t plain_length = 0, length = 0;
	FILE *out = text_open(&plain, &plain_length);
	struct json json = { .out = NULL };

	if (place)
		sample_frame_print(out, chrome->samples, chrome->source, place);
	else
		fputs("(unknown)", out);
	fclose(out);
	json.out = text_open(&quoted, &length);
	json_text(&json, NULL, plain, plain_length);
	fclose(json.out);
	free(plain);
	return (struct trace_text){ quoted, length };
}

static void put_stack(const struct chrome *chrome, struct trace_file *file,
		      const struct sample_place *place)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = text_open(&text, &length);

	sample_stack_print(out, chrome->samples, chrome->source, place, FRAMES_MAX);
	fclose(out);
	trace_argument_text(file, "stack", (struct trace_text){ text, length });
	free(text);
}

static void take_stretch(void *context, const struct stretch *stretch)
{
	struct chrome *chrome = context;
	const struct sample_place *place = samples_place(chrome->samples, stretch->place);
	const char *state = stretch_state_text(stretch->state);
	struct chrome_place where = { .phase = 'X',
				      .category = CHROME_STACKS,
				      .time_ns = stretch->from_ns,
				      .duration_ns = stretch->to_ns - stretch->from_ns };
	struct trace_file *file;

	if (!stretch->place)
		return;
	where.name = stretch->place == SAMPLE_TORN_PLACE ? TRACE_TEXT("\"" SAMPLE_TORN "\"")
							 : name_of(chrome, place);
	file = chrome_begin(chrome, stretch->thread, &where);
	if (file) {
		trace_argument_text(file, "state", (struct trace_text){ state, strlen(state) });
		trace_argument_number(file, "looks", stretch->looks);
		if (place)
			put_stack(chrome, file, place);
		trace_end(file);
	}
	if (stretch->place != SAMPLE_TORN_PLACE)
		free((char *)where.name.text);
}

void chrome_samples_start(struct chrome *chrome, struct run *run)
{
	if (!chrome->writer || !chrome->writer->takes_samples)
		return;
	chrome->samples = samples_want(run, &(struct samples_options){ .by = BY_lines_line });
	stretches_want(run, &(struct stretches_options){ .take = take_stretch, .context = chrome });
}
