/* SPDX-License-Identifier: MIT */
/* Resident memory as an analysis: see resident.h. */
#include "report/heap/resident.h"

#include <stdlib.h>

#include "report/base/memory.h"
#include "report/core/known.h"
#include "report/core/why_empty.h"
#include "report/session/limitations.h"
#include "report/session/holes.h"
#include "report/heap/heap_events.h"
#include "report/heap/mapping_events.h"

static struct resident_process *resident_process_at(struct resident *resident, uint32_t index)
{
	resident->process = memory_room(resident->process, index, &resident->process_room,
					sizeof(*resident->process));
	return &resident->process[index];
}

/*
 * Returns the live bytes of CPU tensors, at least 0: freed tensors that were made before recording
 * count as negative.
 */
static uint64_t tensor_bytes(const struct resident *resident, const struct source_process *process,
			     uint64_t heap)
{
	int64_t bytes = (int64_t)works_of_process(resident->works, process).tensor_cpu_growth;

	if (bytes < 0)
		return 0;
	return (uint64_t)bytes < heap ? (uint64_t)bytes : heap;
}

/*
 * Returns whether all of malloc's blocks are known: recorded from the program's start and without a
 * loss. A forked child has its parent's blocks, which are not known here.
 */
static bool knows_all_blocks(const struct resident *resident, const struct source_process *process)
{
	return !process->parent && !process->lost && !limitation_hides_heap(process) &&
	       !why_empty_is_limited(resident->run) &&
	       !why_empty_is_off(resident->run, EVT_FAMILY_alloc) &&
	       !run_filters(resident->run)->any;
}

/* Takes the present blocks and mappings of the process. */
static void moment_look(struct resident *resident, struct resident_moment *moment,
			const struct source_process *process)
{
	const struct mapping_process *mapped = mappings_of(resident->mappings, resident->source,
							   process->index);

	moment->has_blocks = true;
	moment->heap = heap_live_bytes_of(resident->heap, process->index);
	moment->tensors = tensor_bytes(resident, process, moment->heap);
	resident_process_at(resident, process->index)->had_blocks |= moment->heap != 0;
	moment->knows_all = resident_process_at(resident, process->index)->had_blocks &&
			    knows_all_blocks(resident, process);
	if (!mapped)
		return;
	moment->arenas = mapped->python_bytes;
	moment->mapped = mapped->bytes[MAPPING_PRIVATE] + mapped->bytes[MAPPING_ARENA] -
			 mapped->python_bytes;
	moment->mapped_shared = mapped->bytes[MAPPING_SHARED];
	moment->reserved = mapped->bytes[MAPPING_RESERVED];
}

static struct resident_moment moment_of(struct resident *resident, const struct source_event *event,
					const struct source_process *process)
{
	const struct evt_process_memory *memory = EVENT_AS(process_memory, &event->event);
	struct resident_moment moment = {
		.time_ns = event->event.time_ns,
		.resident = memory->resident_bytes,
		.anonymous = memory->anonymous_bytes,
		.file = memory->file_bytes,
		.shared = memory->shared_bytes,
		.brk = memory->brk_bytes,
		.has_kinds = memory->anonymous_bytes || memory->file_bytes || memory->shared_bytes,
	};

	if (moment.time_ns <= source_file_known_ns(process->file))
		moment_look(resident, &moment, process);
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
	if (!process->curves && resident->curves < RESIDENT_CURVES_MAX) {
		resident->curves++;
		process->curves = memory_zero(1, sizeof(*process->curves));
		curve_init(&process->curves->resident);
		curve_init(&process->curves->heap);
		curve_init(&process->curves->arenas);
	}
	if (!process->curves)
		return;
	curve_put(&process->curves->resident, moment->time_ns, moment->resident);
	if (!moment->has_blocks)
		return;
	curve_put(&process->curves->heap, moment->time_ns, moment->heap);
	curve_put(&process->curves->arenas, moment->time_ns, moment->arenas);
}

/* Notes the present state, which holds until more is recorded. */
static void end_note(struct resident *resident, const struct source_process *of, uint64_t time_ns)
{
	struct resident_process *process = resident_process_at(resident, of->index);

	if (process->is_done)
		return;
	process->end = process->last;
	process->end.time_ns = time_ns;
	process->end.has_blocks = false;
	if (time_ns <= source_file_known_ns(of->file)) {
		moment_look(resident, &process->end, of);
		rows_keep(resident, of->index, false, true);
	}
}

/* The program ended before the first look, so that look is the nearest to its end. */
static void end_take_look(struct resident_moment *end, const struct resident_moment *look)
{
	end->resident = look->resident;
	end->anonymous = look->anonymous;
	end->file = look->file;
	end->shared = look->shared;
	end->has_kinds = look->has_kinds;
	end->brk = look->brk;
}

static bool is_beyond(const struct resident *resident, uint64_t time_ns)
{
	return time_ns >= run_filters(resident->run)->settings.to_ns;
}

