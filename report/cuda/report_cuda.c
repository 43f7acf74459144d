/* SPDX-License-Identifier: MIT */
/* Reports `api`, `launches` and `memcpy`: the calls that the program made to CUDA. */
#include "report/cuda/notes_cuda.h"
#include "report/core/report_kind.h"
#include "report/cuda/rows_cuda.h"

/* Common to the three reports. */
struct cuda_report {
	struct cuda *cuda;
	struct works *works;       /* NULL: the rows are not by range */
	struct kernel_names names; /* of launches; they live as long as the table that shows them */
};

static bool cuda_has_calls(const struct run *run)
{
	for (int id = EVT_cuda_call; id <= EVT_cuda_free; id++)
		if (run_events(run, (enum evt_id)id))
			return true;
	return run_events(run, EVT_cuda_unfinished) > 0;
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

/* --- lines above the table, for people --- */

static void api_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct cuda_report *state = report->state;
	struct notes notes = notes_of(report);

	notes_print_unfinished(&notes, screen);
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
