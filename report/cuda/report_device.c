/* SPDX-License-Identifier: MIT */
/* Report `device-memory`: memory that calls show, that CUPTI reports, and that PyTorch holds. */
#include "report/core/report_kind.h"
#include "report/base/units.h"
#include "report/core/coverage.h"
#include "report/core/unmatched.h"
#include "report/cuda/rows_device.h"

struct device_report {
	struct cuda *cuda;
	struct cupti_memory *cupti;
	struct torch_reserved *reserved;
};

static void report_device_want(struct report *report)
{
	struct device_report *state = report->state;
	enum key_id by = report->request->options->by;

	state->cuda = cuda_want(report->run, &(struct cuda_options){ .by = by });
	state->cupti = cupti_memory_want(report->run, &(struct cupti_memory_options){ .by = by });
	state->reserved = torch_reserved_want(report->run, NULL);
}

static void report_device_fill(struct report *report, struct table *table)
{
	const struct device_report *state = report->state;

	device_fill_table(&(struct device_view){ state->cuda, state->cupti, state->reserved },
			  table);
}

static void report_device_total(const struct report *report, struct facts *facts)
{
	const struct device_report *state = report->state;
	const struct device_memory *memory = &state->cuda->memory;
	const struct device_memory *told = &state->cupti->memory;
	struct device_totals called = device_totals_of(memory), given = device_totals_of(told);

	facts_number(facts, "allocations", UNIT_COUNT, called.allocations);
	facts_number(facts, "frees", UNIT_COUNT, called.frees);
	facts_number(facts, "frees_unmatched", UNIT_COUNT, memory->frees_unmatched);
	facts_number(facts, "bytes_allocated", UNIT_BYTES, called.bytes_allocated);
	facts_number(facts, "peak_bytes", UNIT_BYTES, highwater_peak(&memory->device));
	facts_number(facts, "live_bytes", UNIT_BYTES, memory->device_left);
	facts_number(facts, "host_peak_bytes", UNIT_BYTES, highwater_peak(&memory->host));
	facts_number(facts, "host_live_bytes", UNIT_BYTES, memory->host_left);
	facts_number(facts, "address_reused", UNIT_COUNT, memory->reused);
	facts_number(facts, "cupti_allocations", UNIT_COUNT, given.allocations);
	facts_number(facts, "cupti_frees", UNIT_COUNT, given.frees);
	facts_number(facts, "cupti_frees_unmatched", UNIT_COUNT, told->frees_unmatched);
	facts_number(facts, "cupti_bytes", UNIT_BYTES, given.bytes_allocated);
	facts_number(facts, "cupti_peak_bytes", UNIT_BYTES, highwater_peak(&told->device));
	facts_number(facts, "cupti_live_bytes", UNIT_BYTES, told->device_left);
	facts_number(facts, "cupti_host_peak_bytes", UNIT_BYTES, highwater_peak(&told->host));
	facts_number(facts, "cupti_host_live_bytes", UNIT_BYTES, told->host_left);
	facts_number(facts, "cupti_address_reused", UNIT_COUNT, told->reused);
	facts_number(facts, "cupti_without_call", UNIT_COUNT, state->cupti->without_call);
	facts_number(facts, "cupti_late", UNIT_COUNT, state->cupti->late);
	facts_number(facts, "cupti_pool_bytes", UNIT_BYTES,
		     highwater_peak(&state->cupti->pools.all));
	facts_number(facts, "graph_nodes", UNIT_COUNT, state->cupti->graph_nodes);
	facts_number(facts, "lost", UNIT_COUNT, state->cupti->lost);
	facts_number(facts, "torch_reserved_bytes", UNIT_BYTES,
		     highwater_peak(&state->reserved->all));
}

static const char *report_device_explain(const struct report *report, struct why_empty *absence)
{
	(void)absence;
	for (int id = EVT_cuda_call; id <= EVT_cuda_free; id++)
		if (run_events(report->run, (enum evt_id)id))
			return "no memory was asked of CUDA";
	return NULL;
}

/* --- lines around the table, for people --- */

