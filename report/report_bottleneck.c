/* SPDX-License-Identifier: MIT */
/*
 * Report `bottleneck`: what ran where, what the time went to, and what to change first. The text is in
 * bottleneck_text.c; exports have the advice as rows and the rest as totals.
 */
#include <string.h>

#include "report/bottleneck.h"
#include "report/report.h"

#define FACTS_MAX (32 + STEP_CATEGORY_LIMIT)

struct facts {
	struct fact fact[FACTS_MAX];
	size_t count;
};

static void put_number(struct facts *facts, const char *name, enum unit unit, uint64_t value)
{
	facts->fact[facts->count++] = FACT_NUMBER(name, unit, value);
}

static void put_text(struct facts *facts, const char *name, const char *text, size_t length)
{
	struct fact fact = { name, UNIT_TEXT, { .kind = CELL_NONE } };

	if (text) {
		fact.cell.kind = CELL_TEXT;
		fact.cell.text = text;
		fact.cell.length = (uint32_t)length;
	}
	facts->fact[facts->count++] = fact;
}

/* Since the process began; nothing when it is not known. */
static void put_since(struct facts *facts, const char *name, const struct bottleneck *bottleneck,
		      uint64_t time_ns)
{
	if (time_ns && bottleneck->process && time_ns >= bottleneck->process->start_ns)
		put_number(facts, name, UNIT_NS, time_ns - bottleneck->process->start_ns);
	else
		put_text(facts, name, NULL, 0);
}

static void put_environment(struct facts *facts, const struct bottleneck *bottleneck)
{
	static const char *const keys[] = { "python_version",  "python_implementation",
					    "torch_version",   "torch_cuda",
					    "torch_threads",   "OMP_NUM_THREADS",
					    "MKL_NUM_THREADS", "CUDA_VISIBLE_DEVICES",
					    "WORLD_SIZE",      "RANK" };
	const struct source_process *process = bottleneck->process;
	const struct source_name *command = process ? process->command : NULL;
	const char *host = process ? process->file->host : NULL;

	put_text(facts, "command", command ? command->text : NULL, command ? command->length : 0);
	put_text(facts, "host", host, host ? strlen(host) : 0);
	put_number(facts, "start_real_ns", UNIT_ID, process ? process->file->start_real_ns : 0);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct source_name *value = bottleneck_fact(bottleneck, keys[i]);

		put_text(facts, keys[i], value ? value->text : NULL, value ? value->length : 0);
	}
}

static void put_times(struct facts *facts, const struct bottleneck *bottleneck)
{
	static const char *const names[STEP_CATEGORY_LIMIT] = {
#define CATEGORY(name) "step_" #name "_ns",
		STEP_CATEGORIES(CATEGORY)
#undef CATEGORY
	};
	const struct model *model = bottleneck->model;

	put_number(facts, "wall_ns", UNIT_NS, bottleneck->wall_ns);
	put_since(facts, "import_torch_ns", bottleneck, bottleneck->imported_ns);
	put_since(facts, "first_step_ns", bottleneck, bottleneck->first_step_ns);
	put_since(facts, "last_step_ns", bottleneck, bottleneck->last_step_ns);
	put_number(facts, "steps", UNIT_COUNT, model->steps.time.count);
	put_number(facts, "step_total_ns", UNIT_NS, model->steps.time.total_ns);
	put_number(facts, "step_p50_ns", UNIT_NS, timing_percentile(&model->steps.time, 50));
	put_number(facts, "warm_up_steps", UNIT_COUNT, bottleneck->loop.warm_steps);
	put_number(facts, "warm_up_ns", UNIT_NS, bottleneck->loop.warm_ns);
	for (int i = STEP_FIRST_OF_HOST; i < STEP_CATEGORY_LIMIT; i++)
		put_number(facts, names[i], UNIT_NS, model->steps.ns[i]);
	put_number(facts, "operators", UNIT_COUNT, bottleneck->operator_calls);
	put_number(facts, "heap_peak_bytes", UNIT_BYTES, model->heap.totals.peak_bytes);
	put_number(facts, "tensors_peak_bytes", UNIT_BYTES, model->tensors.live.peak_bytes);
	put_number(facts, "dataloader_workers", UNIT_COUNT, bottleneck->workers);
}

static void set_text(struct table *table, enum column_id column, const char *text)
{
	table_set_text(table, column, text, strlen(text));
}

static void fill_table(const struct bottleneck *bottleneck, struct table *table)
{
	for (size_t i = 0; i < bottleneck->advice_count; i++) {
		const struct advice *advice = &bottleneck->advice[i];
		const struct advice_rule *rule = advice->rule;

		table_add_row(table);
		set_text(table, COLUMN_bottleneck_id, rule->id);
		set_text(table, COLUMN_bottleneck_severity,
			 advice_severity_names[advice->severity]);
		table_set_real(table, COLUMN_bottleneck_value, advice->value);
		table_set_real(table, COLUMN_bottleneck_threshold, rule->threshold);
		set_text(table, COLUMN_bottleneck_unit, rule->unit);
		if (advice->gain_ns)
			table_set_number(table, COLUMN_bottleneck_gain_ns, advice->gain_ns);
		set_text(table, COLUMN_bottleneck_text, advice->text);
		set_text(table, COLUMN_bottleneck_todo, rule->todo);
		set_text(table, COLUMN_bottleneck_command, advice->command);
	}
}

static int bottleneck_write(struct report_request *request, struct table *table,
			    struct model *model)
{
	struct bottleneck bottleneck;
	struct facts facts = { .count = 0 };
	struct document document = { .fact = facts.fact,
				     .head = bottleneck_print,
				     .head_only = true,
				     .context = &bottleneck };
	int status;

	bottleneck_look(&bottleneck, model);
	put_environment(&facts, &bottleneck);
	put_times(&facts, &bottleneck);
	document.fact_count = facts.count;
	fill_table(&bottleneck, table);
	status = request_write(request, &document, table);
	bottleneck_release(&bottleneck);
	return status;
}

int report_bottleneck(struct report_request *request)
{
	struct table table;
	int status;

	table_init(&table, "bottleneck", NULL);
	status = request_prepare(request, &table);
	if (!status) {
		struct model_options options = request_model_options(request);
		struct model model;

		bottleneck_options(&options);
		request->arrangement.limit = 0;
		model_init(&model, request->source, &options);
		request_read(request, &model);
		status = bottleneck_write(request, &table, &model);
		model_release(&model);
	}
	table_release(&table);
	return status;
}
