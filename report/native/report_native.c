/* SPDX-License-Identifier: MIT */
/* Report `native`: native functions by samples of stacks, taken while threads used CPUs. */
#include <stdio.h>
#include <string.h>

#include "report/core/report_kind.h"
#include "report/native/native_rows.h"
#include "report/process/children.h"

#define NO_STACK "(no stack)"
#define CHILDREN_NS_MIN 100000000u
#define UNSEEN_PERCENT 10u /* of the used CPU time; a smaller part is not mentioned */
#define UNSEEN_SAMPLES 10u /* the same, as a number of samples */
/* the period of INTERCEPT_SAMPLE=1000, the highest rate, is a little less */
#define PERIOD_LEAST_NS 1000000u

struct native_state {
	const struct native_reading *reading;
	struct native_rows rows; /* by stack */
};

static const struct native_state *state_of(const struct report *report)
{
	return report->state;
}

static void native_want_run(struct report *report)
{
	struct native_events_options options = { report->request->options->by };

	((struct native_state *)report->state)->reading = native_events_want(report->run, &options);
}

static void report_native_put_counts(struct table *table, const struct native_counts *counts,
				     uint64_t all_ns)
{
	table_set_number(table, COLUMN_native_samples, counts->samples);
	table_set_number(table, COLUMN_native_cpu_ns, counts->cpu_ns);
	table_set_number(table, COLUMN_native_kernel_ns, counts->kernel_ns);
	table_set_percent(table, COLUMN_native_percent, counts->cpu_ns, all_ns);
}

static void report_native_put_total(struct table *table, const struct native_counts *counts,
				    uint64_t all_ns)
{
	table_set_number(table, COLUMN_native_total_samples, counts->samples);
	table_set_number(table, COLUMN_native_total_cpu_ns, counts->cpu_ns);
	table_set_percent(table, COLUMN_native_total_percent, counts->cpu_ns, all_ns);
}

static void fill_keys(const struct native_reading *reading, struct table *table)
{
	for (size_t i = 0; i < reading->row_count; i++) {
		table_add_row(table);
		key_put(&reading->key, reading->row[i].key, table);
		report_native_put_counts(table, &reading->row[i].counts, reading->all.cpu_ns);
	}
}

static void fill_none(struct native_state *state, struct table *table, enum stack_by by)
{
	static const enum column_id columns[STACK_BY_LIMIT] = {
		COLUMN_native_function, COLUMN_native_function, COLUMN_native_line,
		COLUMN_native_module, COLUMN_ID_LIMIT
	};

	if (!state->rows.none.samples || state->rows.rows.parts)
		return;
	table_add_row(table);
	stack_rows_note(&state->rows.rows, table->row_count - 1, NAMED_NONE);
	table_set_text(table, columns[by], NO_STACK, sizeof(NO_STACK) - 1);
	report_native_put_counts(table, &state->rows.none, state->reading->all.cpu_ns);
}

static void fill_stacks(struct native_state *state, const struct report *report,
			struct table *table)
{
	static const struct stack_columns columns = { COLUMN_native_stack, COLUMN_native_function,
						      COLUMN_native_line,  COLUMN_native_module,
						      COLUMN_ID_LIMIT,     COLUMN_ID_LIMIT,
						      COLUMN_ID_LIMIT };
	const struct options *options = report->request->options;
	enum stack_by by = stack_by_of(options->by);
	uint64_t all_ns = state->reading->all.cpu_ns;

	native_rows_init(&state->rows, run_source(report->run), options, by, columns);
	native_rows_make(&state->rows, state->reading);
	for (size_t i = 0; i < state->rows.rows.place_count; i++) {
		table_add_row(table);
		stack_rows_put(&state->rows.rows, table, i);
		report_native_put_counts(table, &state->rows.place[i].self, all_ns);
		if (by != STACK_BY_STACK)
			report_native_put_total(table, &state->rows.place[i].total, all_ns);
	}
	fill_none(state, table, by);
	stack_rows_attach(&state->rows.rows, table, options->stack_frames);
}

static void native_fill(struct report *report, struct table *table)
{
	struct native_state *state = report->state;

	if (state->reading->key.kind)
		fill_keys(state->reading, table);
	else
		fill_stacks(state, report, table);
}