static void print_called(const struct report *report, const struct screen *screen)
{
	const struct device_memory *memory = &((const struct device_report *)report->state)
						      ->cuda->memory;
	struct coverage_text still_live;
	char number[UNIT_TEXT_BYTES];

	if (memory->row_count)
		fprintf(screen->out, "device memory peak %s",
			unit_format_bytes(number, highwater_peak(&memory->device)));
	if (memory->row_count)
		fprintf(screen->out, ", %s %s", coverage_still_live(report->run, &still_live),
			unit_format_bytes(number, memory->device_left));
	if (highwater_peak(&memory->host))
		fprintf(screen->out, "; pinned and registered peak %s",
			unit_format_bytes(number, highwater_peak(&memory->host)));
	if (memory->row_count)
		fputs("\n", screen->out);
}

static void print_graphs(const struct cupti_memory *cupti, const struct screen *screen)
{
	char number[UNIT_TEXT_BYTES];

	if (cupti->graph_nodes)
		screen_print_prose(screen,
				   "nodes of CUDA graphs that allocate memory: %s; what they hold "
				   "while a graph runs is not in these figures",
				   unit_format_count(number, cupti->graph_nodes));
	if (cupti->detached)
		screen_print_prose(
			screen,
			"CUPTI was detached %s time%s while nothing was captured "
			"(INTERCEPT_GPU_REST): what was given out or given back meanwhile "
			"is not in CUPTI's figures",
			unit_format_count(number, cupti->detached), unit_plural(cupti->detached));
}

static void print_told(const struct cupti_memory *cupti, const struct screen *screen)
{
	char peak[UNIT_TEXT_BYTES], live[UNIT_TEXT_BYTES], number[UNIT_TEXT_BYTES];

	if (!cupti->records)
		return;
	screen_print_prose(screen, "as CUPTI tells: device memory peak %s, still live %s",
			   unit_format_bytes(peak, highwater_peak(&cupti->memory.device)),
			   unit_format_bytes(live, cupti->memory.device_left));
	if (highwater_peak(&cupti->pools.all))
		screen_print_prose(
			screen,
			"pools of stream-ordered memory held up to %s at one time, given out "
			"or not",
			unit_format_bytes(number, highwater_peak(&cupti->pools.all)));
	if (cupti->without_call)
		screen_print_prose(screen,
				   "blocks that no recorded call asked for, so that only CUPTI has "
				   "them: %s",
				   unit_format_count(number, cupti->without_call));
	if (cupti->late)
		screen_print_prose(
			screen,
			"CUPTI reported memory more than 10 s late %s time%s: its peaks may "
			"be wrong",
			unit_format_count(number, cupti->late), unit_plural(cupti->late));
	if (cupti->lost)
		screen_print_prose(screen,
				   "LOST: %s record%s of the GPU: the columns CUPTI may lack "
				   "some",
				   unit_format_count(number, cupti->lost),
				   unit_plural(cupti->lost));
}

static void report_device_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct device_report *state = report->state;
	uint64_t reserved = highwater_peak(&state->reserved->all);
	char number[UNIT_TEXT_BYTES];

	print_called(report, screen);
	print_told(state->cupti, screen);
	print_graphs(state->cupti, screen);
	if (reserved)
		screen_print_prose(screen,
				   "PyTorch's allocators held up to %s of it at one time (report "
				   "tensors)",
				   unit_format_bytes(number, reserved));
	if (state->cuda->memory.row_count || state->cupti->records || reserved)
		fputs("\n", screen->out);
}

static void report_device_foot(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct device_memory *memory = &((const struct device_report *)report->state)
						      ->cuda->memory;

	unmatched_print_blocks(screen, report->run, memory->frees_unmatched, memory->reused);
}

const struct report_kind report_kind_device_memory = {
	.state_bytes = sizeof(struct device_report),
	.family = EVT_FAMILY_cuda,
	.want = report_device_want,
	.fill = report_device_fill,
	.total = report_device_total,
	.explain = report_device_explain,
	.head = report_device_head,
	.foot = report_device_foot,
};
