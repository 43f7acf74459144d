/* SPDX-License-Identifier: MIT */
/*
 * The verdict: one sentence. If the run did not go on at its end, it is about that. Otherwise it is
 * about the first cause that the advice found, else about the line in which the loop spent the
 * most time. Of a server in which no cause was found it names the endpoint with the most time.
 * Without steps, causes and requests, sentences on what was recorded replace it.
 */
#include <stdio.h>
#include <string.h>

#include "report/advice/cause.h"
#include "report/summary/summary_screen.h"

#define GUESS_SAMPLES_MIN 5u /* fewer are not even a guess */
/* percent: a line, or a cause that is known as a share only, needs this much for a verdict */
#define SHARE_MIN 20.0
/* percent: a cause needs this much for a verdict */
#define CAUSE_SHARE_MIN 10.0
#define STARTUP_MIN 75.0   /* %, of the run: there is hardly anything else */
#define LINE_OF_CAUSE 0.75 /* share of a line's samples that a cause has: the line is about that */
#define VERDICT_BYTES 1024

/* Returns what the share of a cause is a part of. */
static const char *summary_verdict_share_of(const struct advice *advice)
{
	if (advice_is_of_cpu(advice))
		return "CPU time";
	return advice_base_text(advice);
}

static double share_said(const struct bottleneck *bottleneck, const struct advice *advice)
{
	if (advice_is_of_cpu(advice))
		return advice->value;
	return advice_share(bottleneck, advice);
}

/*
 * Returns whether it leaves most of the run, or of a step, unexplained. A failure is worth a
 * verdict whatever its time.
 */
static bool summary_verdict_is_small(const struct bottleneck *bottleneck,
				     const struct advice *advice)
{
	if (advice->rule->severity == ADVICE_PROBLEM)
		return false;
	if (advice->gain_ns)
		return share_said(bottleneck, advice) < CAUSE_SHARE_MIN;
	return !strcmp(advice->rule->unit, "percent") && advice->value < SHARE_MIN;
}

/* A note is worth a verdict if it names a line and the time of that line. */
static bool is_worth(const struct bottleneck *bottleneck, const struct advice *advice)
{
	return cause_is_of_program(advice) && !summary_verdict_is_small(bottleneck, advice) &&
	       (advice->severity != ADVICE_NOTE ||
		((advice->place.line[0] || advice->place.function[0] || advice->waits_for[0]) &&
		 advice->gain_ns));
}

const struct advice *summary_first_cause(const struct summary *summary)
{
	const struct bottleneck *bottleneck = &summary->bottleneck;

	for (size_t i = 0; i < bottleneck->advice_count; i++)
		if (is_worth(bottleneck, &bottleneck->advice[i]))
			return &bottleneck->advice[i];
	return NULL;
}

/* "61 % of a step: tokenizer.py:15 (wordpiece), called from train.py:25 (312 samples)." */
static void summary_verdict_say_line(const struct summary *summary, const struct step_line *line,
				     const char *before, char text[VERDICT_BYTES])
{
	const struct step_lines *lines = summary->bottleneck.lines;
	struct advice found = { .rule = NULL };
	char place[CAUSE_PLACE_BYTES], count[UNIT_TEXT_BYTES];

	step_line_put(lines, line, &found.place);
	cause_place(&found, place);
	snprintf(text, VERDICT_BYTES, "%s%.0f %% of a step%s%s (%s%s sample%s).", before,
		 100.0 * (double)line->ns / (double)lines->all_ns, before[0] ? " is in " : ": ",
		 place, line->looks < GUESS_SAMPLES ? "a guess: only " : "",
		 unit_format_count(count, line->looks), unit_plural(line->looks));
}

static void put_samples(const struct advice *advice, char text[VERDICT_BYTES])
{
	char count[UNIT_TEXT_BYTES];
	size_t used = strlen(text);

	if (advice->place.few_arenas)
		snprintf(text + used, VERDICT_BYTES - used, " (a guess: only %s new arena%s)",
			 unit_format_count(count, advice->place.few_arenas),
			 unit_plural(advice->place.few_arenas));
	if (advice->place.few_arenas || !advice->place.samples)
		return;
	snprintf(text + used, VERDICT_BYTES - used, " (%s%s sample%s)",
		 advice->place.samples < GUESS_SAMPLES ? "a guess: only " : "",
		 unit_format_count(count, advice->place.samples),
		 unit_plural(advice->place.samples));
}

/* Memory that grows has a rate; memory that leaks has a sum. */
static void put_bytes(const struct summary *summary, const struct advice *advice,
		      char text[VERDICT_BYTES])
{
	char bytes[UNIT_TEXT_BYTES];
	size_t used = strlen(text);

	if (strcmp(advice->rule->unit, "bytes") != 0 || advice->gain_ns || advice->value < 1)
		return;
	snprintf(text + used, VERDICT_BYTES - used, ", %s%s",
		 unit_format_bytes(bytes, (uint64_t)advice->value),
		 summary->steps->time.count && strstr(advice->rule->id, "_growth") ? " a step"
										   : "");
}

/*
 * "89 % of the steps' time: the loop waits for the DataLoader"; or the line, if nothing else is
 * known.
 */
