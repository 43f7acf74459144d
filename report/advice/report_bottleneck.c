/* SPDX-License-Identifier: MIT */
/*
 * Report `bottleneck`: what ran where, what the time went to, and what to change first. The text is
 * in bottleneck_text.c; exports have the advice as rows and the rest as totals.
 */
#include <string.h>

#include "report/advice/bottleneck.h"
#include "report/advice/cause.h"
#include "report/core/report_kind.h"
#include "report/core/why_empty.h"
#include "report/table/cells.h"

/* Since the run began; nothing when it is not known. */
static void put_since(struct facts *facts, const char *name, const struct bottleneck *bottleneck,
		      uint64_t time_ns)
{
	if (time_ns && bottleneck->process && time_ns >= bottleneck->process->start_ns)
		facts_number(facts, name, UNIT_NS, time_ns);
	else
		facts_text(facts, name, NULL, 0);
}

static void put_environment(struct facts *facts, const struct bottleneck *bottleneck)
{
	static const char *const keys[] = { "python_version",  "python_implementation",
					    "torch_version",   "torch_cuda",
					    "torch_threads",   "OMP_NUM_THREADS",
					    "MKL_NUM_THREADS", "CUDA_VISIBLE_DEVICES",
					    "WORLD_SIZE",      "RANK" };
	const struct source_process *process = bottleneck->process;
	const struct source_name *command = bottleneck_command(bottleneck);
	const char *host = process ? process->file->host : NULL;

	facts_text(facts, "command", command ? command->text : NULL, command ? command->length : 0);
	facts_text(facts, "host", host, host ? strlen(host) : 0);
	facts_number(facts, "start_real_ns", UNIT_ID, process ? process->file->start_real_ns : 0);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct source_name *value = bottleneck_fact(bottleneck, keys[i]);

		facts_text(facts, keys[i], value ? value->text : NULL, value ? value->length : 0);
	}
}

static void put_times(struct facts *facts, const struct bottleneck *bottleneck)
{
	static const char *const names[STEP_CATEGORY_LIMIT] = {
#define CATEGORY(name) "step_" #name "_ns",
		STEP_CATEGORIES(CATEGORY)
#undef CATEGORY
	};

	facts_number(facts, "wall_ns", UNIT_NS, bottleneck->wall_ns);
	facts_number(facts, "serving_ns", UNIT_NS, bottleneck->serving.ns);
	put_since(facts, "import_torch_ns", bottleneck, bottleneck->imported_ns);
	put_since(facts, "first_step_ns", bottleneck, bottleneck->first_step_ns);
	put_since(facts, "last_step_ns", bottleneck, bottleneck->last_step_ns);
	facts_number(facts, "steps", UNIT_COUNT, bottleneck->steps->time.count);
	facts_number(facts, "step_total_ns", UNIT_NS, bottleneck->steps->time.total_ns);
	facts_number(facts, "step_p50_ns", UNIT_NS,
		     timing_percentile(&bottleneck->steps->time, 50));
	facts_number(facts, "warm_up_steps", UNIT_COUNT, bottleneck->loop.warm_steps);
	facts_number(facts, "warm_up_ns", UNIT_NS, bottleneck->loop.warm_ns);
	for (int i = STEP_FIRST_OF_HOST; i < STEP_CATEGORY_LIMIT; i++)
		if (!steps_know(bottleneck->steps, (enum step_category)i, true))
			facts_none(facts, names[i], UNIT_NS);
		else if (i != STEP_gc || !why_empty_is_off(bottleneck->run, EVT_FAMILY_gc))
			facts_number(facts, names[i], UNIT_NS, bottleneck->steps->ns[i]);
	facts_number(facts, "operators", UNIT_COUNT, bottleneck->operator_calls);
	facts_number(facts, "gaps_not_kept", UNIT_COUNT, bottleneck->evidence->gaps.beyond);
	facts_number(facts, "heap_peak_bytes", UNIT_BYTES, bottleneck->heap->totals.peak_bytes);
	facts_number(facts, "tensors_peak_bytes", UNIT_BYTES, bottleneck->tensors->live.peak_bytes);
	facts_number(facts, "dataloader_workers", UNIT_COUNT, bottleneck->workers);
}

