/* SPDX-License-Identifier: MIT */
/*
 * The rule about Python's garbage collector: its share of the loop's time, where its pauses begin,
 * and which ranks wait for them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/advice/bottleneck.h"
#include "report/advice/gc_pauses.h"
#include "report/base/memory.h"
#include "report/base/text.h"
#include "report/base/units.h"

#define LINE_MATTERS 0.5 /* share of the pauses' time; a line with less is not named */
#define WAIT_MATTERS 0.5 /* share of a pause by which another rank communicated longer than usual */
#define SHOWN_BYTES 240u

/* Pauses in settled steps. */
struct pauses_seen {
	uint64_t count, ns, longest_ns;
	uint64_t steps;      /* steps with a pause */
	uint64_t other_wait; /* the steps among them in which another rank was communicating */
	uint64_t *line_ns;   /* by stack */
};

static const struct step_row *step_at(const struct bottleneck *bottleneck,
				      const struct gc_pause *pause)
{
	const struct steps *steps = bottleneck->steps;

	for (size_t i = 0; i < steps->row_count; i++) {
		const struct step_row *row = &steps->row[i];

		if (row->process == pause->process && row->has_detail &&
		    !bottleneck->loop.is_warm[i] && pause->from_ns >= row->start_ns &&
		    pause->from_ns < row->start_ns + row->total_ns)
			return row;
	}
	return NULL;
}

/* Returns whether another process was communicating for most of the pause, in the same step. */
static bool others_wait(const struct bottleneck *bottleneck, const struct step_row *of,
			const struct gc_pause *pause)
{
	const struct steps *steps = bottleneck->steps;
	uint64_t usual_ns = bottleneck->loop.ns[STEP_communication] / bottleneck->loop.steps;

	for (size_t i = 0; i < steps->row_count; i++) {
		const struct step_row *row = &steps->row[i];

		if (row->process != of->process && row->number == of->number &&
		    row->ns[STEP_gc] < pause->ns / 2 &&
		    (double)row->ns[STEP_communication] >
			    (double)usual_ns + WAIT_MATTERS * (double)pause->ns)
			return true;
	}
	return false;
}

static void look(struct pauses_seen *seen, const struct bottleneck *bottleneck)
{
	const struct gc_pauses *pauses = bottleneck->gc_pauses;
	const struct step_row *last = NULL;

	*seen = (struct pauses_seen){ .line_ns = memory_zero(pauses->stacks.count,
							     sizeof(*seen->line_ns)) };
	for (size_t i = 0; i < pauses->count; i++) {
		const struct gc_pause *pause = &pauses->pause[i];
		const struct step_row *row = step_at(bottleneck, pause);

		if (!row)
			continue;
		seen->count++;
		seen->ns += pause->ns;
		seen->line_ns[pause->stack] += pause->ns;
		if (pause->ns > seen->longest_ns)
			seen->longest_ns = pause->ns;
		if (row == last)
			continue;
		last = row;
		seen->steps++;
		seen->other_wait += others_wait(bottleneck, row, pause);
	}
}

static void advice_gc_put_name(const struct source *source, uint32_t name, uint32_t line,
			       char shown[ADVICE_LINE_BYTES])
{
	char escaped[ADVICE_LINE_BYTES - 16];
	size_t length;
	const char *text = name_text(source_name_at(source, name), &length);

	text_escape(escaped, sizeof(escaped), text, length);
	snprintf(shown, ADVICE_LINE_BYTES, line ? "%s:%" PRIu32 : "%s", escaped, line);
}

/*
 * Returns the line at which most of the pauses' time began, as a frame; NULL if none stands out or
 * none is known.
 */