static void native_total(const struct report *report, struct facts *facts)
{
	const struct native_reading *reading = state_of(report)->reading;
	const struct evt_native_sampling *sums = &reading->sums;

	facts_number(facts, "samples", UNIT_COUNT, reading->all.samples);
	facts_number(facts, "cpu_ns", UNIT_NS, reading->all.cpu_ns);
	facts_number(facts, "kernel_ns", UNIT_NS, reading->all.kernel_ns);
	facts_number(facts, "user_only", UNIT_COUNT, sums->user_only);
	facts_number(facts, "samples_lost", UNIT_COUNT, sums->lost);
	facts_number(facts, "samples_dropped", UNIT_COUNT, sums->dropped);
	facts_number(facts, "cut_no_table", UNIT_COUNT, sums->no_table);
	facts_number(facts, "cut_no_file", UNIT_COUNT, sums->no_file);
	facts_number(facts, "cut_no_stack", UNIT_COUNT, sums->no_stack);
	facts_number(facts, "cut_no_rule", UNIT_COUNT, sums->no_rule);
	facts_number(facts, "cut_too_deep", UNIT_COUNT, sums->too_deep);
	facts_number(facts, "threads_left_out", UNIT_COUNT, sums->partial);
}

/*
 * For programs like gcc or make, whose child programs used the CPU. Returns false if they did not,
 * or if they were recorded.
 */
static bool explain_children(const struct report *report, struct why_empty *absence)
{
	char text[UNIT_TEXT_BYTES];
	uint64_t children_ns;

	if (why_empty_is_off(report->run, EVT_FAMILY_native_samples) ||
	    run_filters(report->run)->any || why_empty_is_limited(report->run) ||
	    !children_not_recorded(run_source(report->run), &children_ns) ||
	    children_ns < CHILDREN_NS_MIN)
		return false;
	snprintf(absence->text, sizeof(absence->text),
		 "no native stack was sampled: child programs that were not recorded took %s of "
		 "CPU time (INTERCEPT_CHILDREN=all records those that load the library)",
		 unit_format_ns(text, children_ns));
	return true;
}

static const char *native_explain(const struct report *report, struct why_empty *absence)
{
	const struct native_reading *reading = state_of(report)->reading;
	const char *why = reading->is_said ? NULL : native_why_none(reading);

	return why || !explain_children(report, absence) ? why : absence->text;
}

/*
 * Returns the CPU time of the processes as the kernel counts it; 0: only a part of the run is
 * selected.
 */
static uint64_t used_ns(const struct report *report)
{
	struct source_process *const *process;
	size_t count = source_processes(run_source(report->run), &process);
	uint64_t sum = 0;

	if (run_filters(report->run)->any || why_empty_is_limited(report->run))
		return 0;
	for (size_t i = 0; i < count; i++)
		sum += process_own_cpu_ns(run_source(report->run), process[i]);
	return sum;
}

static void native_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct native_reading *reading = state_of(report)->reading;
	char count[UNIT_TEXT_BYTES], cpu[UNIT_TEXT_BYTES], used[UNIT_TEXT_BYTES];
	uint64_t all_ns = used_ns(report);

	if (!reading->all.samples)
		return;
	fprintf(screen->out, "%s sample%s for %s of CPU time",
		unit_format_count(count, reading->all.samples),
		reading->all.samples == 1 ? " stands" : "s stand",
		unit_format_ns(cpu, reading->all.cpu_ns));
	if (all_ns)
		fprintf(screen->out, "; the processes used %s", unit_format_ns(used, all_ns));
	fputs("\n\n", screen->out);
}

static void print_cuts(const struct evt_native_sampling *sums, const struct screen *screen)
{
	const struct {
		uint64_t count;
		const char *why;
	} cuts[] = {
		{ sums->no_table, "the code has no unwinding table that is understood (made at run "
				  "time, or by hand)" },
		{ sums->no_file, "the file of the code was gone, or another one" },
		{ sums->no_stack,
		  "the rest lies beyond what the kernel copies (60 KiB, less where a page of the "
		  "stack was never touched), or on another stack" },
		{ sums->no_rule, "the unwinding table leads nowhere" },
		{ sums->too_deep, "there are more than 512 frames" },
	};
	char number[UNIT_TEXT_BYTES];

	for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++)
		if (cuts[i].count)
			screen_print_prose(screen, "%s stack%s cut: %s.",
					   unit_format_count(number, cuts[i].count),
					   cuts[i].count == 1 ? " is" : "s are", cuts[i].why);
}