static void say_cause(const struct summary *summary, const struct advice *advice,
		      char text[VERDICT_BYTES])
{
	char title[CAUSE_TITLE_BYTES], place[CAUSE_PLACE_BYTES];
	bool is_place = advice_is_of_cpu(advice) || advice->rule->look == advice_step_function;
	size_t used = 0;

	if (advice->gain_ns)
		cause_title_inside(advice, title);
	else
		cause_title(advice, title);
	cause_place(advice, place);
	text[0] = '\0';
	if (advice->gain_ns)
		used = (size_t)snprintf(text, VERDICT_BYTES, "%.0f %% of the %s: ",
					share_said(&summary->bottleneck, advice),
					summary_verdict_share_of(advice));
	snprintf(text + used, VERDICT_BYTES - used, "%s%s",
		 advice->rule->look == advice_step_function ? "the function at " : "",
		 is_place ? place : title);
	put_bytes(summary, advice, text);
	used = strlen(text);
	if (!is_place && place[0])
		snprintf(text + used, VERDICT_BYTES - used, ": %s", place);
	put_samples(advice, text);
	used = strlen(text);
	used += (size_t)snprintf(text + used, VERDICT_BYTES - used, ".");
	if (advice->function_percent > 0)
		snprintf(text + used, VERDICT_BYTES - used, " All lines of %s have %.0f %%.",
			 advice->place.function, advice->function_percent);
}

/* Without a cause: finds the line with most of the loop's time, if it stands out. */
static bool summary_verdict_find_line(const struct summary *summary, struct step_line *line)
{
	const struct step_lines *lines = summary->bottleneck.lines;

	return step_lines_largest(lines, line) && line->is_users &&
	       line->looks >= GUESS_SAMPLES_MIN &&
	       100.0 * (double)line->ns / (double)lines->all_ns >= SHARE_MIN;
}

/* The steps are a small part of the run, whatever they do. */
static const struct advice *long_start(const struct bottleneck *bottleneck)
{
	for (size_t i = 0; i < bottleneck->advice_count; i++)
		if (bottleneck->advice[i].rule->look == advice_startup &&
		    advice_share(bottleneck, &bottleneck->advice[i]) >= STARTUP_MIN)
			return &bottleneck->advice[i];
	return NULL;
}

/*
 * Finds the line if it says more than the title: code or a wait between two operators may be
 * anything. A line that runs the training has more in operators: its share says nothing.
 */
static bool is_named_by_line(const struct step_lines *lines, const struct advice *advice,
			     struct step_line *line)
{
	return advice->rule->look == advice_between_operators && advice->gain_ns &&
	       advice->place.line[0] && step_lines_at(lines, advice->place.line, line) &&
	       advice->place.samples >= LINE_OF_CAUSE * (double)line->looks;
}

/* "The GPU is the limit: busy for 98 % of the steps' time, 58 % of its work is for backward." */
static void say_gpu_bound(const struct steady_loop *loop, char text[VERDICT_BYTES])
{
	enum step_phase phase = steady_loop_asks_most(loop);

	snprintf(text, VERDICT_BYTES,
		 "The GPU is the limit: it is busy for %.0f %% of the steps' time. %.0f %% of its "
		 "work "
		 "is for phase %s.",
		 100.0 * (double)loop->gpu_ns / (double)loop->total_ns,
		 100.0 * (double)loop->phases.asked_ns[phase] /
			 (double)step_phases_asked(&loop->phases),
		 step_phase_names[phase]);
}

static bool make_verdict(const struct summary *summary, char text[VERDICT_BYTES])
{
	const struct advice *advice = summary_first_cause(summary);
	struct step_line line;
	char span[UNIT_TEXT_BYTES];
	uint64_t span_ns;

	if (stuck_is_training(&summary->stuck))
		snprintf(text, VERDICT_BYTES, "%.900s `prof-report stuck` has the rest.",
			 summary->stuck.sentence[0]);
	else if (advice && is_named_by_line(summary->bottleneck.lines, advice, &line))
		summary_verdict_say_line(summary, &line, "", text);
	else if (advice)
		say_cause(summary, advice, text);
	else if (long_start(&summary->bottleneck))
		say_cause(summary, long_start(&summary->bottleneck), text);
	else if (steady_loop_is_gpu_bound(&summary->bottleneck.loop))
		say_gpu_bound(&summary->bottleneck.loop, text);
	else if (bottleneck_run_busy(&summary->bottleneck, &span_ns) >= BOTTLENECK_RUN_GPU_BOUND)
		snprintf(text, VERDICT_BYTES,
			 "The GPU is the limit: it is busy for %.0f %% of the %s from its first "
			 "work to its last.",
			 bottleneck_run_busy(&summary->bottleneck, &span_ns),
			 unit_format_ns(span, span_ns));
	else if (summary_verdict_find_line(summary, &line))
		summary_verdict_say_line(summary, &line, "Nothing stands out: ", text);
	else if (summary->steps->time.count)
		snprintf(text, VERDICT_BYTES, "%s",
			 causes_are_of_program(&summary->bottleneck)
				 ? "Nothing stands out: there are only notes and small causes."
				 : "Nothing stands out: no cause was found.");
	else
		return summary_requests_verdict(summary, text, VERDICT_BYTES);
	return true;
}

void summary_print_verdict(const struct summary *summary, const struct screen *screen)
{
	char text[VERDICT_BYTES];
	struct prose prose;

	if (!make_verdict(summary, text)) {
		summary_print_told(summary, screen);
		return;
	}
	if (screen->color)
		fputs("\033[" SCREEN_BOLD "m", screen->out);
	prose_begin(&prose, screen);
	fputs(text, prose.screen.out);
	prose_end(&prose, screen);
	if (screen->color)
		fputs("\033[0m", screen->out);
}

bool summary_has_verdict(const struct summary *summary)
{
	char text[VERDICT_BYTES];

	return make_verdict(summary, text);
}
