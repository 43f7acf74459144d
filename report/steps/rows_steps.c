/* SPDX-License-Identifier: MIT */
/* Makes rows from steps. The sentences compare each step with the median step. */
#include "report/steps/rows_steps.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/numbers.h"
#include "report/base/text.h"

#define NAME_BYTES 60

/*
 * Returns the median of each number: a few much longer steps do not change it, as they would change
 * a mean.
 */
static struct step_row steps_usual(const struct steps *steps)
{
	uint64_t *number = memory_zero(steps->row_count + 1, sizeof(*number));
	struct step_row usual = { 0 };

	for (int i = 0; i < STEP_CATEGORY_LIMIT && steps->detailed; i++) {
		size_t count = 0;

		if (!steps_know(steps, (enum step_category)i, true))
			continue;

		for (size_t r = 0; r < steps->row_count; r++)
			if (steps->row[r].has_detail)
				number[count++] = steps->row[r].ns[i];
		usual.ns[i] = count ? numbers_median(number, count) : 0;
	}
	for (size_t r = 0; r < steps->row_count; r++)
		number[r] = steps->row[r].total_ns;
	if (steps->row_count)
		usual.total_ns = numbers_median(number, steps->row_count);
	free(number);
	return usual;
}

/*
 * For a step that was longer than the median: returns the category that exceeds its own median
 * most; STEP_CATEGORY_LIMIT: none does.
 */
static enum step_category row_excess(const struct step_row *usual, const struct step_row *row,
				     uint64_t *ret_ns)
{
	enum step_category most = STEP_CATEGORY_LIMIT;

	*ret_ns = 0;
	if (row->total_ns <= usual->total_ns)
		return most;
	for (int i = 0; i < STEP_CATEGORY_LIMIT; i++) {
		if (row->ns[i] <= usual->ns[i] || row->ns[i] - usual->ns[i] <= *ret_ns)
			continue;
		*ret_ns = row->ns[i] - usual->ns[i];
		most = (enum step_category)i;
	}
	return most;
}

/* Returns what ended a step: a name of the model, or the name that was asked for. */
static const char *ended_by(const struct steps_shown *shown, uint32_t name, size_t *ret_length)
{
	if (!shown->name)
		return name_text(source_name_at(shown->source, name), ret_length);
	*ret_length = strlen(shown->name);
	return shown->name;
}

bool step_cpu_split(const struct cpu_span *cpu, uint64_t all_ns, uint64_t helped_ns,
		    uint64_t *ret_running_ns, uint64_t *ret_waiting_ns)
{
	if (!cpu_span_value(cpu, all_ns, ret_running_ns))
		return false;
	*ret_waiting_ns = all_ns - *ret_running_ns;
	*ret_waiting_ns -= helped_ns < *ret_waiting_ns ? helped_ns : *ret_waiting_ns;
	return true;
}

/*
 * Puts the parts of `all_ns` in which CPU time was used and in which the thread waited; nothing if
 * too little is known.
 */
static void put_split(struct table *table, const struct cpu_span *cpu, const uint64_t ns[2],
		      enum column_id running, enum column_id waiting)
{
	uint64_t running_ns, waiting_ns;

	if (!step_cpu_split(cpu, ns[0], ns[1], &running_ns, &waiting_ns))
		return;
	table_set_number(table, running, running_ns);
	table_set_number(table, waiting, waiting_ns);
}

static void rows_steps_put_cpu(struct table *table, const struct steps *steps,
			       const struct step_row *row)
{
	const struct step_cpu *cpu = &row->cpu;

	put_split(table, &cpu->all, (const uint64_t[2]){ row->total_ns, cpu->helped_ns },
		  COLUMN_steps_running_ns, COLUMN_steps_waiting_ns);
	if (row->has_operators && cpu->helped_ns)
		table_set_number(table, COLUMN_steps_helped_ns, cpu->helped_ns);
	if (!steps_know(steps, STEP_operators, row->has_detail))
		return;
	put_split(table, &cpu->operators,
		  (const uint64_t[2]){ row->ns[STEP_operators], cpu->helped_operators_ns },
		  COLUMN_steps_operators_running_ns, COLUMN_steps_operators_waiting_ns);
	put_split(table, &cpu->other,
		  (const uint64_t[2]){ row->ns[STEP_other], cpu->helped_other_ns },
		  COLUMN_steps_other_running_ns, COLUMN_steps_other_waiting_ns);
}

