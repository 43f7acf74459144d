/* SPDX-License-Identifier: MIT */
/* Report `ranks`: a row for each rank, and a sentence if one of them holds the others up. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/numbers.h"
#include "report/core/report_kind.h"
#include "report/ranks/rank_rows.h"
#include "report/steps/step_clocks.h"
#include "report/steps/step_events.h"

struct ranks_report {
	const struct steps *steps;
	const struct collectives *collectives;
	const struct step_clocks *clocks;
	struct rank_rows rows;
};

static void report_ranks_want(struct report *report)
{
	struct ranks_report *mine = report->state;

	mine->steps = steps_want(report->run, &(struct steps_options){ .wants_rows = true });
	mine->clocks = step_clocks_want(report->run, NULL);
	mine->collectives = collectives_want(report->run, &(struct collectives_options){ 0 });
}

static const enum column_id report_ranks_phase_column[STEP_PHASE_LIMIT] = {
	[PHASE_data] = COLUMN_ranks_data_ns,
	[PHASE_forward] = COLUMN_ranks_forward_ns,
	[PHASE_backward] = COLUMN_ranks_backward_ns,
	[PHASE_optimizer] = COLUMN_ranks_optimizer_ns,
	[PHASE_communication] = COLUMN_ranks_communication_ns,
	[PHASE_evaluation] = COLUMN_ranks_evaluation_ns,
	[PHASE_other] = COLUMN_ranks_other_phase_ns,
};

static void report_ranks_put_row(struct table *table, const struct steps *steps,
				 const struct rank_row *row)
{
	const char *host = row->process->file->host;

	table_add_row(table);
	table_set_number(table, COLUMN_ranks_rank, row->rank);
	if (host)
		table_set_text(table, COLUMN_ranks_host, host, strlen(host));
	table_set_number(table, COLUMN_ranks_pid, row->process->pid);
	table_set_number(table, COLUMN_ranks_steps, row->steps);
	table_set_number(table, COLUMN_ranks_step_p50_ns, row->step_p50_ns);
	table_set_number(table, COLUMN_ranks_own_p50_ns, row->own_p50_ns);
	if (row->own_p50_ns)
		table_set_real(table, COLUMN_ranks_score, row->score);
	if (row->own_first_ns) {
		table_set_number(table, COLUMN_ranks_first_tenth_ns, row->own_first_ns);
		table_set_number(table, COLUMN_ranks_last_tenth_ns, row->own_last_ns);
	}
	for (int phase = 0; phase < STEP_PHASE_LIMIT; phase++)
		if (steps_know_phase(steps, (enum step_phase)phase))
			table_set_number(table, report_ranks_phase_column[phase],
					 row->phase_p50_ns[phase]);
	table_set_number(table, COLUMN_ranks_gc_ns, row->gc_ns);
	if (!row->arrivals.calls)
		return;
	table_set_number(table, COLUMN_ranks_calls, row->arrivals.calls);
	table_set_number(table, COLUMN_ranks_late_count, row->arrivals.late_count);
	table_set_number(table, COLUMN_ranks_late_total_ns, row->arrivals.late_ns);
}

/* Of the steps about which NVML told something. */
static void report_ranks_put_clock(struct table *table, const struct step_clocks *clocks,
				   const struct rank_row *row)
{
	uint64_t *mhz = memory_zero(row->steps + 1, sizeof(*mhz)), throttled_ns = 0, known_ns = 0;
	size_t count = 0;

	for (size_t i = 0; i < row->steps; i++) {
		const struct step_row *step = row->step[i];
		struct step_clock clock = step_clocks_over(clocks, step->process, step->start_ns,
							   step->start_ns + step->total_ns);

		if (clock.has_mhz)
			mhz[count++] = (uint64_t)(clock.mhz + 0.5);
		throttled_ns += clock.has_throttled ? clock.throttled_ns : 0;
		known_ns += clock.has_throttled ? step->total_ns : 0;
	}
	if (count)
		table_set_number(table, COLUMN_ranks_sm_mhz, numbers_median(mhz, count));
	if (known_ns)
		table_set_real(table, COLUMN_ranks_throttled_percent,
			       100.0 * (double)throttled_ns / (double)known_ns);
	free(mhz);
}

static void report_ranks_fill(struct report *report, struct table *table)
{
	struct ranks_report *mine = report->state;

	rank_rows_make(&mine->rows, run_source(report->run), mine->steps, mine->collectives);
	for (size_t i = 0; i < mine->rows.count; i++)
		if (mine->rows.row[i].steps) {
			report_ranks_put_row(table, mine->steps, &mine->rows.row[i]);
			report_ranks_put_clock(table, mine->clocks, &mine->rows.row[i]);
		}
}

static void report_ranks_total(const struct report *report, struct facts *facts)
{
	const struct rank_rows *rows = &((const struct ranks_report *)report->state)->rows;

	facts_number(facts, "ranks", UNIT_COUNT, rows->count);
	if (rows->straggler == SIZE_MAX)
		facts_none(facts, "straggler", UNIT_ID);
	else
		facts_number(facts, "straggler", UNIT_ID, rows->row[rows->straggler].rank);
}

static void report_ranks_say_straggler(const struct rank_rows *rows, const struct screen *screen)
{
	const struct rank_row *row = &rows->row[rows->straggler];
	char own[UNIT_TEXT_BYTES], others[UNIT_TEXT_BYTES], more[UNIT_TEXT_BYTES];

	screen_print_prose(screen,
			   "Rank %" PRIu64
			   " holds the others up: in a median step it works %s on its own, the "
			   "others %s.",
			   row->rank, unit_format_ns(own, row->own_p50_ns),
			   unit_format_ns(others, rows->others_p50_ns));
	if (rows->slower_ns)
		screen_print_prose(screen, "Most of the difference is in phase %s: %s a step.",
				   step_phase_names[rows->slower_in],
				   unit_format_ns(more, rows->slower_ns));
	if (rows->since_step != UINT64_MAX && rows->since_step > row->step[0]->number)
		screen_print_prose(screen, "It has been slow since about step %" PRIu64 ".",
				   rows->since_step);
	if (row->arrivals.calls)
		screen_print_prose(screen,
				   "It was the last to arrive in %.0f %% of the %" PRIu64
				   " collectives that are matched.",
				   100.0 * (double)row->arrivals.late_count /
					   (double)row->arrivals.calls,
				   row->arrivals.calls);
	screen_print_prose(
		screen,
		"If it worked as long as the others, steps would be shorter by at most %.0f "
		"%%. `lines --rank %" PRIu64 "` shows what it does.",
		rows->gain_percent, row->rank);
}

static void report_ranks_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct rank_rows *rows = &((const struct ranks_report *)report->state)->rows;

	if (rows->straggler == SIZE_MAX)
		return;
	report_ranks_say_straggler(rows, screen);
	fputc('\n', screen->out);
}

static const char *report_ranks_explain(const struct report *report, struct why_empty *absence)
{
	const struct ranks_report *mine = report->state;

	(void)absence;
	return mine->steps->row_count ? "no process has a rank of a distributed run"
				      : "no steps were recorded";
}

static void report_ranks_release(struct report *report)
{
	rank_rows_release(&((struct ranks_report *)report->state)->rows);
}

const struct report_kind report_kind_ranks = {
	.state_bytes = sizeof(struct ranks_report),
	.family = EVT_FAMILY_steps,
	.want = report_ranks_want,
	.fill = report_ranks_fill,
	.total = report_ranks_total,
	.explain = report_ranks_explain,
	.head = report_ranks_head,
	.release = report_ranks_release,
};
