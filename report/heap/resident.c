/* SPDX-License-Identifier: MIT */
/* Resident memory as an analysis: see resident.h. */
#include "report/heap/resident.h"

#include <stdlib.h>

#include "report/base/memory.h"
#include "report/heap/heap_events.h"
#include "report/heap/mapping_events.h"

static struct resident_process *process_at(struct resident *resident, uint32_t index)
{
	resident->process = memory_room(resident->process, index, &resident->process_room,
					sizeof(*resident->process));
	return &resident->process[index];
}

/* Live bytes of tensors of the CPU, as far as they can be: those freed that were made before recording are negative. */
static uint64_t tensor_bytes(const struct resident *resident, const struct source_process *process,
			     uint64_t heap)
{
	int64_t bytes = (int64_t)works_of_process(resident->works, process).tensor_cpu_growth;

	if (bytes < 0)
		return 0;
	return (uint64_t)bytes < heap ? (uint64_t)bytes : heap;
}

static struct resident_moment moment_of(struct resident *resident, const struct source_event *event,
					const struct source_process *process)
{
	const struct evt_process_memory *memory = EVENT_AS(process_memory, &event->event);
	const struct mapping_process *mapped = mappings_of(resident->mappings, resident->source,
							   process->index);
	struct resident_moment moment = {
		.time_ns = event->event.time_ns,
		.resident = memory->resident_bytes,
		.anonymous = memory->anonymous_bytes,
		.file = memory->file_bytes,
		.shared = memory->shared_bytes,
		.has_kinds = memory->anonymous_bytes || memory->file_bytes || memory->shared_bytes,
		.heap = heap_live_bytes_of(resident->heap, process->index),
	};

	moment.tensors = tensor_bytes(resident, process, moment.heap);
	if (!mapped)
		return moment;
	moment.arenas = mapped->python_bytes;
	moment.mapped = mapped->bytes[MAPPING_PRIVATE] + mapped->bytes[MAPPING_ARENA] -
			mapped->python_bytes;
	moment.mapped_shared = mapped->bytes[MAPPING_SHARED];
	moment.reserved = mapped->bytes[MAPPING_RESERVED];
	return moment;
}

static void rows_keep(struct resident *resident, uint32_t process, bool is_peak, bool is_end)
{
	const struct mappings *mappings = resident->mappings;
	uint32_t number = process < mappings->process_room && mappings->process[process]
				  ? mappings->process[process]->first
				  : 0;

	for (; number; number = mappings->row[number - 1].next) {
		size_t i = number - 1;

		resident->row = memory_room(resident->row, i, &resident->row_room,
					    sizeof(*resident->row));
		if (is_peak)
			resident->row[i].at_peak = mappings->row[i].bytes;
		if (is_end)
			resident->row[i].at_end = mappings->row[i].bytes;
	}
}

static void curve_note(struct resident *resident, struct resident_process *process,
		       const struct resident_moment *moment)
{
	if (!process->curve && resident->curves < RESIDENT_CURVES_MAX) {
		resident->curves++;
		process->curve = memory_zero(1, sizeof(*process->curve));
		curve_init(process->curve);
	}
	if (process->curve)
		curve_put(process->curve, moment->time_ns, moment->resident);
}

static void take_memory(void *state, const struct source_event *event, bool counts)
{
	struct resident *resident = state;
	const struct source_process *of = source_process_of(event->file, event->event.value[0]);
	struct resident_process *process;
	struct resident_moment moment;
	bool is_peak;

	(void)counts;
	if (!of)
		return;
	process = process_at(resident, of->index);
	moment = moment_of(resident, event, of);
	curve_note(resident, process, &moment);
	is_peak = !process->was_seen ||
		  (!process->is_done && moment.resident > process->peak.resident);
	if (is_peak)
		process->peak = moment;
	if (!process->is_done)
		process->end = moment;
	rows_keep(resident, of->index, is_peak, !process->is_done);
	process->was_seen = true;
}

static void take_teardown(void *state, const struct source_event *event, bool counts)
{
	struct resident_process *process = process_at(state, event->process->index);

	(void)counts;
	process->is_done = process->was_seen;
}

static void start(void *state, struct run *run, const void *options)
{
	struct resident *resident = state;

	(void)options;
	resident->source = run_source(run);
	resident->heap = heap_want(run, &(struct heap_options){ .by = BY_alloc_caller });
	resident->mappings = mappings_want(run, NULL);
	resident->works = works_want(run, WORK_BIT(tensor_cpu_growth));
	run_reads(run, EVT_process_memory, FIELDS_ALL, take_memory, state);
	run_reads(run, EVT_teardown_begin, 0, take_teardown, state);
}

static void release(void *state)
{
	struct resident *resident = state;

	for (size_t i = 0; i < resident->process_room; i++)
		free(resident->process[i].curve);
	free(resident->process);
	free(resident->row);
}

const struct analysis_kind analysis_resident = {
	.name = "resident",
	.state_bytes = sizeof(struct resident),
	.options_bytes = sizeof(struct resident_options),
	.start = start,
	.release = release,
};

const struct resident_process *resident_of(const struct resident *resident, uint32_t process)
{
	return process < resident->process_room && resident->process[process].was_seen
		       ? &resident->process[process]
		       : NULL;
}

const struct resident_process *resident_most(const struct resident *resident, uint32_t *ret_index)
{
	const struct resident_process *most = NULL;

	for (uint32_t i = 0; i < resident->process_room; i++) {
		const struct resident_process *process = &resident->process[i];

		if (!process->was_seen || (most && process->peak.resident <= most->peak.resident))
			continue;
		most = process;
		*ret_index = i;
	}
	return most;
}

static uint64_t resident_explained(const struct resident_moment *moment)
{
	return moment->heap + moment->arenas + moment->mapped;
}

uint64_t resident_rest(const struct resident_moment *moment)
{
	uint64_t explained = resident_explained(moment);

	return moment->anonymous > explained ? moment->anonymous - explained : 0;
}

uint64_t resident_untouched(const struct resident_moment *moment)
{
	uint64_t explained = resident_explained(moment);

	return explained > moment->anonymous ? explained - moment->anonymous : 0;
}
