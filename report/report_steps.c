/* SPDX-License-Identifier: MIT */
/* Report `steps`: how long the steps of a training loop took, and what for. */
#include "report/absence.h"
#include "report/report.h"
#include "report/rows_steps.h"

#define FACTS_OF_TIME 8

static void steps_head(const struct document *document, const struct screen *screen)
{
	const struct model *model = document->context;
	char number[UNIT_TEXT_BYTES];
	struct prose line;

	if (model->steps.time.count) {
		prose_begin(&line, screen);
		steps_print_times(model, &line.screen);
		prose_end(&line, screen);
	}
	if (model->steps.time.total_ns) {
		prose_begin(&line, screen);
		fputs("time: ", line.screen.out);
		steps_print_shares(model->steps.ns, model->steps.time.total_ns, &line.screen);
		prose_end(&line, screen);
	}
	if (model->by_id[EVT_torch_sampling] && model->steps.time.count)
		screen_print_prose(screen, "not all operators were recorded "
					   "(INTERCEPT_OPERATORS): cpu was more than this");
	if (model->steps.in_part)
		fprintf(screen->out, "%s step%s recorded in part, not listed\n",
			unit_format_count(number, model->steps.in_part),
			model->steps.in_part == 1 ? " was" : "s were");
}

static size_t steps_fill_facts(const struct steps *steps,
			       struct fact fact[FACTS_OF_TIME + STEP_CATEGORY_LIMIT])
{
	static const char *const names[STEP_CATEGORY_LIMIT] = {
#define CATEGORY(name) #name "_ns",
		STEP_CATEGORIES(CATEGORY)
#undef CATEGORY
	};
	const struct fact times[FACTS_OF_TIME] = {
		FACT_NUMBER("steps", UNIT_COUNT, steps->time.count),
		FACT_NUMBER("in_part", UNIT_COUNT, steps->in_part),
		FACT_NUMBER("total_ns", UNIT_NS, steps->time.total_ns),
		FACT_NUMBER("avg_ns", UNIT_NS, timing_average(&steps->time)),
		FACT_NUMBER("p50_ns", UNIT_NS, timing_percentile(&steps->time, 50)),
		FACT_NUMBER("p90_ns", UNIT_NS, timing_percentile(&steps->time, 90)),
		FACT_NUMBER("p99_ns", UNIT_NS, timing_percentile(&steps->time, 99)),
		FACT_NUMBER("max_ns", UNIT_NS, steps->time.max_ns),
	};
	size_t count = 0;

	for (size_t i = 0; i < FACTS_OF_TIME; i++)
		fact[count++] = times[i];
	for (int i = STEP_FIRST_OF_HOST; i < STEP_CATEGORY_LIMIT; i++)
		fact[count++] = FACT_NUMBER(names[i], UNIT_NS, steps->ns[i]);
	return count;
}

/* Filters and INTERCEPT_ settings are told as for operators; else what a step is. */
static const char *steps_explain(const struct model *model, struct absence *absence)
{
	if (model->options.step_name)
		return "no range of that name was recorded from begin to end";
	if (!model->by_id[EVT_step] &&
	    (model->filters.any || absence_is_whole(model) || !absence_is_limited(model)))
		return absence_explain(model, EVT_FAMILY_steps, absence);
	return "no whole step was recorded";
}

static int steps_write(struct report_request *request, struct table *table)
{
	struct model_options options = request_model_options(request);
	struct fact fact[FACTS_OF_TIME + STEP_CATEGORY_LIMIT];
	struct document document = { .fact = fact, .head = steps_head };
	struct absence absence;
	struct model model;
	int status;

	options.wants_steps = true;
	options.wants_step_rows = true;
	options.step_name = request->options->step;
	model_init(&model, request->source, &options);
	request_read(request, &model);
	document.context = &model;
	document.fact_count = steps_fill_facts(&model.steps, fact);
	document.empty = steps_explain(&model, &absence);
	steps_fill_table(&model, table);
	status = request_write(request, &document, table);
	model_release(&model);
	return status;
}

int report_steps(struct report_request *request)
{
	struct table table;
	int status;

	table_init(&table, "steps", NULL);
	status = request_prepare(request, &table);
	if (!status)
		status = steps_write(request, &table);
	table_release(&table);
	return status;
}