static const struct gc_frame *advice_gc_find_line(const struct bottleneck *bottleneck,
						  const struct pauses_seen *seen, struct own *own,
						  const struct gc_frame **ret_caller)
{
	const struct gc_stacks *stacks = &bottleneck->gc_pauses->stacks;
	uint64_t *line_ns = memory_zero(stacks->count, sizeof(*line_ns)), most_ns = 0;
	const struct gc_frame **place = memory_zero(stacks->count, sizeof(*place)), *most = NULL;
	const struct gc_frame *caller;

	*ret_caller = NULL;
	for (uint32_t i = 1; i < stacks->count; i++)
		if (seen->line_ns[i])
			place[i] = gc_stack_place(stacks, own, i, &caller);
	for (uint32_t i = 1; i < stacks->count; i++) {
		for (uint32_t j = 1; place[i] && j < stacks->count; j++)
			if (place[j] && place[j]->file == place[i]->file &&
			    place[j]->line == place[i]->line)
				line_ns[i] += seen->line_ns[j];
		if (line_ns[i] <= most_ns)
			continue;
		most_ns = line_ns[i];
		most = gc_stack_place(stacks, own, i, ret_caller);
	}
	free(line_ns);
	free((void *)place);
	return (double)most_ns >= LINE_MATTERS * (double)seen->ns ? most : NULL;
}

/* Writes ", most of their time at train.py:14 (load_batch)", and sets the place of the advice. */
static void advice_gc_say_line(const struct bottleneck *bottleneck, const struct pauses_seen *seen,
			       struct advice *advice, char text[SHOWN_BYTES])
{
	struct source *source = bottleneck->source;
	const struct gc_frame *frame, *caller;
	char shown[ADVICE_LINE_BYTES], function[ADVICE_LINE_BYTES] = "";
	const char *slash;
	struct own own;

	text[0] = 0;
	own_init(&own, source, run_options(bottleneck->run));
	gc_stacks_note_scripts(&bottleneck->gc_pauses->stacks, source, &own);
	frame = advice_gc_find_line(bottleneck, seen, &own, &caller);
	if (frame && frame->line) {
		advice_gc_put_name(source, frame->file, frame->line, shown);
		slash = strrchr(shown, '/');
		if (frame->function)
			advice_gc_put_name(source, frame->function, 0, function);
		snprintf(text, SHOWN_BYTES, ", most of their time at %.120s%s%.60s%s",
			 slash ? slash + 1 : shown, *function ? " (" : "", function,
			 *function ? ")" : "");
	}
	if (frame && frame->line && gc_frame_is_users(&own, frame)) {
		advice_gc_put_name(source, frame->file, frame->line, advice->place.line);
		snprintf(advice->place.function, ADVICE_LINE_BYTES, "%s", function);
		if (caller)
			advice_gc_put_name(source, caller->file, caller->line,
					   advice->place.caller);
	}
	own_release(&own);
}

bool advice_gc_pauses(const struct bottleneck *bottleneck, struct advice *advice)
{
	uint64_t ns = bottleneck->loop.ns[STEP_gc];
	char time[UNIT_TEXT_BYTES], longest[UNIT_TEXT_BYTES], line[SHOWN_BYTES], ranks[120] = "";
	struct pauses_seen seen;

	advice->gain_ns = ns;
	if (!advice_exceeds(advice, bottleneck_share(bottleneck, ns)))
		return false;
	look(&seen, bottleneck);
	advice_gc_say_line(bottleneck, &seen, advice, line);
	if (seen.other_wait)
		snprintf(ranks, sizeof(ranks),
			 " In %" PRIu64
			 " of these steps another rank waited in communication meanwhile.",
			 seen.other_wait);
	unit_format_ns(time, ns);
	if (seen.count)
		advice_say(
			advice,
			"Python's garbage collector takes %s, %.1f %% of the steps' time. %" PRIu64
			" of %" PRIu64 " steps %s of 5 ms and more (%" PRIu64
			", the longest %s)%s.%s",
			time, advice->value, seen.steps, bottleneck->loop.steps,
			seen.steps == 1 ? "has pauses" : "have pauses", seen.count,
			unit_format_ns(longest, seen.longest_ns), line, ranks);
	else
		advice_say(advice,
			   "Python's garbage collector takes %s, %.1f %% of the steps' time, in "
			   "pauses "
			   "below 5 ms.",
			   time, advice->value);
	free(seen.line_ns);
	return true;
}