static void put_phases(struct table *table, const struct steps_shown *shown,
		       const struct step_row *row)
{
	static const enum column_id host[STEP_PHASE_LIMIT] = {
		[PHASE_data] = COLUMN_steps_data_ns,
		[PHASE_forward] = COLUMN_steps_forward_ns,
		[PHASE_backward] = COLUMN_steps_backward_ns,
		[PHASE_optimizer] = COLUMN_steps_optimizer_ns,
		[PHASE_communication] = COLUMN_steps_communication_ns,
		[PHASE_evaluation] = COLUMN_steps_evaluation_ns,
		[PHASE_other] = COLUMN_steps_other_phase_ns,
	};
	static const enum column_id gpu[STEP_PHASE_LIMIT] = {
		[PHASE_data] = COLUMN_steps_gpu_data_ns,
		[PHASE_forward] = COLUMN_steps_gpu_forward_ns,
		[PHASE_backward] = COLUMN_steps_gpu_backward_ns,
		[PHASE_optimizer] = COLUMN_steps_gpu_optimizer_ns,
		[PHASE_communication] = COLUMN_steps_gpu_communication_ns,
		[PHASE_evaluation] = COLUMN_steps_gpu_evaluation_ns,
		[PHASE_other] = COLUMN_steps_gpu_other_phase_ns,
	};

	static const enum column_id launches[STEP_PHASE_LIMIT] = {
		[PHASE_data] = COLUMN_steps_data_launches,
		[PHASE_forward] = COLUMN_steps_forward_launches,
		[PHASE_backward] = COLUMN_steps_backward_launches,
		[PHASE_optimizer] = COLUMN_steps_optimizer_launches,
		[PHASE_communication] = COLUMN_steps_communication_launches,
		[PHASE_evaluation] = COLUMN_steps_evaluation_launches,
		[PHASE_other] = COLUMN_steps_other_phase_launches,
	};

	for (int i = 0; i < STEP_PHASE_LIMIT; i++) {
		if (!steps_know_phase(shown->steps, (enum step_phase)i))
			continue;
		table_set_number(table, host[i], row->phases.ns[i]);
		if (shown->steps->has_gpu && row->has_detail)
			table_set_number(table, gpu[i], row->phases.gpu_ns[i]);
		if (steps_launched(shown->steps) && row->has_detail)
			table_set_number(table, launches[i], row->phases.launches[i]);
	}
}

static void put_spent(struct table *table, const struct steps_shown *shown,
		      const struct step_row *row)
{
	static const enum column_id columns[STEP_SPENDING_LIMIT] = {
#define SPENDING(name) COLUMN_steps_##name##_ns,
		STEP_SPENDINGS(SPENDING)
#undef SPENDING
	};

	for (int i = 0; i < STEP_SPENDING_LIMIT; i++)
		if (i == STEP_SPENT_io ? shown->has_io : shown->has_waits)
			table_set_number(table, columns[i], row->spent_ns[i]);
}

static void rows_steps_put_clock(struct table *table, const struct steps_shown *shown,
				 const struct step_row *row)
{
	struct step_clock clock;

	if (!shown->clocks)
		return;
	clock = step_clocks_over(shown->clocks, row->process, row->start_ns,
				 row->start_ns + row->total_ns);
	if (clock.has_mhz)
		table_set_number(table, COLUMN_steps_sm_mhz, (uint64_t)(clock.mhz + 0.5));
	if (clock.has_throttled)
		table_set_number(table, COLUMN_steps_throttled_ns, clock.throttled_ns);
}

