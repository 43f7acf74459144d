/* SPDX-License-Identifier: MIT */
/* Reports `api`, `launches`, `memcpy` and `device-memory`: what the program asked of CUDA. */
#include "report/cuda/notes_cuda.h"
#include "report/core/report_kind.h"
#include "report/cuda/rows_cuda.h"
#include "report/cuda/rows_device.h"
#include "report/core/scope.h"

static bool cuda_has_calls(const struct model *model)
{
	for (int id = EVT_cuda_call; id <= EVT_cuda_free; id++)
		if (run_events(model->run, id))
			return true;
	return false;
}

/* Names of kernels live as long as the table that shows them. */
struct launches_state {
	struct kernel_names names;
};

static void cuda_want(struct report *report, struct model_options *options)
{
	(void)report;
	options->wants_cuda = true;
	options->skips_work = options->skips_memory = true;
	options->wants_ranges = true; /* for the places of calls */
}

static void calls_total(const struct groups *groups, struct facts *facts)
{
	struct group total = groups_total(groups);

	facts_number(facts, "calls", UNIT_COUNT, total.time.count);
	facts_number(facts, "total_ns", UNIT_NS, total.time.total_ns);
	facts_number(facts, "errors", UNIT_COUNT, total.errors);
}

/* --- api --- */

static void api_fill(struct report *report, struct table *table)
{
	api_fill_table(&report->model, table);
}

static void api_total(const struct report *report, struct facts *facts)
{
	calls_total(&report->model.cuda.api, facts);
}

/* --- launches --- */

static void launches_fill(struct report *report, struct table *table)
{
	struct launches_state *launches = report->state;

	kernel_names_init(
		&launches->names, &report->model,
		(enum kernel_form)report->request->options->of_report[REPORT_OPTION_names].choice);
	launches_fill_table(&report->model, table, &launches->names);
}

static void launches_release(struct report *report)
{
	struct launches_state *launches = report->state;

	kernel_names_release(&launches->names);
}

static void launches_total(const struct report *report, struct facts *facts)
{
	calls_total(&report->model.cuda.launches, facts);
}

static const char *launches_explain(const struct report *report, struct absence *absence)
{
	(void)absence;
	return cuda_has_calls(&report->model) ? "no kernel was launched" : NULL;
}

/* --- memcpy --- */

static void memcpy_fill(struct report *report, struct table *table)
{
	copies_fill_table(&report->model, table);
}

static void memcpy_total(const struct report *report, struct facts *facts)
{
	const struct groups *copies = &report->model.cuda.copies;

	calls_total(copies, facts);
	facts_number(facts, "bytes", UNIT_BYTES, groups_total(copies).bytes);
}

static const char *memcpy_explain(const struct report *report, struct absence *absence)
{
	(void)absence;
	return cuda_has_calls(&report->model) ? "nothing was copied or set through CUDA" : NULL;
}

/* --- device-memory --- */

static void device_memory_fill(struct report *report, struct table *table)
{
	*(struct device_totals *)report->state = device_fill_table(&report->model, table);
}

static void device_memory_total(const struct report *report, struct facts *facts)
{
	const struct device_memory *memory = &report->model.cuda.memory;
	const struct device_totals *totals = report->state;

	facts_number(facts, "allocations", UNIT_COUNT, totals->allocations);
	facts_number(facts, "frees", UNIT_COUNT, totals->frees);
	facts_number(facts, "frees_unmatched", UNIT_COUNT, memory->frees_unmatched);
	facts_number(facts, "bytes_allocated", UNIT_BYTES, totals->bytes_allocated);
	facts_number(facts, "peak_bytes", UNIT_BYTES, highwater_peak(&memory->device));
	facts_number(facts, "live_bytes", UNIT_BYTES, totals->live_bytes);
	facts_number(facts, "host_peak_bytes", UNIT_BYTES, highwater_peak(&memory->host));
	facts_number(facts, "host_live_bytes", UNIT_BYTES, memory->host.now);
	facts_number(facts, "address_reused", UNIT_COUNT, memory->reused);
}

static const char *device_memory_explain(const struct report *report, struct absence *absence)
{
	(void)absence;
	return cuda_has_calls(&report->model) ? "no memory was asked of CUDA" : NULL;
}

/* --- what people read above them --- */

static void api_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct model *model = &report->model;

	notes_print_failures(model, screen);
	notes_print_outside(model, screen, "calls", groups_total(&model->cuda.api).time.count);
}

static void launches_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct model *model = &report->model;

	notes_print_graphs(model, screen, "kernels");
	notes_print_outside(model, screen, "launches",
			    groups_total(&model->cuda.launches).time.count);
}

static void memcpy_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct model *model = &report->model;

	notes_print_graphs(model, screen, "copies");
	notes_print_outside(model, screen, "copies", groups_total(&model->cuda.copies).time.count);
}

static void device_memory_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct model *model = &report->model;
	const struct device_memory *memory = &model->cuda.memory;
	struct scope_text still_live;
	char number[UNIT_TEXT_BYTES];

	if (memory->frees_unmatched)
		fprintf(screen->out, "%s frees of memory that was never seen\n",
			unit_format_count(number, memory->frees_unmatched));
	if (memory->reused)
		fprintf(screen->out, "%s blocks were allocated again without a free\n",
			unit_format_count(number, memory->reused));
	if (memory->row_count)
		fprintf(screen->out, "device memory peak %s",
			unit_format_bytes(number, highwater_peak(&memory->device)));
	if (memory->row_count)
		fprintf(screen->out, ", %s %s", scope_still_live(model->run, &still_live),
			unit_format_bytes(number, memory->device.now));
	if (highwater_peak(&memory->host))
		fprintf(screen->out, "; pinned and registered peak %s",
			unit_format_bytes(number, highwater_peak(&memory->host)));
	if (memory->row_count)
		fputs("\n\n", screen->out);
}

const struct report_kind report_kind_api = {
	.family = EVT_FAMILY_cuda,
	.want = cuda_want,
	.fill = api_fill,
	.total = api_total,
	.head = api_head,
};

const struct report_kind report_kind_launches = {
	.state_bytes = sizeof(struct launches_state),
	.family = EVT_FAMILY_cuda,
	.want = cuda_want,
	.fill = launches_fill,
	.total = launches_total,
	.explain = launches_explain,
	.head = launches_head,
	.release = launches_release,
};

const struct report_kind report_kind_memcpy = {
	.family = EVT_FAMILY_cuda,
	.want = cuda_want,
	.fill = memcpy_fill,
	.total = memcpy_total,
	.explain = memcpy_explain,
	.head = memcpy_head,
};

const struct report_kind report_kind_device_memory = {
	.state_bytes = sizeof(struct device_totals),
	.family = EVT_FAMILY_cuda,
	.want = cuda_want,
	.fill = device_memory_fill,
	.total = device_memory_total,
	.explain = device_memory_explain,
	.head = device_memory_head,
};
