/* SPDX-License-Identifier: MIT */
/*
 * Report `functions`: the table of cProfile, made from all calls, which were recorded one by one.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/map.h"
#include "report/base/units.h"
#include "report/options/keys.h"
#include "report/core/report_kind.h"
#include "report/functions/function_events.h"
#include "report/functions/function_place.h"
#include "report/functions/pstats.h"

/* the same text as in preload/functions/profile.c */
#define AWAY "<not recorded: the program's own profile function>"
#define NO_ACTION "(no action)"

struct functions_state {
	const struct functions *functions;
	struct function_sums {
		uint64_t calls, primitive, open, self_ns, away_ns;
	} sums;
};

struct place_columns {
	enum column_id place, file, line, function;
};

static void functions_prepare(struct report *report)
{
	((struct functions_state *)report->state)->functions = functions_want(
		report->run, &(struct functions_options){ .by = report->request->options->by });
}

static struct function_sums report_functions_add_up(const struct functions *functions,
						    const struct source *source)
{
	struct function_sums sums = { 0 };

	for (size_t i = 0; i < functions->calls.row_count; i++) {
		const struct call_row *row = &functions->calls.row[i];
		struct function_place place = function_place_of(source, row->function);

		sums.calls += row->counts.calls;
		sums.primitive += row->counts.calls - row->counts.recursive;
		sums.open += row->counts.open;
		sums.self_ns += row->counts.self_ns;
		if (place.name_length == strlen(AWAY) &&
		    !memcmp(place.name, AWAY, place.name_length))
			sums.away_ns += row->counts.total_ns;
	}
	return sums;
}

/* --- rows --- */

static void report_functions_put_place(struct table *table, struct place_columns columns,
				       const struct source *source, uint32_t function)
{
	struct function_place place = function_place_of(source, function);
	size_t length;
	const char *text = function_place_text(place, &table->texts, &length);

	table_set_text(table, columns.place, text, length);
	table_set_text(table, columns.file, place.file, place.file_length);
	table_set_number(table, columns.line, place.line);
	table_set_text(table, columns.function, place.name, place.name_length);
}

static void put_calls(struct table *table, const struct call_counts *counts)
{
	uint64_t primitive = counts->calls - counts->recursive;
	const char *text = counts->recursive
				   ? text_store_format(&table->texts, "%" PRIu64 "/%" PRIu64,
						       counts->calls, primitive)
				   : text_store_format(&table->texts, "%" PRIu64, counts->calls);

	table_set_text(table, COLUMN_functions_calls, text, strlen(text));
	table_set_number(table, COLUMN_functions_ncalls, counts->calls);
	table_set_number(table, COLUMN_functions_primitive_calls, primitive);
	table_set_number(table, COLUMN_functions_open, counts->open);
	if (counts->calls)
		table_set_number(table, COLUMN_functions_tottime_percall_ns,
				 counts->self_ns / counts->calls);
	if (primitive)
		table_set_number(table, COLUMN_functions_cumtime_percall_ns,
				 counts->total_ns / primitive);
}

static void report_functions_put_row(struct table *table, const struct source *source,
				     uint32_t function, const struct call_counts *counts,
				     uint64_t all_ns)
{
	static const struct place_columns columns = {
		COLUMN_functions_place,
		COLUMN_functions_file,
		COLUMN_functions_line,
		COLUMN_functions_function,
	};

	report_functions_put_place(table, columns, source, function);
	put_calls(table, counts);
	table_set_number(table, COLUMN_functions_tottime_ns, counts->self_ns);
	table_set_number(table, COLUMN_functions_cumtime_ns, counts->total_ns);
	if (all_ns)
		table_set_real(table, COLUMN_functions_percent,
			       100.0 * (double)counts->self_ns / (double)all_ns);
}

/* Returns whether the option's text is in the function's place, or the option is absent. */
static bool report_functions_is_asked_for(const char *part, const struct source *source,
					  uint32_t function)
{
	struct text_store texts = { 0 };
	const char *text;
	size_t length;
	bool is_in;

	if (!part || !*part)
		return true;
	text = function_place_text(function_place_of(source, function), &texts, &length);
	is_in = memmem(text, length, part, strlen(part)) != NULL;
	text_store_release(&texts);
	return is_in;
}

