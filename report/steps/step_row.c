/* SPDX-License-Identifier: MIT */
/* What is not known of a step is 0 in its row. */
#include "report/steps/step_row.h"

#include <string.h>

void step_host_add(struct step_host *into, const struct step_row *row)
{
	into->steps++;
	into->total_ns += row->total_ns;
	for (int i = 0; i < STEP_PHASE_LIMIT; i++) {
		into->phases.ns[i] += row->phases.ns[i];
		into->phases.waits_ns[i] += row->phases.waits_ns[i];
	}
}

/* Without operators, their time would count as that of others. */
static void row_forget_operators(struct step_row *row)
{
	row->has_operators = false;
	row->ns[STEP_operators] = row->ns[STEP_other] = 0;
	row->phases = (struct step_phase_times){ .ns = { 0 } };
	row->cpu = (struct step_cpu){ .all = row->cpu.all };
}

/* Every category of the host ends where the GPU works, and it may work at any time. */
static void row_forget_gpu(struct step_row *row)
{
	struct step_phase_times host = { .ns = { 0 } };

	memcpy(host.ns, row->phases.ns, sizeof(host.ns));
	memcpy(host.waits_ns, row->phases.waits_ns, sizeof(host.waits_ns));
	row->phases = host;
	memset(row->ns, 0, sizeof(row->ns));
	row->gpu_ns = 0;
	row->cpu = (struct step_cpu){ .all = row->cpu.all, .helped_ns = row->cpu.helped_ns };
}

void step_row_forget(struct step_row *row, const struct step_mark *mark, bool has_collectives)
{
	row->has_detail = !mark->lacks_operators && !mark->lacks_gpu;
	if (mark->lacks_operators || (mark->lacks_gpu && has_collectives))
		row_forget_operators(row);
	if (mark->lacks_gpu)
		row_forget_gpu(row);
}

void step_row_forget_host(struct step_row *row)
{
	const struct step_phase_times *phases = &row->phases;

	memset(row->ns + STEP_runtime, 0,
	       (STEP_CATEGORY_LIMIT - STEP_runtime) * sizeof(row->ns[0]));
	if (row->has_detail)
		row->ns[STEP_dataloader] = phases->ns[PHASE_data] - phases->gpu_ns[PHASE_data];
	memset(row->phases.outside_ns, 0, sizeof(row->phases.outside_ns));
	memset(row->phases.gc_ns, 0, sizeof(row->phases.gc_ns));
	memset(row->phases.waits_ns, 0, sizeof(row->phases.waits_ns));
	row->cpu = (struct step_cpu){ .all = row->cpu.all, .helped_ns = row->cpu.helped_ns };
}

bool step_row_is_idle(const struct step_row *row)
{
	return !row->ns[STEP_runtime] && !row->ns[STEP_dataloader] && !row->ns[STEP_operators] &&
	       (!row->ns[STEP_communication] || row->gpu_ns);
}
