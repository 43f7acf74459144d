/* SPDX-License-Identifier: MIT */
/*
 * Stacks of a family for trees and flame graphs: chooses the source of stacks and puts its rows
 * together.
 */
#include "report/stacks/stack_report.h"

#include <stdlib.h>
#include <string.h>

#include "report/stacks/stack_shown.h"

static const struct stack_source *const sources[] = {
#define STACK_SOURCE(name) &stack_source_##name,
#include "report/families.def"
};

static const char *const value_names[STACK_VALUES] = {
	[STACK_BYTES] = "bytes", [STACK_CALLS] = "calls", [STACK_LIVE] = "live",
	[STACK_PEAK] = "peak",   [STACK_TIME] = "time",   [STACK_WAIT] = "wait",
	[STACK_GIL] = "gil"
};

static const char *const value_says[STACK_VALUES] = {
	[STACK_BYTES] = "bytes, all that were asked for",
	[STACK_CALLS] = "calls",
	[STACK_LIVE] = "bytes that were never freed",
	[STACK_PEAK] = "bytes at the peak",
	[STACK_TIME] = "time in calls",
	[STACK_WAIT] = "time of waits",
	[STACK_GIL] = "time of waits for the GIL",
};

static const struct stack_source *source_named(const char *name)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (!strcmp(sources[i]->name, name))
			return sources[i];
	return sources[0];
}

void stack_report_want(struct stack_report *state, struct report *report)
{
	const struct report_option_value
		*of = &report->request->options->of_report[REPORT_OPTION_of],
		*value = &report->request->options->of_report[REPORT_OPTION_value];

	state->from = source_named(of->text ? of->text : "alloc");
	state->value = value->text ? (enum stack_value)value->choice : state->from->first;
	state->has_value = state->from->values & 1u << state->value;
	state->from_state = state->from->want(report->run);
}

static void stack_report_take_use(void *context, const struct stack_use *use)
{
	struct stack_report *state = context;
	size_t place = stack_rows_place(&state->rows, use);

	if (place == STACK_LEFT_OUT)
		return;
	state->weight = memory_room(state->weight, place, &state->room, sizeof(*state->weight));
	state->weight[place] += use->weight;
	state->all += use->weight;
}

/*
 * In a table, stacks of the same functions at different lines look equal, so they are one row
 * unless more is requested. Programs get each place in the code. Trees go by names anyway. Samples
 * have only Python frames.
 */
static enum stack_by shown_by(const struct stack_report *state, const struct report *report)
{
	const struct options *options = report->request->options;
	enum stack_by by = stack_by_of(options->by);
	bool has_keys = options->report == REPORT_flame || options->report == REPORT_top_down ||
			options->report == REPORT_bottom_up;
	bool is_table = options->report == REPORT_flame &&
			(options->format == FORMAT_TABLE || options->format == FORMAT_MARKDOWN);

	if (!has_keys) /* an export */
		return STACK_BY_STACK;
	if (by == STACK_BY_STACK && is_table && !options->by_name)
		return STACK_BY_FUNCTION;
	return by == STACK_BY_PYTHON && state->from->put_named ? STACK_BY_FUNCTION : by;
}

static void stack_report_show(struct stack_report *state, const struct report *report)
{
	struct stack_rows *rows = &state->rows;
	struct stack_shown shown;
	uint32_t *row = NULL; /* by what is shown: its place + 1 */
	size_t count = 0, row_room = 0;

	stack_shown_init(&shown, &rows->names, shown_by(state, report));
	if (shown.by == STACK_BY_STACK)
		return;
	for (size_t i = 0; i < rows->place_count; i++) {
		uint32_t stack = stack_shown_of(&shown, rows->place[i].stack);

		row = memory_room(row, stack, &row_room, sizeof(*row));
		if (row[stack]) {
			state->weight[row[stack] - 1] += state->weight[i];
			continue;
		}
		rows->place[count] = (struct stack_place){ .stack = stack };
		state->weight[count++] = state->weight[i];
		row[stack] = (uint32_t)count;
	}
	rows->place_count = count;
	free(row);
	stack_shown_release(&shown);
}