static void fill_pairs(const struct report *report, struct table *table)
{
	static const struct place_columns columns = {
		COLUMN_functions_caller,
		COLUMN_functions_caller_file,
		COLUMN_functions_caller_line,
		COLUMN_functions_caller_function,
	};
	const struct functions_state *state = report->state;
	const struct report_option_value *option = report->request->options->of_report;
	const struct calls *calls = &state->functions->calls;
	const struct source *source = run_source(report->run);

	for (size_t i = 0; i < calls->pair_count; i++) {
		const struct call_pair *pair = &calls->pair[i];
		uint32_t caller = calls->row[pair->caller].function,
			 callee = calls->row[pair->callee].function;

		if (!report_functions_is_asked_for(option[REPORT_OPTION_callers].text, source,
						   callee) ||
		    !report_functions_is_asked_for(option[REPORT_OPTION_callees].text, source,
						   caller))
			continue;
		table_add_row(table);
		report_functions_put_row(table, source, callee, &pair->counts, state->sums.self_ns);
		report_functions_put_place(table, columns, source, caller);
	}
}

/*
 * Rows of a function whose keys mean the same are joined into the first one. The others, and rows
 * that are left out, have no calls then.
 */
static struct call_row *settled_rows(const struct functions *functions)
{
	const struct calls *calls = &functions->calls;
	struct call_row *row = memory_zero(calls->row_count + 1, sizeof(*row));
	struct map first;
	bool added;

	map_init(&first);
	for (size_t i = 0; i < calls->row_count; i++) {
		uint64_t words[2] = { key_settle(&functions->key, calls->row[i].key),
				      calls->row[i].function };
		struct map_entry *entry;

		row[i].key = words[0];
		row[i].function = calls->row[i].function;
		if (words[0] == KEY_LEFT_OUT)
			continue;
		entry = map_put(&first, map_hash_bytes(words, sizeof(words), 0), &added);
		if (added)
			entry->value = i;
		call_counts_add(&row[entry->value].counts, &calls->row[i].counts);
	}
	map_release(&first);
	return row;
}

static void report_functions_fill_rows(const struct report *report, struct table *table)
{
	const struct functions_state *state = report->state;
	const struct functions *functions = state->functions;
	struct call_row *row = settled_rows(functions);

	for (size_t i = 0; i < functions->calls.row_count; i++) {
		if (!row[i].counts.calls)
			continue;
		table_add_row(table);
		key_put(&functions->key, row[i].key, table);
		report_functions_put_row(table, run_source(report->run), row[i].function,
					 &row[i].counts, state->sums.self_ns);
	}
	free(row);
}

static void fill_actions(const struct report *report, struct table *table)
{
	const struct functions_state *state = report->state;
	const struct calls *all = &state->functions->calls,
			   *inside = &state->functions->actions.calls;
	const struct source *source = run_source(report->run);

	for (size_t i = 0; i < all->row_count + inside->row_count; i++) {
		bool is_inside = i >= all->row_count;
		const struct call_row *row = is_inside ? &inside->row[i - all->row_count]
						       : &all->row[i];
		const char *text = NO_ACTION;
		size_t length = strlen(text);

		if (!is_inside && row->key == FUNCTIONS_IN_ACTION)
			continue;
		if (is_inside)
			text = name_text(source_name_at(source, (uint32_t)row->key - 1), &length);
		table_add_row(table);
		table_set_text(table, COLUMN_functions_action, text, length);
		report_functions_put_row(table, source, row->function, &row->counts,
					 state->sums.self_ns);
	}
}

static void functions_fill(struct report *report, struct table *table)
{
	struct functions_state *state = report->state;

	state->sums = report_functions_add_up(state->functions, run_source(report->run));
	if (report->request->options->by == BY_functions_caller)
		fill_pairs(report, table);
	else if (state->functions->by_action)
		fill_actions(report, table);
	else
		report_functions_fill_rows(report, table);
}