static void take_memory(void *state, const struct source_event *event, bool counts)
{
	struct resident *resident = state;
	const struct source_process *of = source_process_of(event->file, event->event.value[0]);
	struct resident_process *process;
	struct resident_moment moment;
	bool is_peak;

	(void)counts;
	if (!of || is_beyond(resident, event->event.time_ns))
		return;
	process = resident_process_at(resident, of->index);
	moment = moment_of(resident, event, of);
	curve_note(resident, process, &moment);
	is_peak = !process->was_seen ||
		  (!process->is_done && moment.resident > process->peak.resident);
	if (is_peak) {
		process->peak = moment;
		rows_keep(resident, of->index, true, false);
	}
	if (!process->was_seen && process->is_done)
		end_take_look(&process->end, &moment);
	process->was_seen = true;
	process->last = moment;
	if (process->has_ended) /* the last look is reported after the end */
		end_note(resident, of, moment.time_ns);
}

/* From here on the runtime frees everything that it has. */
static void resident_take_teardown(void *state, const struct source_event *event, bool counts)
{
	struct resident *resident = state;
	struct resident_process *process = resident_process_at(resident, event->process->index);

	(void)counts;
	end_note(resident, event->process, event->event.time_ns);
	process->is_done = true;
}

static void resident_take_end(void *state, const struct source_event *event, bool counts)
{
	struct resident *resident = state;
	const struct source_process *of = source_process_of(event->file, event->event.value[0]);

	(void)counts;
	if (!of || is_beyond(resident, event->event.time_ns))
		return;
	if (resident_process_at(resident, of->index)->was_seen)
		end_note(resident, of, event->event.time_ns);
	resident_process_at(resident, of->index)->has_ended = true;
}

/* Processes that have not ended are as of the end of what was read. */
static void resident_finish(void *state)
{
	struct resident *resident = state;
	struct source_process *const *process;
	size_t count = source_processes(resident->source, &process);

	for (size_t i = 0; i < count; i++)
		if (resident_process_at(resident, process[i]->index)->was_seen &&
		    !resident_process_at(resident, process[i]->index)->has_ended)
			end_note(resident, process[i], known_until_ns(resident->run));
}

static void resident_start(void *state, struct run *run, const void *options)
{
	const struct resident_options *asked = options;
	struct resident *resident = state;

	resident->run = run;
	resident->source = run_source(run);
	resident->heap = heap_want(run, &asked->heap);
	resident->mappings = mappings_want(run, NULL);
	resident->works = works_want(run, WORK_BIT(tensor_cpu_growth));
	run_reads(run, EVT_process_memory, FIELDS_ALL, take_memory, state);
	run_reads(run, EVT_teardown_begin, 0, resident_take_teardown, state);
	run_reads(run, EVT_process_end, FIELD_BIT(process_end, process), resident_take_end, state);
	run_seeks(run, state);
}

static void resident_release(void *state)
{
	struct resident *resident = state;

	for (size_t i = 0; i < resident->process_room; i++)
		free(resident->process[i].curves);
	free(resident->process);
	free(resident->row);
}

const struct analysis_kind analysis_resident = {
	.name = "resident",
	.state_bytes = sizeof(struct resident),
	.options_bytes = sizeof(struct resident_options),
	.start = resident_start,
	.finish = resident_finish,
	.release = resident_release,
};

const struct resident_process *resident_of(const struct resident *resident, uint32_t process)
{
	return process < resident->process_room && resident->process[process].was_seen
		       ? &resident->process[process]
		       : NULL;
}

/* Returns the kernel's peak of the whole life if that was asked for, as in the summary. */
static uint64_t peak_of(const struct resident *resident, uint32_t index)
{
	struct source_process *const *process;
	uint64_t seen = resident->process[index].peak.resident;

	if (run_filters(resident->run)->any ||
	    index >= source_processes(resident->source, &process))
		return seen;
	return process[index]->memory_peak_bytes > seen ? process[index]->memory_peak_bytes : seen;
}

const struct resident_process *resident_most(const struct resident *resident, uint32_t *ret_index)
{
	const struct resident_process *most = NULL;
	uint64_t most_bytes = 0;

	for (uint32_t i = 0; i < resident->process_room; i++) {
		const struct resident_process *process = &resident->process[i];

		if (!process->was_seen || (most && peak_of(resident, i) <= most_bytes))
			continue;
		most = process;
		most_bytes = peak_of(resident, i);
		*ret_index = i;
	}
	return most;
}

static uint64_t resident_explained(const struct resident_moment *moment)
{
	return moment->heap + moment->arenas + moment->mapped;
}

static uint64_t resident_beyond(const struct resident_moment *moment)
{
	uint64_t explained = resident_explained(moment);

	return moment->anonymous > explained ? moment->anonymous - explained : 0;
}

uint64_t resident_kept(const struct resident_moment *moment)
{
	uint64_t beyond = resident_beyond(moment);
	uint64_t kept = moment->brk > moment->heap ? moment->brk - moment->heap : 0;

	if (!moment->has_blocks || !moment->knows_all)
		return 0;
	return kept < beyond ? kept : beyond;
}

uint64_t resident_rest(const struct resident_moment *moment)
{
	return moment->has_blocks ? resident_beyond(moment) - resident_kept(moment) : 0;
}

uint64_t resident_untouched(const struct resident_moment *moment)
{
	uint64_t explained = resident_explained(moment);

	return moment->has_blocks && explained > moment->anonymous ? explained - moment->anonymous
								   : 0;
}