/* The recorder's own functions are not part of the program. */
static void print_own(const struct native_state *state, const struct screen *screen)
{
	const struct native_rows *rows = &state->rows;
	uint64_t own_ns = 0;
	char percent[UNIT_TEXT_BYTES];

	if (rows->rows.by != STACK_BY_FUNCTION)
		return;
	for (size_t i = 0; i < rows->rows.place_count; i++)
		if (!strcmp(stack_rows_text((struct stack_rows *)&rows->rows, i), NAMED_OWN))
			own_ns += rows->place[i].self.cpu_ns;
	if (own_ns)
		screen_print_prose(
			screen,
			NAMED_OWN " is what this recording costs the program: %s of its CPU time.",
			unit_format_percent(percent, 100.0 * (double)own_ns /
							     (double)state->reading->all.cpu_ns));
}

static bool any_is_off(const struct native_reading *reading)
{
	for (unsigned int i = 0; i < EVT_NATIVE_OFF_LIMIT; i++)
		if (reading->off[i])
			return true;
	return false;
}

/*
 * Returns the CPU time of the processes without what was sampled or lost; 0: it is little, or
 * another sentence explains it.
 */
static uint64_t unseen_ns(const struct report *report)
{
	const struct native_reading *reading = state_of(report)->reading;
	uint64_t used = used_ns(report), period = reading->sums.period_ns;
	uint64_t seen = reading->all.cpu_ns + (reading->sums.lost + UNSEEN_SAMPLES) * period;

	if (reading->sums.user_only || any_is_off(reading) || used <= seen)
		return 0;
	seen -= UNSEEN_SAMPLES * period;
	return (used - seen) / UNSEEN_PERCENT > used / 100 ? used - seen : 0;
}

static void print_unseen(const struct report *report, const struct screen *screen)
{
	char unseen[UNIT_TEXT_BYTES], period[UNIT_TEXT_BYTES];
	uint64_t ns = unseen_ns(report), period_ns = state_of(report)->reading->sums.period_ns;

	if (ns)
		screen_print_prose(
			screen,
			"%s of CPU time has no sample. A thread is sampled each %s that it uses on "
			"one CPU, so short threads, and those that often move, are seen less than "
			"others.%s",
			unit_format_ns(unseen, ns), unit_format_ns(period, period_ns),
			period_ns > PERIOD_LEAST_NS
				? " A higher INTERCEPT_SAMPLE sees more of them."
				: "");
}

static void native_foot(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct native_reading *reading = state_of(report)->reading;
	const struct evt_native_sampling *sums = &reading->sums;
	char number[UNIT_TEXT_BYTES];

	if (!reading->all.samples)
		return;
	if (!reading->key.kind) {
		stack_rows_print_notes(&state_of(report)->rows.rows, screen);
		print_own(report->state, screen);
	}
	print_cuts(sums, screen);
	if (sums->user_only)
		screen_print_prose(
			screen,
			"Time in the kernel was not sampled: it is with kernel.perf_event_paranoid "
			"at 1 or less, or with CAP_PERFMON.");
	print_unseen(report, screen);
	if (sums->lost)
		screen_print_prose(
			screen, "Up to %s sample%s lost, as the collector came too late.",
			unit_format_count(number, sums->lost), sums->lost == 1 ? " was" : "s were");
	if (sums->dropped)
		screen_print_prose(screen, "%s sample%s found no room in the collector's memory.",
				   unit_format_count(number, sums->dropped),
				   sums->dropped == 1 ? "" : "s");
	if (sums->partial)
		screen_print_prose(screen, "%s thread%s could not be followed.",
				   unit_format_count(number, sums->partial),
				   sums->partial == 1 ? "" : "s");
	for (unsigned int i = 0; i < EVT_NATIVE_OFF_LIMIT; i++)
		if (reading->off[i] && !reading->is_said)
			screen_print_prose(screen, "Of %s process%s %s.",
					   unit_format_count(number, reading->off[i]),
					   reading->off[i] == 1 ? "" : "es", native_off_text(i));
}

static void native_release_state(struct report *report)
{
	struct native_state *state = report->state;

	if (state->rows.rows.names.source)
		native_rows_release(&state->rows);
}

const struct report_kind report_kind_native = {
	.state_bytes = sizeof(struct native_state),
	.family = EVT_FAMILY_native_samples,
	.want = native_want_run,
	.fill = native_fill,
	.total = native_total,
	.explain = native_explain,
	.head = native_head,
	.foot = native_foot,
	.release = native_release_state,
};
