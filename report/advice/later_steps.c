/* SPDX-License-Identifier: MIT */
/* Steps that may be compared: see later_steps.h. */
#include "report/advice/later_steps.h"

#include <stdlib.h>

#include "report/base/memory.h"

static void take(struct later_steps *later, size_t index, const struct step_row *row,
		 const struct evidence *evidence)
{
	const struct evidence_sample *sample = evidence_sample_of(evidence, row->process,
								  row->number);

	if (sample && sample->recompiled) {
		later->left_out[index] = true;
		later->recompiled++;
		later->recompiled_ns += row->total_ns;
		return;
	}
	timing_add(&later->time, row->total_ns);
}

void later_steps_look(struct later_steps *later, const struct steps *steps,
		      const struct evidence *evidence, const struct steady_loop *loop)
{
	bool *seen = NULL;
	size_t room = 0;

	*later = (struct later_steps){ .left_out = memory_zero(steps->row_count + 1, 1) };
	for (size_t i = 0; i < steps->row_count; i++) {
		uint32_t process = steps->row[i].process;

		seen = memory_room(seen, process, &room, sizeof(*seen));
		later->left_out[i] = !seen[process] || loop->is_warm[i];
		if (!later->left_out[i])
			take(later, i, &steps->row[i], evidence);
		seen[process] = true;
	}
	later->p50_ns = timing_percentile(&later->time, 50);
	free(seen);
}

void later_steps_release(struct later_steps *later)
{
	timing_release(&later->time);
	free(later->left_out);
}
