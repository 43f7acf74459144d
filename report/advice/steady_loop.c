/* SPDX-License-Identifier: MIT */
/* The training loop without its warm-up: see steady_loop.h. */
#include "report/advice/steady_loop.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/base/memory.h"

static uint64_t median_of_later(const struct steps *steps)
{
	struct timing later = { 0 };
	bool *seen = NULL;
	size_t room = 0;
	uint64_t median_ns;

	for (size_t i = 0; i < steps->row_count; i++) {
		uint32_t process = steps->row[i].process;

		seen = memory_room(seen, process, &room, sizeof(*seen));
		if (seen[process])
			timing_add(&later, steps->row[i].total_ns);
		seen[process] = true;
	}
	median_ns = later.count >= LOOP_STEPS_MIN ? timing_percentile(&later, 50) : 0;
	timing_release(&later);
	free(seen);
	return median_ns;
}

static void leave_out(struct steady_loop *loop, const struct step_row *row,
		      const struct evidence *evidence)
{
	const struct evidence_work *early;

	loop->warm_steps++;
	loop->warm_ns += row->total_ns;
	if (row->total_ns > loop->warm_longest_ns)
		loop->warm_longest_ns = row->total_ns;
	if (!row->has_detail)
		return;
	loop->steps--;
	loop->total_ns -= row->total_ns;
	loop->gpu_ns -= row->gpu_ns;
	for (int i = 0; i < STEP_CATEGORY_LIMIT; i++)
		loop->ns[i] -= row->ns[i];
	if (row->process >= evidence->process_room)
		return;
	early = &evidence->process[row->process].early[row->number];
#define FIELD(name) loop->work.name -= early->name;
	EVIDENCE_WORK(FIELD)
#undef FIELD
}

void steady_loop_look(struct steady_loop *loop, const struct steps *steps,
		      const struct evidence *evidence)
{
	bool *settled = NULL;
	size_t room = 0;

	*loop = (struct steady_loop){ .steps = steps->detailed,
				      .total_ns = steps->detailed_ns,
				      .gpu_ns = steps->gpu_ns,
				      .work = evidence->work,
				      .median_ns = median_of_later(steps),
				      .is_warm = memory_zero(steps->row_count + 1, 1) };
	for (int i = 0; i < STEP_CATEGORY_LIMIT; i++)
		loop->ns[i] = steps->ns[i];
	for (size_t i = 0; i < steps->row_count; i++) {
		const struct step_row *row = &steps->row[i];

		settled = memory_room(settled, row->process, &room, sizeof(*settled));
		if (loop->median_ns && !settled[row->process] && row->number < EVIDENCE_SETTLED &&
		    row->total_ns > LOOP_WARM_RATIO * loop->median_ns) {
			leave_out(loop, row, evidence);
			loop->is_warm[i] = true;
			continue;
		}
		settled[row->process] = true;
		loop->all_ns += row->total_ns;
		if (row->has_operators)
			step_host_add(&loop->host, row);
		if (!row->has_detail)
			continue;
		step_cpu_add(&loop->cpu, &row->cpu);
		step_phase_times_add(&loop->phases, &row->phases);
	}
	free(settled);
}

void steady_loop_release(struct steady_loop *loop)
{
	free(loop->is_warm);
}

bool steady_loop_is_gpu_bound(const struct steady_loop *loop)
{
	return loop->steps && step_phases_asked(&loop->phases) &&
	       (double)loop->gpu_ns >= LOOP_GPU_BOUND * (double)loop->total_ns;
}

enum step_phase steady_loop_asks_most(const struct steady_loop *loop)
{
	enum step_phase most = PHASE_data;

	for (int i = 0; i < STEP_PHASE_LIMIT; i++)
		if (loop->phases.asked_ns[i] > loop->phases.asked_ns[most])
			most = (enum step_phase)i;
	return most;
}

const char *steady_loop_left_out(const struct steady_loop *loop, char text[STEADY_LOOP_TEXT_BYTES])
{
	*text = 0;
	if (loop->warm_steps == 1)
		snprintf(text, STEADY_LOOP_TEXT_BYTES, "without the first step");
	else if (loop->warm_steps)
		snprintf(text, STEADY_LOOP_TEXT_BYTES, "without the first %" PRIu64 " steps",
			 loop->warm_steps);
	return text;
}
