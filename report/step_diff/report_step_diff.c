/* SPDX-License-Identifier: MIT */
/* Report `step-diff`: two steps of a loop, operator by operator. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/core/report_kind.h"
#include "report/options/keys.h"
#include "report/step_diff/rows_step_diff.h"

#define WORTH_SAYING 20u /* one part in this of the slow step */
#define MOST_PERCENT 10  /* of the difference: less is not worth a sentence */
#define GUESS_LOOKS 20u  /* a line that was seen less often is a guess */

struct step_diff_state {
	struct two_steps two;
	struct step_diff diff;
};

static void step_diff_want(struct report *report)
{
	struct step_diff_state *state = report->state;

	two_steps_find(&state->two, report->request);
	state->diff = (struct step_diff){
		.two = &state->two,
		.tracks = step_tracks_want(report->run,
					   &(struct step_tracks_options){ &state->two }),
		.samples = samples_want(report->run, &(struct samples_options){ BY_lines_line }),
		.source = run_source(report->run),
		.options = report->request->options,
	};
}

static void step_diff_fill_report(struct report *report, struct table *table)
{
	step_diff_fill(&((struct step_diff_state *)report->state)->diff, table);
}

static uint64_t compared_step_ns(const struct step_diff *diff, enum two_steps_side side)
{
	return diff->two->step[side].to_ns - diff->two->step[side].from_ns;
}

static int64_t step_diff_longer(const struct step_diff *diff)
{
	return (int64_t)compared_step_ns(diff, STEP_SLOW) -
	       (int64_t)compared_step_ns(diff, STEP_TYPICAL);
}

static void step_diff_total(const struct report *report, struct facts *facts)
{
	const struct step_diff *diff = &((const struct step_diff_state *)report->state)->diff;
	uint64_t waited_ns;

	if (!diff->two->are_known)
		return;
	facts_number(facts, "pid", UNIT_ID, diff->two->pid);
	facts_number(facts, "slow_step", UNIT_COUNT, diff->two->step[STEP_SLOW].number);
	facts_number(facts, "typical_step", UNIT_COUNT, diff->two->step[STEP_TYPICAL].number);
	facts_number(facts, "slow_ns", UNIT_NS, compared_step_ns(diff, STEP_SLOW));
	facts_number(facts, "typical_ns", UNIT_NS, compared_step_ns(diff, STEP_TYPICAL));
	facts_number(facts, "median_ns", UNIT_NS, diff->two->median_ns);
	facts_number(facts, "additional", UNIT_COUNT, diff->parts[STEP_PART_ADDITIONAL]);
	facts_number(facts, "missing", UNIT_COUNT, diff->parts[STEP_PART_MISSING]);
	if (step_diff_waited(diff, STEP_SLOW, &waited_ns))
		facts_number(facts, "slow_step_waiting_ns", UNIT_NS, waited_ns);
	if (step_diff_waited(diff, STEP_TYPICAL, &waited_ns))
		facts_number(facts, "typical_step_waiting_ns", UNIT_NS, waited_ns);
}

static const char *step_diff_explain(const struct report *report, struct why_empty *absence)
{
	const struct step_diff *diff = &((const struct step_diff_state *)report->state)->diff;

	(void)absence;
	return diff->two->are_known ? NULL : diff->two->problem;
}

/* --- in words --- */

static void print_which(const struct step_diff *diff, const struct screen *screen)
{
	const struct two_steps *two = diff->two;
	char slow[UNIT_TEXT_BYTES], typical[UNIT_TEXT_BYTES], median[UNIT_TEXT_BYTES];
	char count[UNIT_TEXT_BYTES];

	screen_print_prose(screen,
			   "Step %" PRIu64 " took %s, step %" PRIu64
			   " took %s. The median of the %s steps of process %u is %s.",
			   two->step[STEP_SLOW].number,
			   unit_format_ns(slow, compared_step_ns(diff, STEP_SLOW)),
			   two->step[STEP_TYPICAL].number,
			   unit_format_ns(typical, compared_step_ns(diff, STEP_TYPICAL)),
			   unit_format_count(count, two->count), two->pid,
			   unit_format_ns(median, two->median_ns));
}

static void print_most(const struct step_diff *diff, const struct screen *screen)
{
	const struct step_diff_most *most = &diff->most;
	int64_t longer_ns = step_diff_longer(diff);
	char ns[UNIT_TEXT_BYTES], share[UNIT_TEXT_BYTES + 24] = "", line[STEP_PART_BYTES + 64] = "";
	char percent[UNIT_TEXT_BYTES];

	if (most->longer_ns <= 0 || 100 * most->longer_ns < MOST_PERCENT * longer_ns)
		return;
	if (longer_ns > 0 && most->longer_ns <= longer_ns)
		snprintf(share, sizeof(share), ", %s of the difference",
			 unit_format_percent(percent,
					     100.0 * (double)most->longer_ns / (double)longer_ns));
	if (*most->line)
		snprintf(line, sizeof(line), ", in %s%s", most->line,
			 most->looks < GUESS_LOOKS ? " (few samples: a guess)" : "");
	screen_print_prose(screen, "Most of all, %s %s %s%s%s.", most->part,
			   most->kind == STEP_PART_ADDITIONAL ? "is additional, with"
							      : "is longer, by",
			   unit_format_ns(ns, (uint64_t)most->longer_ns), share, line);
}

