/* SPDX-License-Identifier: MIT */
/* The heap as an analysis: events of the heap's blocks become operations of heap.h. */
#include "report/heap/heap_events.h"

#include "report/core/whole_heap.h"
#include "report/heap/mappings.h"

#include "report/stacks/stack_rows.h"

_Static_assert(sizeof(struct evt_malloc) == sizeof(struct evt_calloc) &&
		       sizeof(struct evt_malloc) == sizeof(struct evt_realloc) &&
		       sizeof(struct evt_malloc) == sizeof(struct evt_memalign),
	       "events that begin a block are read as malloc");
_Static_assert(sizeof(struct evt_malloc) == sizeof(struct evt_pymem_alloc),
	       "those of Python's blocks too");

enum heap_of heap_of_options(const struct options *options)
{
	return (enum heap_of)options->of_report[REPORT_OPTION_allocator].choice;
}

enum evt_family heap_family(enum heap_of of)
{
	return of == HEAP_OF_PYTHON    ? EVT_FAMILY_pymem
	       : of == HEAP_OF_TENSORS ? EVT_FAMILY_tensors
				       : EVT_FAMILY_alloc;
}

/* Returns the key of the allocation's row. */
static uint64_t key_of_born(struct heap *heap, const struct source_event *event, uint64_t caller)
{
	if (heap->by == HEAP_BY_STACK)
		return source_stack_or_caller(heap->source, event->stack, caller);
	return heap->key.kind ? key_of(&heap->key, event) : caller;
}

static void take_born(void *state, const struct source_event *event, bool counts)
{
	struct heap *heap = state;
	const struct evt_malloc *born = EVENT_AS(malloc, &event->event);
	bool brief = evt_is_of_block(event->event.id) && event_is_brief(&event->event);

	heap_take(heap,
		  &(struct heap_op){ event->event.time_ns, born->ptr, born->size,
				     key_of_born(heap, event, born->caller), event->process->index,
				     event->thread->index, HEAP_ALLOCATION, counts, brief, 0 });
	heap_pass_look(heap, event->event.time_ns);
}

static void take_sampled(void *state, const struct source_event *event, bool counts)
{
	struct heap *heap = state;
	const struct evt_heap_sampled *born = EVENT_AS(heap_sampled, &event->event);

	heap_take(heap, &(struct heap_op){ .time_ns = event->event.time_ns,
					   .address = born->ptr,
					   .size = born->size,
					   .caller = key_of_born(heap, event, born->caller),
					   .process = event->process->index,
					   .thread = event->thread->index,
					   .kind = HEAP_ALLOCATION,
					   .counts = counts,
					   .every = born->every });
	heap_pass_look(heap, event->event.time_ns);
}

static inline void take_dies(struct heap *heap, const struct source_event *event,
			     enum heap_kind kind, bool counts)
{
	heap_take(heap, &(struct heap_op){ event->event.time_ns, event->event.value[0], 0, 0,
					   event->process->index, event->thread->index, kind,
					   counts, false, 0 });
}

static void take_free(void *state, const struct source_event *event, bool counts)
{
	take_dies(state, event, HEAP_FREE, counts);
}

static void take_realloc_free(void *state, const struct source_event *event, bool counts)
{
	take_dies(state, event, HEAP_REALLOC_FREE, counts);
}

static void take_realloc_failed(void *state, const struct source_event *event, bool counts)
{
	take_dies(state, event, HEAP_REALLOC_FAILED, counts);
}

static void take_sample_freed(void *state, const struct source_event *event, bool counts)
{
	take_dies(state, event,
		  EVENT_AS(heap_sample_freed, &event->event)->by_realloc ? HEAP_REALLOC_FREE
									 : HEAP_FREE,
		  counts);
}

static void take_capture(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	heap_distrust(state, event->process->index);
}

static void take_detail_stop(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	heap_leave(state, event->process->index);
}

/* Before the first capture blocks were not seen. */
static void heap_events_take_detail_start(void *state, const struct source_event *event,
					  bool counts)
{
	(void)counts;
	heap_enter(state, event->process->index);
}

/* Of the C heap: a sample of it may go on. */
static void take_c_detail_stop(void *state, const struct source_event *event, bool counts)
{
	if (!whole_heap_is_recorded(((struct heap *)state)->source))
		take_detail_stop(state, event, counts);
}

/* The same of a window of time. */
static void heap_events_take_window(void *state, const struct source_event *event, bool counts)
{
	const struct evt_detail_asked *asked = EVENT_AS(detail_asked, &event->event);
	const struct source_process *process = source_process_of(event->file, asked->process);

	(void)counts;
	if (process && !asked->on)
		heap_leave(state, process->index);
}

static void heap_events_take_c_window(void *state, const struct source_event *event, bool counts)
{
	if (!whole_heap_is_recorded(((struct heap *)state)->source))
		heap_events_take_window(state, event, counts);
}

static void take_teardown(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	heap_end_program(state, event->process->index);
}

static void take_end(void *state, const struct source_event *event, bool counts)
{
	const struct source_process *process = source_process_of(
		event->file, EVENT_AS(process_end, &event->event)->process);

	(void)counts;
	if (process)
		heap_end_process(state, process->index, event->event.time_ns);
}

static void take_records(void *state, const struct source_heap *records)
{
	heap_take_records(state, records);
}

