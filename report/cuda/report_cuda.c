/* SPDX-License-Identifier: MIT */
/* Reports `api`, `launches`, `memcpy` and `device-memory`: what the program asked of CUDA. */
#include "report/cuda/notes_cuda.h"
#include "report/core/report_kind.h"
#include "report/cuda/rows_cuda.h"
#include "report/cuda/rows_device.h"
#include "report/core/scope.h"
#include "report/core/unmatched.h"

/* Of each of the four. */
struct cuda_report {
	struct cuda *cuda;
	struct works *works;       /* NULL: the rows are not by range */
	struct kernel_names names; /* of launches; they live as long as the table that shows them */
	struct device_totals totals;
};

static bool cuda_has_calls(const struct run *run)
{
	for (int id = EVT_cuda_call; id <= EVT_cuda_free; id++)
		if (run_events(run, (enum evt_id)id))
			return true;
	return false;
}

static void cuda_prepare(struct report *report)
{
	struct cuda_report *state = report->state;
	enum key_id by = report->request->options->by;

	state->cuda = cuda_want(report->run, &(struct cuda_options){ .by = by });
	if (key_kind_of(by) == &key_kind_range)
		state->works = works_want(report->run, WORK_BIT(nvtx_ranges));
}

static struct notes notes_of(const struct report *report)
{
	const struct cuda_report *state = report->state;

	return (struct notes){ state->cuda, report->run, state->works };
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
	api_fill_table(((struct cuda_report *)report->state)->cuda, run_source(report->run), table);
}

static void api_total(const struct report *report, struct facts *facts)
{
	calls_total(&((const struct cuda_report *)report->state)->cuda->api, facts);
}

/* --- launches --- */

static void launches_fill(struct report *report, struct table *table)
{
	struct cuda_report *state = report->state;

	kernel_names_init(
		&state->names, run_source(report->run),
		(enum kernel_form)report->request->options->of_report[REPORT_OPTION_names].choice);
	launches_fill_table(state->cuda, table, &state->names);
}

static void launches_release(struct report *report)
{
	struct cuda_report *state = report->state;

	kernel_names_release(&state->names);
}

static void launches_total(const struct report *report, struct facts *facts)
{
	calls_total(&((const struct cuda_report *)report->state)->cuda->launches, facts);
}

static const char *launches_explain(const struct report *report, struct why_empty *absence)
{
	(void)absence;
	return cuda_has_calls(report->run) ? "no kernel was launched" : NULL;
}

/* --- memcpy --- */

static void memcpy_fill(struct report *report, struct table *table)
{
	copies_fill_table(((struct cuda_report *)report->state)->cuda, run_source(report->run),
			  table);
}

static void memcpy_total(const struct report *report, struct facts *facts)
{
	const struct cuda_report *state = report->state;
	const struct groups *copies = &state->cuda->copies;

	calls_total(copies, facts);
	facts_number(facts, "bytes", UNIT_BYTES, groups_total(copies).bytes);
}

static const char *memcpy_explain(const struct report *report, struct why_empty *absence)
{
	(void)absence;
	return cuda_has_calls(report->run) ? "nothing was copied or set through CUDA" : NULL;
}

/* --- device-memory --- */

static void device_memory_fill(struct report *report, struct table *table)
{
	struct cuda_report *state = report->state;

	state->totals = device_fill_table(state->cuda, table);
}

static void device_memory_total(const struct report *report, struct facts *facts)
{
	const struct cuda_report *state = report->state;
	const struct device_memory *memory = &state->cuda->memory;
	const struct device_totals *totals = &state->totals;

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

static const char *device_memory_explain(const struct report *report, struct why_empty *absence)
{
	(void)absence;
	return cuda_has_calls(report->run) ? "no memory was asked of CUDA" : NULL;
}

/* --- what people read above them --- */

static void api_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct cuda_report *state = report->state;
	struct notes notes = notes_of(report);

	notes_print_failures(&notes, screen);
	notes_print_outside(&notes, screen, "calls", groups_total(&state->cuda->api).time.count);
}

static void launches_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct cuda_report *state = report->state;
	struct notes notes = notes_of(report);

	notes_print_graphs(&notes, screen, "kernels");
	notes_print_outside(&notes, screen, "launches",
			    groups_total(&state->cuda->launches).time.count);
}

static void memcpy_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct cuda_report *state = report->state;
	struct notes notes = notes_of(report);

	notes_print_graphs(&notes, screen, "copies");
	notes_print_outside(&notes, screen, "copies",
			    groups_total(&state->cuda->copies).time.count);
}

static void device_memory_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct cuda_report *state = report->state;
	const struct device_memory *memory = &state->cuda->memory;
	struct scope_text still_live;
	char number[UNIT_TEXT_BYTES];

	if (memory->row_count)
		fprintf(screen->out, "device memory peak %s",
			unit_format_bytes(number, highwater_peak(&memory->device)));
	if (memory->row_count)
		fprintf(screen->out, ", %s %s", scope_still_live(report->run, &still_live),
			unit_format_bytes(number, memory->device.now));
	if (highwater_peak(&memory->host))
		fprintf(screen->out, "; pinned and registered peak %s",
			unit_format_bytes(number, highwater_peak(&memory->host)));
	if (memory->row_count)
		fputs("\n\n", screen->out);
}

static void device_memory_foot(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct cuda_report *state = report->state;

	unmatched_print_blocks(screen, state->cuda->memory.frees_unmatched,
			       state->cuda->memory.reused);
}

const struct report_kind report_kind_api = {
	.state_bytes = sizeof(struct cuda_report),
	.family = EVT_FAMILY_cuda,
	.want = cuda_prepare,
	.fill = api_fill,
	.total = api_total,
	.head = api_head,
};

const struct report_kind report_kind_launches = {
	.state_bytes = sizeof(struct cuda_report),
	.family = EVT_FAMILY_cuda,
	.want = cuda_prepare,
	.fill = launches_fill,
	.total = launches_total,
	.explain = launches_explain,
	.head = launches_head,
	.release = launches_release,
};

const struct report_kind report_kind_memcpy = {
	.state_bytes = sizeof(struct cuda_report),
	.family = EVT_FAMILY_cuda,
	.want = cuda_prepare,
	.fill = memcpy_fill,
	.total = memcpy_total,
	.explain = memcpy_explain,
	.head = memcpy_head,
};

const struct report_kind report_kind_device_memory = {
	.state_bytes = sizeof(struct cuda_report),
	.family = EVT_FAMILY_cuda,
	.want = cuda_prepare,
	.fill = device_memory_fill,
	.total = device_memory_total,
	.explain = device_memory_explain,
	.head = device_memory_head,
	.foot = device_memory_foot,
};
