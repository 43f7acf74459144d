/* SPDX-License-Identifier: MIT */
/*
 * What the GPU did, for chrome.c: kernels, copies, memsets and waits under the number of their device, a line a stream,
 * with the names and arguments that Kineto gives them, and an arrow (ac2g) from the call. What Kineto knows of the
 * device (blocks per SM, occupancy) is not recorded and not written.
 */
#include <stdio.h>
#include <stdlib.h>

#include "report/base/memory.h"
#include "report/core/scope.h"
#include "report/export/chrome.h"

#define DEVICE_SORT_INDEX 5000000u /* below the threads, as Kineto has them */
#define DEVICE_MAX \
	4096u /* larger numbers are of damaged files; they have no line of their own name */

/* A line that something is on: it gets its name at the end. */
struct chrome_line {
	struct trace_file *file;
	uint32_t device, stream;
};

static const char *memory_text(uint32_t kind)
{
	static const char *const texts[] = { "Unknown", "Pageable", "Pinned",
					     "Device",  "Array",    "Managed" };

	return kind < sizeof(texts) / sizeof(texts[0]) ? texts[kind] : "Unknown";
}

static const char *copy_text(uint32_t kind)
{
	static const char *const texts[] = { "Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
					     "AtoD",    "DtoA", "DtoD", "HtoH", "PtoP" };

	return kind < sizeof(texts) / sizeof(texts[0]) ? texts[kind] : "Unknown";
}

static const char *wait_text(uint32_t kind)
{
	static const char *const texts[] = { "Unknown", "Event Sync", "Stream Wait Event",
					     "Stream Sync", "Context Sync" };

	return kind < sizeof(texts) / sizeof(texts[0]) ? texts[kind] : "Unknown";
}

/* Each name is taken apart once. */
static struct trace_text kernel_json(struct chrome *chrome, uint32_t name)
{
	const struct source_name *known = source_name_at(chrome->source, name);
	const char *text = known->text
				   ? demangle(&chrome->demangler, known->text, known->length, true)
				   : NULL;
	struct trace_text json;

	if (name < chrome->kernel_room && chrome->kernel[name].text)
		return chrome->kernel[name];
	if (!text)
		return chrome_json(chrome, name);
	json.text = sink_json_text(&chrome->texts, text, strlen(text), &json.length);
	chrome->kernel = memory_room(chrome->kernel, name, &chrome->kernel_room,
				     sizeof(*chrome->kernel));
	chrome->kernel[name] = json;
	return json;
}

static struct trace_text name_of(struct chrome *chrome, const struct late_work *work,
				 char buffer[64])
{
	int length;

	switch (work->kind) {
	case LATE_KERNEL:
		return kernel_json(chrome, work->what);
	case LATE_COPY:
		length = snprintf(buffer, 64, "\"Memcpy %s (%s -> %s)\"", copy_text(work->what),
				  memory_text(work->from_memory), memory_text(work->to_memory));
		break;
	case LATE_SET:
		length = snprintf(buffer, 64, "\"Memset (%s)\"", memory_text(work->to_memory));
		break;
	default:
		length = snprintf(buffer, 64, "\"%s\"", wait_text(work->what));
	}
	return (struct trace_text){ buffer, (size_t)length };
}

static void put_dimensions(struct trace_file *file, const char *name, const uint32_t size[3])
{
	char text[64];
	int length = snprintf(text, sizeof(text), "[%u, %u, %u]", size[0], size[1], size[2]);

	trace_argument_json(file, name, (struct trace_text){ text, (size_t)length });
}

static void put_arguments(struct trace_file *file, const struct late_work *work, uint64_t external)
{
	if (external)
		trace_argument_number(file, "External id", external);
	trace_argument_number(file, "device", work->device);
	trace_argument_number(file, "context", work->context);
	trace_argument_number(file, "stream", work->stream);
	trace_argument_number(file, "correlation", work->correlation);
	if (work->graph)
		trace_argument_number(file, "graph id", work->graph);
	if (work->kind == LATE_KERNEL) {
		trace_argument_number(file, "queued", 0);
		trace_argument_number(file, "registers per thread", work->registers);
		trace_argument_number(file, "shared memory", work->shared_bytes);
		put_dimensions(file, "grid", work->grid);
		put_dimensions(file, "block", work->block);
		return;
	}
	trace_argument_number(file, "bytes", work->bytes);
}

static void put_arrow(struct trace_file *file, const struct late_work *work, char phase,
		      uint64_t pid, uint64_t tid)
{
	trace_begin(file, &(struct trace_event){ .phase = phase,
						 .category = "ac2g",
						 .name = TRACE_TEXT("\"ac2g\""),
						 .pid = pid,
						 .tid = tid,
						 .time_ns = phase == 's' ? work->call_start_ns
									 : work->start_ns,
						 .id = work->correlation });
	trace_end(file);
}

static void note_line(struct chrome *chrome, struct trace_file *file, const struct late_work *work)
{
	uint64_t words[2] = { (uintptr_t)file, (uint64_t)work->device << 32 | work->stream };
	bool added;

	map_put(&chrome->line_known, map_hash_bytes(words, sizeof(words), 0), &added);
	if (!added || work->device > DEVICE_MAX)
		return;
	chrome->line = memory_room(chrome->line, chrome->lines, &chrome->line_room,
				   sizeof(*chrome->line));
	chrome->line[chrome->lines++] = (struct chrome_line){ file, work->device, work->stream };
}