/* "By category: gc 586 ms more." */
static void print_categories(const struct step_diff *diff, const struct screen *screen)
{
	const uint64_t *slow = diff->two->step[STEP_SLOW].ns,
		       *typical = diff->two->step[STEP_TYPICAL].ns;
	uint64_t least_ns = compared_step_ns(diff, STEP_SLOW) / WORTH_SAYING, more_ns;
	const char *before = "By category:";
	char ns[UNIT_TEXT_BYTES];
	struct prose line;

	prose_begin(&line, screen);
	for (unsigned int i = 0; i < STEP_CATEGORY_LIMIT; i++) {
		more_ns = slow[i] > typical[i] ? slow[i] - typical[i] : typical[i] - slow[i];
		if (more_ns <= least_ns)
			continue;
		fprintf(line.screen.out, "%s %s %s %s", before, step_category_names[i],
			unit_format_ns(ns, more_ns), slow[i] > typical[i] ? "more" : "less");
		before = ",";
	}
	if (*before == ',')
		putc('.', line.screen.out);
	prose_end(&line, screen);
}

/* "..: 48 additional, with 30.2 ms; 2 missing, with 1.2 ms; ..." */
static void print_kinds(const struct step_diff *diff, const struct screen *screen)
{
	char count[UNIT_TEXT_BYTES], ns[UNIT_TEXT_BYTES];
	struct prose line;

	if (!diff->parts[STEP_PART_ADDITIONAL] && !diff->parts[STEP_PART_MISSING]) {
		screen_print_prose(screen, "Both steps have the same operators.");
		return;
	}
	prose_begin(&line, screen);
	fprintf(line.screen.out, "Operators, scopes and times between them: %s additional",
		unit_format_count(count, diff->parts[STEP_PART_ADDITIONAL]));
	if (diff->parts[STEP_PART_ADDITIONAL])
		fprintf(line.screen.out, ", with %s",
			unit_format_ns(ns, (uint64_t)diff->longer_ns[STEP_PART_ADDITIONAL]));
	fprintf(line.screen.out, "; %s missing",
		unit_format_count(count, diff->parts[STEP_PART_MISSING]));
	if (diff->parts[STEP_PART_MISSING])
		fprintf(line.screen.out, ", with %s",
			unit_format_ns(ns, (uint64_t)-diff->longer_ns[STEP_PART_MISSING]));
	fprintf(line.screen.out, "; those that both steps have took %s %s.",
		unit_format_ns(ns, (uint64_t)llabs(diff->longer_ns[STEP_PART_SAME])),
		diff->longer_ns[STEP_PART_SAME] < 0 ? "less" : "more");
	prose_end(&line, screen);
}

static void print_waits(const struct step_diff *diff, const struct screen *screen)
{
	char slow[UNIT_TEXT_BYTES], typical[UNIT_TEXT_BYTES];
	uint64_t ns[STEP_SIDES];

	if (step_diff_waited(diff, STEP_SLOW, &ns[STEP_SLOW]) &&
	    step_diff_waited(diff, STEP_TYPICAL, &ns[STEP_TYPICAL]))
		screen_print_prose(screen,
				   "The thread was on no CPU for %s of step %" PRIu64
				   ", and for %s of step %" PRIu64 ".",
				   unit_format_ns(slow, ns[STEP_SLOW]),
				   diff->two->step[STEP_SLOW].number,
				   unit_format_ns(typical, ns[STEP_TYPICAL]),
				   diff->two->step[STEP_TYPICAL].number);
}

static void step_diff_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct step_diff *diff = &((const struct step_diff_state *)report->state)->diff;
	uint64_t left_out = diff->tracks->of[STEP_SLOW].left_out +
			    diff->tracks->of[STEP_TYPICAL].left_out;
	char count[UNIT_TEXT_BYTES];

	if (!diff->two->are_known)
		return;
	print_which(diff, screen);
	print_most(diff, screen);
	print_categories(diff, screen);
	print_kinds(diff, screen);
	print_waits(diff, screen);
	if (left_out)
		screen_print_prose(screen,
				   "%s operators are left out: a step has more than are compared.",
				   unit_format_count(count, left_out));
	if (run_events(report->run, EVT_torch_sampling))
		screen_print_prose(screen, "Not all operators were recorded "
					   "(INTERCEPT_OPERATORS), so the steps may differ in "
					   "which of them were.");
	putc('\n', screen->out);
}

const struct report_kind report_kind_step_diff = {
	.state_bytes = sizeof(struct step_diff_state),
	.family = EVT_FAMILY_steps,
	.want = step_diff_want,
	.fill = step_diff_fill_report,
	.total = step_diff_total,
	.explain = step_diff_explain,
	.head = step_diff_head,
};