static void table_put_step(struct table *table, const struct steps_shown *shown,
			   const struct step_row *usual, const struct step_row *row)
{
	static const enum column_id columns[STEP_CATEGORY_LIMIT] = {
#define CATEGORY(name) COLUMN_steps_##name##_ns,
		STEP_CATEGORIES(CATEGORY)
#undef CATEGORY
	};
	uint64_t excess_ns;
	enum step_category excess = row_excess(usual, row, &excess_ns);
	size_t length;
	const char *text = ended_by(shown, row->name, &length);

	table_set_number(table, COLUMN_steps_step, row->number);
	table_set_number(table, COLUMN_steps_start_ns, row->start_ns);
	table_set_number(table, COLUMN_steps_total_ns, row->total_ns);
	for (int i = shown->steps->has_gpu ? 0 : STEP_FIRST_OF_HOST; i < STEP_CATEGORY_LIMIT; i++)
		if ((i != STEP_gc || shown->has_gc) && row->has_detail &&
		    steps_know(shown->steps, (enum step_category)i, true))
			table_set_number(table, columns[i], row->ns[i]);
	if (shown->has_gc)
		table_set_number(table, COLUMN_steps_collections, row->collections);
	if (shown->steps->has_gpu && row->has_detail)
		table_set_number(table, COLUMN_steps_gpu_ns, row->gpu_ns);
	if (row->has_operators)
		put_phases(table, shown, row);
	rows_steps_put_cpu(table, shown->steps, row);
	put_spent(table, shown, row);
	rows_steps_put_clock(table, shown, row);
	table_set_text(table, COLUMN_steps_ended_by, text, length);
	if (excess == STEP_CATEGORY_LIMIT)
		return;
	table_set_number(table, COLUMN_steps_excess_ns, excess_ns);
	table_set_text(table, COLUMN_steps_excess, step_category_names[excess],
		       strlen(step_category_names[excess]));
}

static void table_put_process(struct table *table, const struct source *source,
			      const struct source_process *process)
{
	uint64_t rank = source_rank(source, process);

	table_set_number(table, COLUMN_steps_pid, process->pid);
	if (rank != UINT64_MAX)
		table_set_number(table, COLUMN_steps_rank, rank);
}

void steps_fill_table(const struct steps_shown *shown, struct table *table)
{
	struct source_process *const *process;
	size_t processes = source_processes(shown->source, &process);
	struct step_row usual = steps_usual(shown->steps);

	for (size_t i = 0; i < shown->steps->row_count; i++) {
		const struct step_row *row = &shown->steps->row[i];

		table_add_row(table);
		if (row->process < processes)
			table_put_process(table, shown->source, process[row->process]);
		table_put_step(table, shown, &usual, row);
	}
}

static void put_ended_by(const struct steps_shown *shown, const struct screen *screen)
{
	char escaped[NAME_BYTES];
	size_t length;
	const char *text;

	if (shown->steps->is_mixed)
		return;
	text = ended_by(shown, shown->steps->name, &length);
	text_escape(escaped, sizeof(escaped), text, length);
	fprintf(screen->out, " ended by %s", escaped);
}

void steps_print_times(const struct steps_shown *shown, const struct screen *screen)
{
	const struct steps *steps = shown->steps;
	char a[UNIT_TEXT_BYTES], b[UNIT_TEXT_BYTES], c[UNIT_TEXT_BYTES], d[UNIT_TEXT_BYTES];

	fprintf(screen->out, "%s step%s", unit_format_count(a, steps->time.count),
		steps->time.count == 1 ? "" : "s");
	if (steps->processes > 1)
		fprintf(screen->out, " in %u processes", steps->processes);
	put_ended_by(shown, screen);
	fprintf(screen->out, ": average %s, p50 %s, p90 %s, p99 %s",
		unit_format_ns(a, timing_average(&steps->time)),
		unit_format_ns(b, timing_percentile(&steps->time, 50)),
		unit_format_ns(c, timing_percentile(&steps->time, 90)),
		unit_format_ns(d, timing_percentile(&steps->time, 99)));
}

/*
 * " (running 10 %, waiting 40 %)": the two parts of a category; nothing if it did not wait, or if
 * that is not known.
 */
static void put_waiting(const struct step_cpu *cpu, const uint64_t *ns, uint64_t total_ns,
			const struct screen *screen, int category)
{
	const struct cpu_span *span = category == STEP_other ? &cpu->other : &cpu->operators;
	uint64_t helped_ns = category == STEP_other ? cpu->helped_other_ns
						    : cpu->helped_operators_ns;
	char running[UNIT_TEXT_BYTES], waiting[UNIT_TEXT_BYTES];
	uint64_t running_ns, waiting_ns;

	if ((category != STEP_other && category != STEP_operators) ||
	    !step_cpu_split(span, ns[category], helped_ns, &running_ns, &waiting_ns) || !waiting_ns)
		return;
	running_ns = ns[category] - waiting_ns; /* includes the helpers' time */
	fprintf(screen->out, " (running %s, waiting %s)",
		unit_format_percent(running, 100.0 * (double)running_ns / (double)total_ns),
		unit_format_percent(waiting, 100.0 * (double)waiting_ns / (double)total_ns));
}

