/* SPDX-License-Identifier: MIT */
/* Report `pyprof`: PyProf's table of kernels. */
#include "report/core/report_kind.h"
#include "report/torch/pyprof.h"

struct pyprof_report {
	struct pyprof *pyprof;
};

static struct pyprof *pyprof_of(const struct report *report)
{
	return ((const struct pyprof_report *)report->state)->pyprof;
}

static void want(struct report *report)
{
	((struct pyprof_report *)report->state)->pyprof = pyprof_want(report->run, NULL);
}

static void fill(struct report *report, struct table *table)
{
	pyprof_fill(pyprof_of(report), report->run, table);
}

static void total(const struct report *report, struct facts *facts)
{
	const struct pyprof *pyprof = pyprof_of(report);
	uint64_t total_ns = 0, backward_ns = 0, tensor_core_ns = 0, flops = 0;

	for (size_t i = 0; i < pyprof->count; i++) {
		const struct pyprof_kernel *kernel = &pyprof->kernel[i];

		total_ns += kernel->duration_ns;
		backward_ns += kernel->call.is_backward ? kernel->duration_ns : 0;
		tensor_core_ns += kernel->uses_tensor_cores ? kernel->duration_ns : 0;
		flops += kernel->has_its_cost ? kernel->call.cost.flops : 0;
	}
	facts_number(facts, "kernels", UNIT_COUNT, pyprof->count);
	facts_number(facts, "total_ns", UNIT_NS, total_ns);
	facts_number(facts, "bprop_ns", UNIT_NS, backward_ns);
	facts_number(facts, "tensor_core_ns", UNIT_NS, tensor_core_ns);
	facts_number(facts, "flops", UNIT_COUNT, flops);
	facts_number(facts, "without_call", UNIT_COUNT, pyprof->late->homeless);
}

static void foot(const struct document *document, const struct screen *screen)
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
	.want = want,
	.fill = fill,
	.total = total,
	.foot = foot,
};