/* --- lines around the table --- */

static void functions_total(const struct report *report, struct facts *facts)
{
	const struct functions_state *state = report->state;
	const struct function_sums *sums = &state->sums;

	facts_number(facts, "ncalls", UNIT_COUNT, sums->calls);
	facts_number(facts, "primitive_calls", UNIT_COUNT, sums->primitive);
	facts_number(facts, "tottime_ns", UNIT_NS, sums->self_ns);
	facts_number(facts, "not_recorded_ns", UNIT_NS, sums->away_ns);
	facts_number(facts, "open", UNIT_COUNT, sums->open);
	facts_number(facts, "out_of_order", UNIT_COUNT, state->functions->calls.out_of_order);
	facts_number(facts, "unmatched", UNIT_COUNT, state->functions->calls.unmatched);
}

/* Returns the number of threads that called something. */
static uint64_t threads_of(const struct calls *calls)
{
	uint64_t threads = 0;

	for (size_t i = 0; i < calls->thread_room; i++)
		threads += calls->thread[i].has_called;
	return threads;
}

/* cProfile records one thread, whose time is at most that of the run. */
static void functions_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct functions_state *state = report->state;
	const struct function_sums *sums = &state->sums;
	uint64_t threads = threads_of(&state->functions->calls);
	char calls[UNIT_TEXT_BYTES], primitive[UNIT_TEXT_BYTES], time[UNIT_TEXT_BYTES];
	char many[UNIT_TEXT_BYTES];

	if (!sums->calls)
		return;
	screen_print(screen, SCREEN_BOLD, "%s function calls (%s primitive calls) in %s",
		     unit_format_count(calls, sums->calls),
		     unit_format_count(primitive, sums->primitive),
		     unit_format_ns(time, sums->self_ns));
	if (threads > 1)
		screen_print(screen, SCREEN_BOLD, ", the times of %s threads added up",
			     unit_format_count(many, threads));
	screen_print(screen, SCREEN_BOLD, "\n");
}

static void functions_foot(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct functions_state *state = report->state;
	char text[UNIT_TEXT_BYTES];

	if (state->functions->calls.out_of_order)
		screen_print_prose(
			screen,
			"%s call%s ended with one around them, as where greenlets switch: "
			"their times are estimates.",
			unit_format_count(text, state->functions->calls.out_of_order),
			unit_plural(state->functions->calls.out_of_order));
	if (state->functions->interpreters)
		screen_print_prose(screen,
				   "The program made %s sub-interpreter%s: calls in them are not "
				   "recorded. `prof-report lines` has samples of them.",
				   unit_format_count(text, state->functions->interpreters),
				   unit_plural(state->functions->interpreters));
	if (state->sums.away_ns)
		screen_print_prose(screen,
				   "What ran in %s is not in this table: the program used Python's "
				   "profile function itself.",
				   unit_format_ns(text, state->sums.away_ns));
}

static void functions_draw(const struct document *document, const struct screen *screen,
			   enum export_format format)
{
	const struct report *report = document->context;
	const struct functions_state *state = report->state;

	if (format == FORMAT_PSTATS)
		pstats_write(screen->out, &state->functions->calls, run_source(report->run));
}

static const char *functions_explain(const struct report *report, struct why_empty *absence)
{
	(void)absence;
	if (!why_empty_is_off(report->run, EVT_FAMILY_functions) ||
	    !run_events(report->run, EVT_python_sample))
		return NULL;
	return "no Python function was recorded: INTERCEPT_TRACE was without functions; record "
	       "again with INTERCEPT_TRACE=+functions, or see those of sampled stacks with "
	       "--sampled";
}

const struct report_kind report_kind_functions = {
	.state_bytes = sizeof(struct functions_state),
	.family = EVT_FAMILY_functions,
	.explain = functions_explain,
	.want = functions_prepare,
	.fill = functions_fill,
	.total = functions_total,
	.head = functions_head,
	.foot = functions_foot,
	.draw = functions_draw,
};
