/* SPDX-License-Identifier: MIT */
/* Report `pyprof`: PyProf's table of kernels. */
#include "report/core/report_kind.h"
#include "report/torch/pyprof.h"

struct pyprof_report {
	struct pyprof *pyprof;
	struct pyprof_rows *rows;
};

static struct pyprof *pyprof_of(const struct report *report)
{
	return ((const struct pyprof_report *)report->state)->pyprof;
}

static void report_pyprof_want(struct report *report)
{
	((struct pyprof_report *)report->state)->pyprof = pyprof_want(report->run, NULL);
}

static void report_pyprof_fill(struct report *report, struct table *table)
{
	struct pyprof_report *state = report->state;

	state->rows = pyprof_rows_new(state->pyprof, report->run);
	pyprof_rows_put(state->rows, table);
}

static void report_pyprof_release(struct report *report)
{
	pyprof_rows_free(((struct pyprof_report *)report->state)->rows);
}

static void report_pyprof_total(const struct report *report, struct facts *facts)
{
	const struct pyprof *pyprof = pyprof_of(report);

	facts_number(facts, "kernels", UNIT_COUNT, pyprof->count);
	facts_number(facts, "total_ns", UNIT_NS, pyprof->total_ns);
	facts_number(facts, "bprop_ns", UNIT_NS, pyprof->backward_ns);
	facts_number(facts, "tensor_core_ns", UNIT_NS, pyprof->tensor_core_ns);
	facts_number(facts, "flops", UNIT_COUNT, pyprof->flops);
	facts_number(facts, "without_call", UNIT_COUNT, pyprof->deferred->uncorrelated);
}

static void report_pyprof_foot(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct pyprof *pyprof = pyprof_of(report);

	if (pyprof->count && !pyprof->inputs)
		screen_print_prose(
			screen,
			"no sizes of inputs were recorded, so there are no params, FLOPs and "
			"bytes: "
			"INTERCEPT_TRACE=+shapes in the program's environment records them");
}

const struct report_kind report_kind_pyprof = {
	.state_bytes = sizeof(struct pyprof_report),
	.family = EVT_FAMILY_gpu,
	.want = report_pyprof_want,
	.fill = report_pyprof_fill,
	.total = report_pyprof_total,
	.foot = report_pyprof_foot,
	.release = report_pyprof_release,
};