uint64_t steps_launched(const struct steps *steps)
{
	uint64_t launches = 0;

	for (int i = 0; i < STEP_PHASE_LIMIT; i++)
		launches += steps->phases.launches[i];
	return launches;
}

/* " (GPU busy for 12 % of it, 310 launches a step)", as far as known. */
static void put_phase(const struct step_phases_shown *shown, const struct screen *screen, int phase)
{
	const struct step_phase_times *phases = shown->phases;
	uint64_t each = shown->count ? phases->launches[phase] / shown->count : 0;
	bool has_gpu = shown->steps->has_gpu && phases->ns[phase];
	char text[UNIT_TEXT_BYTES];

	if (has_gpu)
		fprintf(screen->out, " (GPU busy for %s of it",
			unit_format_percent(text, 100.0 * (double)phases->gpu_ns[phase] /
							  (double)phases->ns[phase]));
	if (each)
		fprintf(screen->out, "%s%s launch%s a step", has_gpu ? ", " : " (",
			unit_format_count(text, each), each == 1 ? "" : "es");
	if (has_gpu || each)
		fputs(")", screen->out);
}

void steps_print_phases(const struct step_phases_shown *shown, const struct screen *screen)
{
	const struct step_phase_times *phases = &shown->host->phases;
	bool told[STEP_PHASE_LIMIT] = { false };
	char a[UNIT_TEXT_BYTES];
	const char *before = "";

	for (int n = 0; n < STEP_PHASE_LIMIT; n++) {
		int most = -1;

		for (int i = 0; i < STEP_PHASE_LIMIT; i++)
			if (!told[i] && phases->ns[i] &&
			    steps_know_phase(shown->steps, (enum step_phase)i) &&
			    (most < 0 || phases->ns[i] > phases->ns[most]))
				most = i;
		if (most < 0)
			break;
		told[most] = true;
		fprintf(screen->out, "%s%s %s", before,
			steps_phase_name(shown->steps, (enum step_phase)most),
			unit_format_percent(a, 100.0 * (double)phases->ns[most] /
						       (double)shown->host->total_ns));
		put_phase(shown, screen, most);
		before = ", ";
	}
}

void steps_print_asked(const struct step_phase_times *phases, const struct screen *screen)
{
	uint64_t all_ns = step_phases_asked(phases);
	char share[UNIT_TEXT_BYTES];
	const char *before = "";

	for (int i = 0; i < STEP_PHASE_LIMIT; i++) {
		if (!phases->asked_ns[i])
			continue;
		fprintf(screen->out, "%s%s %s", before, step_phase_names[i],
			unit_format_percent(share,
					    100.0 * (double)phases->asked_ns[i] / (double)all_ns));
		before = ", ";
	}
}

void steps_print_shares(const uint64_t *ns, const struct step_cpu *cpu, uint64_t total_ns,
			const struct screen *screen)
{
	bool told[STEP_CATEGORY_LIMIT] = { false };
	char text[UNIT_TEXT_BYTES];
	const char *before = "";
	uint64_t known_ns = 0;

	for (int n = 0; n < STEP_CATEGORY_LIMIT; n++) {
		int most = -1;

		for (int i = 0; i < STEP_CATEGORY_LIMIT; i++)
			if (!told[i] && ns[i] && (most < 0 || ns[i] > ns[most]))
				most = i;
		if (most < 0)
			break;
		told[most] = true;
		fprintf(screen->out, "%s%s %s", before, step_category_names[most],
			unit_format_percent(text, 100.0 * (double)ns[most] / (double)total_ns));
		put_waiting(cpu, ns, total_ns, screen, most);
		before = ", ";
		known_ns += ns[most];
	}
	if (known_ns < total_ns)
		fprintf(screen->out, "%snot known %s", before,
			unit_format_percent(text, 100.0 * (double)(total_ns - known_ns) /
							  (double)total_ns));
}
