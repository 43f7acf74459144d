/* SPDX-License-Identifier: MIT */
/* Selects the steps after the warm-up, whose cost is known. */
#include "report/advice/later_steps.h"

#include <stdlib.h>

#include "report/base/memory.h"

/* Returns false if the cost is not known. */
static bool cost_of(const struct step_row *row, const struct gpu_evidence *gpu, uint64_t *ret_ns)
{
	const struct gpu_evidence_step *asked;

	*ret_ns = row->total_ns;
	if (!gpu)
		return true;
	*ret_ns -= row->gpu_ns < row->total_ns ? row->gpu_ns : row->total_ns;
	asked = gpu_evidence_step_of(gpu, row->process, row->number);
	*ret_ns += asked ? asked->work.kernel_ns : 0;
	return row->number >= EVIDENCE_SETTLED;
}

static void later_steps_take(struct later_steps *later, size_t index, const struct step_row *row,
			     const struct later_steps_of *of)
{
	const struct evidence_sample *sample = evidence_sample_of(of->evidence, row->process,
								  row->number);

	if (sample && sample->recompiled) {
		later->left_out[index] = true;
		later->recompiled++;
		later->recompiled_ns += row->total_ns;
		return;
	}
	later->left_out[index] = !cost_of(row, of->gpu, &later->ns[index]);
	if (!later->left_out[index])
		timing_add(&later->time, later->ns[index]);
}

void later_steps_look(struct later_steps *later, const struct later_steps_of *of)
{
	const struct steps *steps = of->steps;
	bool *seen = NULL;
	size_t room = 0;

	*later = (struct later_steps){ .left_out = memory_zero(steps->row_count + 1, 1),
				       .ns = memory_zero(steps->row_count + 1,
							 sizeof(*later->ns)) };
	for (size_t i = 0; i < steps->row_count; i++) {
		uint32_t process = steps->row[i].process;

		seen = memory_room(seen, process, &room, sizeof(*seen));
		later->left_out[i] = !seen[process] || of->loop->is_warm[i];
		if (!later->left_out[i])
			later_steps_take(later, i, &steps->row[i], of);
		seen[process] = true;
	}
	later->p50_ns = timing_percentile(&later->time, 50);
	free(seen);
}

void later_steps_release(struct later_steps *later)
{
	timing_release(&later->time);
	free(later->left_out);
	free(later->ns);
}
