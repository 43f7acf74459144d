/* SPDX-License-Identifier: MIT */
/*
 * What the GPU did, for trace.c: kernels, copies, memsets and waits under the number of their
 * device, one line per stream, with the names and arguments that Kineto uses, and an arrow (ac2g)
 * from the call. Kineto's facts about the device (blocks per SM, occupancy) are not recorded and
 * not written.
 */
#include <stdio.h>
#include <stdlib.h>

#include "report/base/memory.h"
#include "report/core/coverage.h"
#include "report/trace/producer.h"
#include "report/gpu/gpu_work.h"

/* larger numbers come from damaged files; such streams get no name of their own */
#define DEVICE_MAX 4096u

/* A stream with any work: it is named at the end. */
struct trace_line {
	struct trace_file *file;
	uint32_t device, stream;
};

#define KNOWN(kind, words) ((kind) < sizeof(words) / sizeof((words)[0]) ? (kind) : 0)

static const char *const memories[] = { "Unknown", "Pageable", "Pinned",
					"Device",  "Array",    "Managed" };
static const char *const copies[] = { "Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
				      "AtoD",    "DtoA", "DtoD", "HtoH", "PtoP" };
static const char *const waits[] = { "Unknown", "Event Sync", "Stream Wait Event", "Stream Sync",
				     "Context Sync" };

/* Each text has a number of its own. */
static struct trace_text trace_device_name_of(struct trace *trace, const struct deferred_work *work,
					      char buffer[64])
{
	const struct gpu_work *piece = gpu_work_of(work);
	uint32_t from = KNOWN(piece->from_memory, memories), to = KNOWN(piece->to_memory, memories);
	uint32_t copy = KNOWN(piece->what, copies), wait = KNOWN(piece->what, waits);
	struct trace_text text = { .text = buffer };
	int length;

	switch (piece->kind) {
	case GPU_WORK_KERNEL:
		return trace_text(&trace->texts, TRACE_AS_KERNEL, piece->what);
	case GPU_WORK_COPY:
		length = snprintf(buffer, 64, "Memcpy %s (%s -> %s)", copies[copy], memories[from],
				  memories[to]);
		text.number = TRACE_OWN_WORK + (2 + copy) * 64 + from * 8 + to;
		break;
	case GPU_WORK_SET:
		length = snprintf(buffer, 64, "Memset (%s)", memories[to]);
		text.number = TRACE_OWN_WORK + 64 + to;
		break;
	default:
		length = snprintf(buffer, 64, "%s", waits[wait]);
		text.number = TRACE_OWN_WORK + wait;
	}
	text.length = (size_t)length;
	return text;
}

static void list_work(struct trace_list *list, const struct deferred_work *work, uint64_t external)
{
	const struct gpu_work *piece = gpu_work_of(work);

	if (external)
		trace_add_number(list, TRACE_OF_EXTERNAL_ID, external);
	trace_add_number(list, TRACE_OF_DEVICE, piece->device);
	trace_add_number(list, TRACE_OF_CONTEXT, piece->context);
	trace_add_number(list, TRACE_OF_STREAM, piece->stream);
	trace_add_number(list, TRACE_OF_CORRELATION, work->correlation);
	if (piece->graph)
		trace_add_number(list, TRACE_OF_GRAPH, piece->graph);
	if (piece->kind == GPU_WORK_KERNEL) {
		trace_add_number(list, TRACE_OF_QUEUED, 0);
		trace_add_number(list, TRACE_OF_REGISTERS, piece->registers);
		trace_add_number(list, TRACE_OF_SHARED_BYTES, piece->shared_bytes);
		trace_add_size(list, TRACE_OF_GRID, piece->grid);
		trace_add_size(list, TRACE_OF_BLOCK, piece->block);
		return;
	}
	trace_add_number(list, TRACE_OF_BYTES, piece->bytes);
}

static void note_line(struct trace *trace, struct trace_file *file,
		      const struct deferred_work *work)
{
	const struct gpu_work *piece = gpu_work_of(work);
	uint64_t words[2] = { (uintptr_t)file, (uint64_t)piece->device << 32 | piece->stream };
	bool added;

	map_put(&trace->line_known, map_hash_bytes(words, sizeof(words), 0), &added);
	if (!added || piece->device > DEVICE_MAX)
		return;
	trace->line = memory_room(trace->line, trace->lines, &trace->line_room,
				  sizeof(*trace->line));
	trace->line[trace->lines++] = (struct trace_line){ file, piece->device, piece->stream };
}

