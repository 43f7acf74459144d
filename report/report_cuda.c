/* SPDX-License-Identifier: MIT */
/* Reports `api`, `launches`, `memcpy` and `device-memory`: what the program asked of CUDA. */
#include "report/absence.h"
#include "report/notes_cuda.h"
#include "report/report.h"
#include "report/rows_cuda.h"
#include "report/rows_device.h"
#include "report/scope.h"

#define FACTS_MAX 9

/* What differs between the reports. */
struct cuda_report {
	void (*head)(const struct document *document, const struct screen *screen); /* or NULL */
	const char *nothing; /* said when there were calls, but none of these */
	/* Fills the table and the totals; returns how many totals. */
	size_t (*fill)(struct model *model, struct table *table, struct kernel_names *names,
		       struct fact fact[FACTS_MAX]);
};

static bool model_has_calls(const struct model *model)
{
	for (int id = EVT_cuda_call; id <= EVT_cuda_free; id++)
		if (model->by_id[id])
			return true;
	return false;
}

static int cuda_write(struct report_request *request, struct table *table,
		      const struct cuda_report *report)
{
	struct model_options options = request_model_options(request);
	struct document document = { 0 };
	struct fact fact[FACTS_MAX];
	struct kernel_names names;
	struct scope_text recorded;
	struct absence absence;
	struct model model;
	int status;

	options.wants_cuda = true;
	options.wants_ranges = true; /* for the places of calls */
	model_init(&model, request->source, &options);
	request_read(request, &model);
	kernel_names_init(&names, &model, request->options->names);
	document.fact = fact;
	document.head = report->head;
	document.context = &model;
	document.fact_count = report->fill(&model, table, &names, fact);
	document.scope = scope_recorded(&model, &recorded);
	document.empty = model_has_calls(&model)
				 ? report->nothing
				 : absence_explain(&model, EVT_FAMILY_cuda, &absence);
	status = request_write(request, &document, table);
	kernel_names_release(&names);
	model_release(&model);
	return status;
}

static size_t calls_fill_facts(const struct groups *groups, struct fact fact[FACTS_MAX])
{
	struct group total = groups_total(groups);

	fact[0] = FACT_NUMBER("calls", UNIT_COUNT, total.time.count);
	fact[1] = FACT_NUMBER("total_ns", UNIT_NS, total.time.total_ns);
	fact[2] = FACT_NUMBER("errors", UNIT_COUNT, total.errors);
	return 3;
}

static size_t api_fill(struct model *model, struct table *table, struct kernel_names *names,
		       struct fact fact[FACTS_MAX])
{
	(void)names;
	api_fill_table(model, table);
	return calls_fill_facts(&model->cuda.api, fact);
}

static size_t launches_fill(struct model *model, struct table *table, struct kernel_names *names,
			    struct fact fact[FACTS_MAX])
{
	launches_fill_table(model, table, names);
	return calls_fill_facts(&model->cuda.launches, fact);
}

static size_t memcpy_fill(struct model *model, struct table *table, struct kernel_names *names,
			  struct fact fact[FACTS_MAX])
{
	size_t count = calls_fill_facts(&model->cuda.copies, fact);

	(void)names;
	copies_fill_table(model, table);
	fact[count++] = FACT_NUMBER("bytes", UNIT_BYTES, groups_total(&model->cuda.copies).bytes);
	return count;
}

static size_t device_memory_fill(struct model *model, struct table *table,
				 struct kernel_names *names, struct fact fact[FACTS_MAX])
{
	const struct device_memory *memory = &model->cuda.memory;
	struct device_totals totals = device_fill_table(model, table);
	const struct fact facts[FACTS_MAX] = {
		FACT_NUMBER("allocations", UNIT_COUNT, totals.allocations),
		FACT_NUMBER("frees", UNIT_COUNT, totals.frees),
		FACT_NUMBER("frees_unmatched", UNIT_COUNT, memory->frees_unmatched),
		FACT_NUMBER("bytes_allocated", UNIT_BYTES, totals.bytes_allocated),
		FACT_NUMBER("peak_bytes", UNIT_BYTES, highwater_peak(&memory->device)),
		FACT_NUMBER("live_bytes", UNIT_BYTES, totals.live_bytes),
		FACT_NUMBER("host_peak_bytes", UNIT_BYTES, highwater_peak(&memory->host)),
		FACT_NUMBER("host_live_bytes", UNIT_BYTES, memory->host.now),
		FACT_NUMBER("address_reused", UNIT_COUNT, memory->reused),
	};

	(void)names;
	for (size_t i = 0; i < FACTS_MAX; i++)
		fact[i] = facts[i];
	return FACTS_MAX;
}

static void api_head(const struct document *document, const struct screen *screen)
{
	const struct model *model = document->context;

	notes_print_failures(model, screen);
	notes_print_outside(model, screen, "calls", groups_total(&model->cuda.api).time.count);
}

static void launches_head(const struct document *document, const struct screen *screen)
{
	const struct model *model = document->context;

	notes_print_graphs(model, screen, "kernels");
	notes_print_outside(model, screen, "launches",
			    groups_total(&model->cuda.launches).time.count);
}

static void memcpy_head(const struct document *document, const struct screen *screen)
{
	const struct model *model = document->context;

	notes_print_graphs(model, screen, "copies");
	notes_print_outside(model, screen, "copies", groups_total(&model->cuda.copies).time.count);
}

static void device_memory_head(const struct document *document, const struct screen *screen)
{
	const struct model *model = document->context;
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
		fprintf(screen->out, ", %s %s", scope_still_live(model, &still_live),
			unit_format_bytes(number, memory->device.now));
	if (highwater_peak(&memory->host))
		fprintf(screen->out, "; pinned and registered peak %s",
			unit_format_bytes(number, highwater_peak(&memory->host)));
	if (memory->row_count)
		fputs("\n\n", screen->out);
}

static int cuda_report(struct report_request *request, const struct cuda_report *report)
{
	const char *id = report_infos[request->options->report].id;
	struct table table;
	int status;

	if (report_infos[request->options->report].takes & TAKES_BY)
		key_init_table(&table, request->options->by);
	else
		table_init(&table, id, NULL);
	status = request_prepare(request, &table);
	if (!status)
		status = cuda_write(request, &table, report);
	table_release(&table);
	return status;
}

int report_api(struct report_request *request)
{
	return cuda_report(request, &(struct cuda_report){ api_head, NULL, api_fill });
}

int report_launches(struct report_request *request)
{
	return cuda_report(request, &(struct cuda_report){ launches_head, "no kernel was launched",
							   launches_fill });
}

int report_memcpy(struct report_request *request)
{
	return cuda_report(request, &(struct cuda_report){ memcpy_head,
							   "nothing was copied or set through CUDA",
							   memcpy_fill });
}

int report_device_memory(struct report_request *request)
{
	return cuda_report(request,
			   &(struct cuda_report){ device_memory_head, "no memory was asked of CUDA",
						  device_memory_fill });
}