/* Runs of records suffice if every event counts and a record alone names its row. */
static void read_blocks_of_c(struct run *run, struct heap *heap)
{
	static const enum evt_id born[] = { EVT_malloc, EVT_calloc, EVT_realloc, EVT_memalign };

	run_reads(run, EVT_heap_sampled, FIELDS_ALL, take_sampled, heap);
	run_reads(run, EVT_heap_sample_freed, FIELDS_ALL, take_sample_freed, heap);
	run_reads(run, EVT_heap_sample_kept, FIELDS_ALL, take_realloc_failed, heap);
	if ((heap->by == HEAP_BY_CALLER || heap->by == HEAP_BY_STACK) && !run_filters(run)->any) {
		run_reads_heap(run, take_records, heap);
		return;
	}
	for (size_t i = 0; i < sizeof(born) / sizeof(born[0]); i++)
		run_reads(run, born[i], FIELDS_ALL, take_born, heap);
	run_reads(run, EVT_free, FIELDS_ALL, take_free, heap);
	run_reads(run, EVT_realloc_free, FIELDS_ALL, take_realloc_free, heap);
	run_reads(run, EVT_realloc_failed, FIELDS_ALL, take_realloc_failed, heap);
}

/* A free may be the first half of a realloc, which fails. */
static void read_blocks_of_python(struct run *run, struct heap *heap)
{
	run_reads(run, EVT_pymem_alloc, FIELDS_ALL, take_born, heap);
	run_reads(run, EVT_pymem_free, FIELDS_ALL, take_realloc_free, heap);
	run_reads(run, EVT_pymem_realloc_failed, FIELDS_ALL, take_realloc_failed, heap);
}

/* Takes an allocation whose event has no caller. */
static void take_begin(struct heap *heap, const struct source_event *event, uint64_t bytes,
		       bool counts)
{
	heap_take(heap,
		  &(struct heap_op){ event->event.time_ns, event->event.value[0], bytes,
				     key_of_born(heap, event, 0), event->process->index,
				     event->thread->index, HEAP_ALLOCATION, counts, false, 0 });
	heap_pass_look(heap, event->event.time_ns);
}

static void take_tensor(void *state, const struct source_event *event, bool counts)
{
	take_begin(state, event, EVENT_AS(tensor_alloc, &event->event)->bytes, counts);
}

static void take_arena(void *state, const struct source_event *event, bool counts)
{
	const struct evt_map_anonymous *map = EVENT_AS(map_anonymous, &event->event);

	if (mapping_kind_of(map->bytes, map->protection, map->flags) == MAPPING_ARENA)
		take_begin(state, event, map->bytes, counts);
}

/* An unmap of anything but an arena is a free of an unknown block. */
static void take_unmap(void *state, const struct source_event *event, bool counts)
{
	take_dies(state, event, HEAP_FREE, counts);
}

static void read_blocks_of_tensors(struct run *run, struct heap *heap)
{
	run_reads(run, EVT_tensor_alloc, FIELDS_ALL, take_tensor, heap);
	run_reads(run, EVT_tensor_free, FIELDS_ALL, take_free, heap);
}

static void read_arenas(struct run *run, struct heap *heap)
{
	run_reads(run, EVT_map_anonymous, FIELDS_ALL, take_arena, heap);
	run_reads(run, EVT_unmap, FIELDS_ALL, take_unmap, heap);
}

static void read_blocks(struct run *run, struct heap *heap, enum heap_of of)
{
	static void (*const read[])(struct run *, struct heap *) = {
		[HEAP_OF_C] = read_blocks_of_c,
		[HEAP_OF_PYTHON] = read_blocks_of_python,
		[HEAP_OF_TENSORS] = read_blocks_of_tensors,
		[HEAP_OF_ARENAS] = read_arenas,
	};

	read[of](run, heap);
}

static void heap_start(void *state, struct run *run, const void *options)
{
	const struct heap_options *asked = options;
	struct heap *heap = state;
	enum heap_by by = stack_by_of(asked->by) != STACK_BY_LIMIT ? HEAP_BY_STACK
			  : key_kind_of(asked->by)                 ? HEAP_BY_KEY
			  : asked->by == BY_alloc_size             ? HEAP_BY_SIZE
								   : HEAP_BY_CALLER;

	heap_init(heap, by);
	heap->source = run_source(run);
	heap->from_ns = run_filters(run)->settings.from_ns;
	heap->may_estimate = by == HEAP_BY_STACK && asked->of == HEAP_OF_C;
	if (by == HEAP_BY_KEY)
		heap->key = run_key(run, asked->by);
	run_reads(run, EVT_capture_start, 0, take_capture, heap);
	run_reads(run, EVT_capture_stop, 0, take_capture, heap);
	run_reads(run, EVT_detail_start, 0, heap_events_take_detail_start, heap);
	run_reads(run, EVT_detail_stop, 0,
		  asked->of == HEAP_OF_C ? take_c_detail_stop : take_detail_stop, heap);
	run_reads(run, EVT_detail_asked, FIELDS_ALL,
		  asked->of == HEAP_OF_C ? heap_events_take_c_window : heap_events_take_window,
		  heap);
	run_reads(run, EVT_teardown_begin, 0, take_teardown, heap);
	run_reads(run, EVT_process_end, FIELD_BIT(process_end, process), take_end, heap);
	if (by == HEAP_BY_STACK)
		run_reads_stacks(run);
	read_blocks(run, heap, asked->of);
	run_seeks(run, state);
}

static void heap_remap(void *state, const struct source_process *process)
{
	heap_forget_callers(state, process->index);
}

static void heap_lose(void *state, const struct source_process *process)
{
	heap_distrust(state, process->index);
}

static void heap_end(void *state)
{
	heap_finish(state);
}

static void heap_events_release(void *state)
{
	heap_release(state);
}

const struct analysis_kind analysis_heap = {
	.name = "heap",
	.state_bytes = sizeof(struct heap),
	.options_bytes = sizeof(struct heap_options),
	.start = heap_start,
	.remap = heap_remap,
	.lose = heap_lose,
	.finish = heap_end,
	.release = heap_events_release,
};