static void put_work(struct chrome *chrome, const struct source_process *process,
		     const struct late_work *work, uint64_t external)
{
	static const char *const categories[LATE_KINDS] = {
		[LATE_KERNEL] = "kernel",
		[LATE_COPY] = "gpu_memcpy",
		[LATE_SET] = "gpu_memset",
	};
	const struct source_thread *thread = chrome_thread(chrome, work->thread);
	struct trace_file *file = chrome_file(chrome, process);
	char buffer[64];

	if (!file)
		return;
	if (chrome->writer && chrome->writer->work) {
		chrome->writer->work(file, work, chrome_pid(chrome, process),
				     work->kind == LATE_KERNEL
					     ? source_name_at(chrome->source, work->what)
					     : NULL);
		file->events++;
		return;
	}
	note_line(chrome, file, work);
	trace_begin(file, &(struct trace_event){ .phase = 'X',
						 .category = categories[work->kind],
						 .name = name_of(chrome, work, buffer),
						 .pid = work->device,
						 .tid = work->stream,
						 .time_ns = work->start_ns,
						 .duration_ns = work->duration_ns,
						 .owner = chrome_pid(chrome, process) });
	put_arguments(file, work, external);
	trace_end(file);
	if (!work->has_call || !thread)
		return;
	put_arrow(file, work, 's', chrome_pid(chrome, process), thread->tid);
	put_arrow(file, work, 'f', work->device, work->stream);
}

/* The wait of the host is on the thread that waited. */
static void put_wait(struct chrome *chrome, const struct late_work *work)
{
	const struct source_thread *thread = work->has_call ? chrome_thread(chrome, work->thread)
							    : NULL;
	struct trace_file *file;
	char buffer[64];

	if (!thread)
		return;
	file = chrome_begin(chrome, thread,
			    &(struct chrome_place){ .phase = 'X',
						    .category = "cuda_sync",
						    .name = name_of(chrome, work, buffer),
						    .time_ns = work->start_ns,
						    .duration_ns = work->duration_ns });
	if (!file)
		return;
	trace_argument_number(file, "correlation", work->correlation);
	trace_end(file);
}

static uint64_t place_of(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	return chrome_operator_id(state, event->thread->index);
}

/* What nobody is known to have asked for is treated as by report `kernels`. */
static void take_work(void *state, uint64_t place, const struct late_work *work)
{
	struct chrome *chrome = state;
	struct source_process *const *process;
	size_t count = source_processes(chrome->source, &process);
	struct scope_text text;

	if (!work->has_call && (chrome->filters->any || scope_recorded(chrome->run, &text)))
		return;
	if (work->kind == LATE_WAIT)
		put_wait(chrome, work);
	else if (work->process < count)
		put_work(chrome, process[work->process], work, place);
}

/* On a line of its own: when the device began it is not known, and several may overlap. Both ends at once, as of a range. */
static void put_unfinished(struct chrome *chrome, const struct untold_work *work)
{
	const struct source_thread *thread = chrome_thread(chrome, work->thread);
	struct chrome_place place = { .phase = 'b',
				      .category = CHROME_UNFINISHED,
				      .time_ns = work->start_ns,
				      .is_cut = true };
	struct trace_file *file;

	if (!thread || thread->process->end_ns < work->start_ns)
		return;
	place.id = ++chrome->ids;
	place.name = work->is_kernel ? kernel_json(chrome, work->name)
				     : chrome_json(chrome, work->name);
	place.duration_ns = thread->process->end_ns - work->start_ns;
	file = chrome_begin(chrome, thread, &place);
	if (!file)
		return;
	trace_argument_number(file, "correlation", work->correlation);
	trace_end(file);
	place.phase = 'e';
	place.time_ns += place.duration_ns;
	place.is_cut = false;
	file = chrome_begin(chrome, thread, &place);
	trace_end(file);
	file->events--;
}

void chrome_device_start(struct chrome *chrome, struct run *run)
{
	static const struct late_listener listener = { .place = place_of,
						       .take = take_work,
						       .takes_homeless = true };

	chrome->run = run;
	map_init(&chrome->line_known);
	late_listen(late_want(run), &listener, chrome);
	chrome->untold = untold_want(run, &(struct untold_options){ .keeps = 1 });
}

void chrome_device_put_unfinished(struct chrome *chrome)
{
	for (size_t i = 0; i < chrome->untold->work_count; i++)
		put_unfinished(chrome, &chrome->untold->work[i]);
}

/* The names of devices and streams, before the files are closed. */
void chrome_device_finish(struct chrome *chrome)
{
	if (chrome->writer && chrome->writer->names_devices)
		return;
	for (size_t i = 0; i < chrome->lines; i++) {
		const struct chrome_line *line = &chrome->line[i];
		char label[32], stream[32];
		struct trace_text text = { label, (size_t)snprintf(label, sizeof(label), "GPU %u",
								   line->device) };

		trace_metadata(line->file, "process_name", line->device, 0, &text, 0);
		trace_metadata(line->file, "process_labels", line->device, 0, &text, 0);
		trace_metadata(line->file, "process_sort_index", line->device, 0, NULL,
			       DEVICE_SORT_INDEX + line->device);
		text = (struct trace_text){ stream, (size_t)snprintf(stream, sizeof(stream),
								     "stream %u", line->stream) };
		trace_metadata(line->file, "thread_name", line->device, line->stream, &text, 0);
		trace_metadata(line->file, "thread_sort_index", line->device, line->stream, NULL,
			       line->stream);
	}
}

void chrome_device_release(struct chrome *chrome)
{
	demangler_release(&chrome->demangler);
	map_release(&chrome->line_known);
	free(chrome->kernel);
	free(chrome->line);
}