static void trace_device_put_work(struct trace *trace, const struct source_process *process,
				  const struct deferred_work *work, uint64_t external)
{
	const struct gpu_work *piece = gpu_work_of(work);
	static const enum trace_category categories[GPU_WORK_KINDS] = {
		[GPU_WORK_KERNEL] = TRACE_KERNEL,
		[GPU_WORK_COPY] = TRACE_COPY,
		[GPU_WORK_SET] = TRACE_SET,
	};
	const struct source_thread *thread = trace_thread(trace, work->thread);
	struct trace_file *file = trace_file_of(trace, process);
	uint64_t pid = trace_pid(trace, process);
	struct trace_list list;
	struct trace_flow flow = { .category = TRACE_WORK,
				   .id = work->correlation,
				   .pid = pid,
				   .tid = thread ? thread->tid : 0,
				   .time_ns = work->call_start_ns,
				   .to_pid = piece->device,
				   .to_tid = piece->stream,
				   .to_ns = work->start_ns };
	char buffer[64];

	list.count = 0;
	if (!file)
		return;
	if (trace->writer->stream)
		note_line(trace, file, work);
	list_work(&list, work, external);
	trace->writer->slice(
		file->state,
		&(struct trace_slice){ .event = { .category = categories[piece->kind],
						  .name = trace_device_name_of(trace, work, buffer),
						  .pid = piece->device,
						  .tid = piece->stream,
						  .time_ns = work->start_ns,
						  .argument = list.argument,
						  .arguments = list.count },
				       .duration_ns = work->duration_ns,
				       .owner = pid,
				       .work = work,
				       .flow = work->has_call && thread ? &flow : NULL });
}

/* A wait of the host is on the thread that waited. */
static void trace_device_put_wait(struct trace *trace, const struct deferred_work *work)
{
	const struct source_thread *thread = work->has_call ? trace_thread(trace, work->thread)
							    : NULL;
	struct trace_list list;
	char buffer[64];

	list.count = 0;
	if (!thread)
		return;
	trace_add_number(&list, TRACE_OF_CORRELATION, work->correlation);
	trace_put_slice(
		trace, thread,
		(struct trace_slice){ .event = { .category = TRACE_WAIT,
						 .name = trace_device_name_of(trace, work, buffer),
						 .time_ns = work->start_ns,
						 .argument = list.argument,
						 .arguments = list.count },
				      .duration_ns = work->duration_ns });
}

static uint64_t trace_device_place_of(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	return trace_operator_id(state, event->thread->index);
}

/* Work whose caller is unknown is treated as in report `kernels`. */
static void trace_device_take_work(void *state, uint64_t place, const struct deferred_work *work)
{
	const struct gpu_work *piece = gpu_work_of(work);
	struct trace *trace = state;
	struct source_process *const *process;
	size_t count = source_processes(trace->source, &process);
	struct coverage_text text;

	if (!work->has_call && (trace->filters->any || coverage_recorded(trace->run, &text)))
		return;
	if (piece->kind == GPU_WORK_WAIT)
		trace_device_put_wait(trace, work);
	else if (work->process < count)
		trace_device_put_work(trace, process[work->process], work, place);
}

/*
 * On a line of its own, because it is not known when the device began it, and several may overlap.
 */
static void put_unfinished(struct trace *trace, const struct unreported_work *work)
{
	const struct source_thread *thread = trace_thread(trace, work->thread);
	struct trace_list list;

	if (!thread || thread->process->end_ns < work->start_ns)
		return;
	list.count = 0;
	trace_add_number(&list, TRACE_OF_CORRELATION, work->correlation);
	trace_put_slice(trace, thread,
			(struct trace_slice){
				.event = { .category = TRACE_UNFINISHED,
					   .name = trace_text(&trace->texts,
							      work->is_kernel ? TRACE_AS_KERNEL
									      : TRACE_AS_IS,
							      work->name),
					   .time_ns = work->start_ns,
					   .argument = list.argument,
					   .arguments = list.count },
				.duration_ns = thread->process->end_ns - work->start_ns,
				.is_cut = true,
				.id = ++trace->ids });
}

void trace_device_put_unfinished(struct trace *trace)
{
	for (size_t i = 0; i < trace->unreported->work_count; i++)
		put_unfinished(trace, &trace->unreported->work[i]);
}

void trace_device_start(struct trace *trace, struct run *run)
{
	static const struct deferred_listener listener = { .place = trace_device_place_of,
							   .take = trace_device_take_work,
							   .takes_uncorrelated = true };

	map_init(&trace->line_known);
	deferred_listen(deferred_want(run), &listener, trace);
	trace->unreported = unreported_want(run, &(struct unreported_options){ .keeps = 1 });
}

/* Call before the files are closed. */
void trace_device_finish(struct trace *trace)
{
	for (size_t i = 0; i < trace->lines; i++)
		trace->writer->stream(trace->line[i].file->state, trace->line[i].device,
				      trace->line[i].stream);
}

void trace_device_release(struct trace *trace)
{
	map_release(&trace->line_known);
	free(trace->line);
}
