/* SPDX-License-Identifier: MIT */
/* Report `stuck`: a verdict in sentences, and a row for each thread with its last place. */
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "report/core/report_kind.h"
#include "report/options/options.h"
#include "report/stuck/idle_threads.h"
#include "report/stuck/stuck.h"
#include "report/table/cells.h"

struct report_stuck {
	struct stuck stuck;
	struct idle_threads idle; /* that are not shown */
};

static struct stuck *report_stuck_of(const struct report *report)
{
	struct report_stuck *mine = report->state;

	return &mine->stuck;
}

static void report_stuck_want(struct report *report)
{
	stuck_want(report_stuck_of(report), report->run);
}

static void report_stuck_put_place(struct stuck *stuck, struct table *table,
				   const struct last_look *look)
{
	const struct sample_place *place = own_place_or_innermost(stuck->samples, &stuck->own,
								  look->place);
	const struct sample_code *code = place ? samples_code(stuck->samples, place->code) : NULL;
	char words[STUCK_PLACE_BYTES];
	const char *text;
	size_t length;

	text = stuck_waits_for(stuck, look, words);
	if (text) {
		text = text_store_format(&stuck->texts, "%s", text);
		table_set_text(table, COLUMN_stuck_waits_for, text, strlen(text));
	}
	if (stuck_holder(stuck, look))
		table_set_number(table, COLUMN_stuck_held_by, stuck_holder(stuck, look));
	if (!code || code->file == SAMPLE_NONE)
		return;
	text = name_text(source_name_at(stuck->source, code->file), &length);
	text = text_store_format(&stuck->texts, "%.*s:%" PRIu32,
				 (int)(length < PATH_MAX ? length : PATH_MAX), text, place->line);
	table_set_text(table, COLUMN_stuck_line, text, strlen(text));
	table_put_known_name(table, COLUMN_stuck_function, stuck->source, code->function);
}

/* What the process is in, at its loop's thread. */
static void report_stuck_put_process(const struct stuck *stuck, struct table *table,
				     const struct stuck_process *state)
{
	const struct stuck_call *call = stuck_call_of(stuck, state->process->index);
	const struct last_step *step = last_step_of(stuck->looks, state->process->index);

	if (call) {
		table_put_known_name(table, COLUMN_stuck_operation, stuck->source, call->name);
		table_set_number(table, COLUMN_stuck_sequence, call->ended + 1);
		if (stuck->until_ns >= call->open_ns)
			table_set_number(table, COLUMN_stuck_entered,
					 stuck->until_ns - call->open_ns);
	}
	if (!step)
		return;
	table_set_number(table, COLUMN_stuck_step, step->number);
	if (state->until_ns >= step->begin_ns)
		table_set_number(table, COLUMN_stuck_step_ns, state->until_ns - step->begin_ns);
}

/* Of the loop's thread, steps and collectives tell of what was between two looks. */
static uint64_t report_stuck_since_ns(const struct stuck_process *state,
				      const struct last_look *look)
{
	uint64_t since_ns = look->still_ns;

	if (look == state->main && state->moved_ns > since_ns)
		since_ns = state->moved_ns;
	return look->time_ns > since_ns ? look->time_ns - since_ns : 0;
}

static void report_stuck_put_row(struct stuck *stuck, struct table *table,
				 const struct last_look *look)
{
	const struct stuck_process *state = &stuck->process[look->thread->process->index];
	const char *name;
	size_t length;

	thread_name(look->thread, &name, &length);
	table_add_row(table);
	if (state->rank != UINT64_MAX)
		table_set_number(table, COLUMN_stuck_rank, state->rank);
	table_set_number(table, COLUMN_stuck_pid, state->process->pid);
	table_set_number(table, COLUMN_stuck_tid, look->thread->tid);
	if (length)
		table_set_text(table, COLUMN_stuck_thread, name, length);
	table_set_number(table, COLUMN_stuck_since_ns, report_stuck_since_ns(state, look));
	report_stuck_put_place(stuck, table, look);
	if (look == state->main)
		report_stuck_put_process(stuck, table, state);
}

#define KILLED_WITHIN_NS 1000000000u /* threads of a process that is killed end one by one */

/* It ended, and its process went on. */
static bool report_stuck_is_over(const struct stuck *stuck, const struct source_thread *thread)
{
	const struct source_process *process = thread->process;
	uint64_t end_ns = process->end_ns;

	if (process->how == EVT_END_KILLED && end_ns > KILLED_WITHIN_NS)
		end_ns -= KILLED_WITHIN_NS;
	return stuck->process[process->index].left ||
	       (thread->ended && (!process->ended || thread->end_ns < end_ns));
}

/* Programs, and whoever asks for all rows or for certain ones, get those of idle threads, too. */
static bool report_stuck_shows_idle(const struct report *report)
{
	const struct options *options = report->request->options;

	return (options->format != FORMAT_TABLE && options->format != FORMAT_MARKDOWN) ||
	       options->limit != LIMIT_DEFAULT || report->request->arrangement.row_filter_count;
}

static void report_stuck_put_rows(struct report_stuck *mine, struct table *table, bool shows_idle)
{
	struct stuck *stuck = &mine->stuck;

	for (size_t i = 0; i < stuck->looks->look_count; i++) {
		const struct last_look *look = &stuck->looks->look[i];

		if (!look->thread || report_stuck_is_over(stuck, look->thread))
			continue;
		if (!shows_idle && idle_threads_have(stuck, look))
			idle_threads_count(&mine->idle, look);
		else
			report_stuck_put_row(stuck, table, look);
	}
}

static void report_stuck_fill(struct report *report, struct table *table)
{
	struct report_stuck *mine = report->state;

	stuck_find(&mine->stuck, report->request->options);
	report_stuck_put_rows(mine, table, report_stuck_shows_idle(report));
	if (table->row_count)
		return;
	mine->idle = (struct idle_threads){ 0 };
	report_stuck_put_rows(mine, table, true);
}

static void report_stuck_total(const struct report *report, struct facts *facts)
{
	const struct stuck *stuck = report_stuck_of(report);
	uint64_t processes = 0;

	for (size_t i = 0; i < stuck->process_count; i++)
		processes += stuck->process[i].is_stuck;
	facts_text(facts, "verdict", stuck->sentence[0], strlen(stuck->sentence[0]));
	facts_number(facts, "stuck_processes", UNIT_COUNT, processes);
}

static void report_stuck_head(const struct document *document, const struct screen *screen)
{
	const struct stuck *stuck = report_stuck_of(document->context);

	for (size_t i = 0; i < stuck->sentence_count; i++)
		screen_print_prose(screen, "%s", stuck->sentence[i]);
	fputc('\n', screen->out);
}

static void report_stuck_foot(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct report_stuck *mine = report->state;

	idle_threads_say(&mine->idle, screen);
}

static const char *report_stuck_explain(const struct report *report, struct why_empty *absence)
{
	(void)report;
	(void)absence;
	return "no thread of Python that still lived was seen";
}

static void report_stuck_release(struct report *report)
{
	stuck_release(report_stuck_of(report));
}

const struct report_kind report_kind_stuck = {
	.state_bytes = sizeof(struct report_stuck),
	.form = REPORT_TABLE,
	.family = EVT_FAMILY_samples,
	.want = report_stuck_want,
	.fill = report_stuck_fill,
	.total = report_stuck_total,
	.explain = report_stuck_explain,
	.head = report_stuck_head,
	.foot = report_stuck_foot,
	.release = report_stuck_release,
};