void stack_report_read(struct stack_report *state, struct report *report)
{
	static const struct stack_columns columns = { COLUMN_flame_stack, COLUMN_ID_LIMIT,
						      COLUMN_ID_LIMIT,    COLUMN_ID_LIMIT,
						      COLUMN_ID_LIMIT,    COLUMN_ID_LIMIT,
						      COLUMN_ID_LIMIT };
	struct source *source = run_source(report->run);

	stack_rows_init(&state->rows, source, report->request->options, STACK_BY_STACK, columns);
	state->rows.names.of_samples = state->from->of_samples;
	if (state->has_value && state->from->put_named)
		state->from->put_named(state->from_state, &state->rows.names, state->value,
				       stack_report_take_use, state);
	else if (state->has_value)
		state->from->put(state->from_state, source, state->value, stack_report_take_use,
				 state);
	stack_report_show(state, report);
}

void stack_report_release(struct stack_report *state)
{
	stack_rows_release(&state->rows);
	free(state->weight);
}

void stack_report_tree(const struct stack_report *state, struct stack_tree *tree, bool is_bottom_up,
		       enum tree_identity identity)
{
	stack_tree_init(tree, &state->rows.names, is_bottom_up);
	tree->identity = identity;
	for (size_t i = 0; i < state->rows.place_count; i++)
		stack_tree_add(tree, state->rows.place[i].stack, state->weight[i]);
	stack_tree_settle(tree);
}

enum unit stack_report_unit(const struct stack_report *state)
{
	return state->value >= STACK_TIME    ? UNIT_NS
	       : state->value == STACK_CALLS ? UNIT_COUNT
					     : UNIT_BYTES;
}

bool stack_report_is_estimated(const struct stack_report *state)
{
	return state->from->is_estimated && state->from->is_estimated(state->from_state);
}

void stack_report_describe(const struct stack_report *state, char *text, size_t room)
{
	const char *says = state->from->says[state->value];
	char amount[UNIT_TEXT_BYTES];

	snprintf(text, room, "%s: %s%s, %s", state->from->name,
		 stack_report_is_estimated(state) ? "estimated from a sample: " : "",
		 says ? says : value_says[state->value],
		 unit_format(amount, stack_report_unit(state), state->all));
}

void stack_report_head(const struct stack_report *state, const struct screen *screen)
{
	char text[128];

	stack_report_describe(state, text, sizeof(text));
	if (state->all)
		fprintf(screen->out, "%s\n\n", text);
}

void stack_report_total(const struct stack_report *state, struct facts *facts)
{
	const char *name = value_names[state->value];

	facts_text(facts, "of", state->from->name, strlen(state->from->name));
	facts_text(facts, "value", name, strlen(name));
	facts_number(facts, stack_report_is_estimated(state) ? "estimated_total" : "total",
		     UNIT_AMOUNT, state->all);
}

/*
 * True if any event of the family happened: events without a stack, or without a value of the kind,
 * are not drawn.
 */
static bool has_events(const struct stack_report *state, const struct run *run)
{
	if (run_filters(run)->any || run_options(run)->filter_count)
		return false;
	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++)
		if (evt_descriptors[id].family == state->from->family &&
		    run_events(run, (enum evt_id)id))
			return true;
	return false;
}

const char *stack_report_explain(const struct stack_report *state, const struct report *report,
				 struct why_empty *absence)
{
	if (!state->has_value)
		return text_store_format((struct text_store *)&state->rows.names.texts,
					 "--of %s has no --value %s: see prof-report flame --help",
					 state->from->name, value_names[state->value]);
	if (state->from->explain && state->from->explain(state->from_state))
		return state->from->explain(state->from_state);
	if (has_events(state, report->run)) {
		bool is_sure = state->value == STACK_CALLS || state->value == STACK_TIME;

		snprintf(
			absence->text, sizeof(absence->text),
			is_sure ? "nothing of %s has a stack: record with INTERCEPT_STACKS=native, "
				  "python or both"
				: "no stack of %s has bytes to show: INTERCEPT_STACKS=native, "
				  "python or both records stacks",
			state->from->name);
		return absence->text;
	}
	return why_empty_explain(report->run, state->from->family, absence);
}