static void report_bottleneck_put_place(struct table *table, const struct advice_place *place)
{
	if (place->line[0])
		table_put_text(table, COLUMN_bottleneck_line, place->line);
	if (place->function[0])
		table_put_text(table, COLUMN_bottleneck_function, place->function);
	if (place->caller[0])
		table_put_text(table, COLUMN_bottleneck_caller, place->caller);
	if (place->library[0])
		table_put_text(table, COLUMN_bottleneck_library, place->library);
	if (place->samples)
		table_set_number(table, COLUMN_bottleneck_samples, place->samples);
}

static void fill_table(const struct bottleneck *bottleneck, struct table *table)
{
	static const char *const bases[] = { [ADVICE_OF_STEPS] = "steps",
					     [ADVICE_OF_RUN] = "run",
					     [ADVICE_OF_SERVING] = "serving",
					     [ADVICE_OF_LOOP] = "loop" };

	for (size_t i = 0; i < bottleneck->advice_count; i++) {
		const struct advice *advice = &bottleneck->advice[i];
		const struct advice_rule *rule = advice->rule;
		char title[CAUSE_TITLE_BYTES];

		table_add_row(table);
		table_put_text(table, COLUMN_bottleneck_id, rule->id);
		table_put_text(table, COLUMN_bottleneck_severity,
			       advice_severity_names[advice->severity]);
		table_set_real(table, COLUMN_bottleneck_value, advice->value);
		table_set_real(table, COLUMN_bottleneck_threshold, rule->threshold);
		table_put_text(table, COLUMN_bottleneck_unit, rule->unit);
		if (advice->gain_ns) {
			table_set_number(table, COLUMN_bottleneck_gain_ns, advice->gain_ns);
			table_set_number(table, COLUMN_bottleneck_stake_ns, advice->gain_ns);
			table_set_real(table, COLUMN_bottleneck_stake_percent,
				       advice_share(bottleneck, advice));
			table_put_text(table, COLUMN_bottleneck_stake_of,
				       bases[advice_base_of(advice)]);
		}
		report_bottleneck_put_place(table, &advice->place);
		if (advice->waits_at[0])
			table_put_text(table, COLUMN_bottleneck_waits_at, advice->waits_at);
		table_put_text(table, COLUMN_bottleneck_text, advice->text);
		table_put_text(table, COLUMN_bottleneck_todo, advice->todo);
		table_put_text(table, COLUMN_bottleneck_command, advice->command);
		cause_title(advice, title);
		table_put_text(table, COLUMN_bottleneck_title,
			       text_store_put(&table->texts, title, strlen(title)));
	}
}

static void bottleneck_prepare(struct report *report)
{
	bottleneck_want(report->state, report->run);
}

static void bottleneck_fill(struct report *report, struct table *table)
{
	struct bottleneck *bottleneck = report->state;

	bottleneck_look(bottleneck);
	fill_table(bottleneck, table);
}

static void bottleneck_total(const struct report *report, struct facts *facts)
{
	put_environment(facts, report->state);
	put_times(facts, report->state);
}

static void bottleneck_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;

	bottleneck_print(report->state, document, screen);
}

static void bottleneck_end(struct report *report)
{
	bottleneck_release(report->state);
}

const struct report_kind report_kind_bottleneck = {
	.state_bytes = sizeof(struct bottleneck),
	.form = REPORT_TEXT,
	.want = bottleneck_prepare,
	.fill = bottleneck_fill,
	.total = bottleneck_total,
	.head = bottleneck_head,
	.release = bottleneck_end,
};
