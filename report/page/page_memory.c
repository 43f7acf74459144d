/* SPDX-License-Identifier: MIT */
/* Memory over time as a piece of a page: samples each curve at equal intervals. */
#include "report/page/page_memory.h"

#include <stdlib.h>
#include <string.h>

#include "report/core/known.h"
#include "report/tensors/rows_tensors.h"

#define MOMENTS 512u /* fewer if the page has no room */
#define MOMENTS_MIN 8u
#define PIECES 5u         /* pieces about memory: these curves, and those of page_layers.c */
#define PROCESSES_MAX 16u /* only the processes with the highest curves are shown */

void page_memory_want(struct page_memory *memory, struct page *page)
{
	struct run *run = page->run;

	memory->resident = resident_want(run, NULL);
	memory->heap = memory->resident->heap;
	memory->tensors = tensors_want(run, &(struct tensors_options){ .by = BY_tensors_op });
}

struct line {
	const char *kind, *name;
	size_t name_length;
	uint64_t peak_bytes, peak_ns, end_ns, pid;
	size_t moments;
	const struct run *run; /* unknown stretches are left out; NULL: everything is known */
};

static bool line_knows(const struct line *line, size_t moment)
{
	uint64_t each = line->end_ns / line->moments;

	return !line->run || known_within(line->run, each * moment, each * (moment + 1));
}

static void page_memory_put_line(struct json *json, const struct line *line,
				 const struct curve *curve)
{
	uint64_t values[MOMENTS];

	curve_sample(curve, line->end_ns, values, line->moments);
	json_open(json, NULL, '{');
	json_string(json, "kind", line->kind);
	json_text(json, "name", line->name, line->name_length);
	if (line->pid)
		json_number(json, "pid", line->pid);
	json_number(json, "peak_bytes", line->peak_bytes);
	json_number(json, "peak_ns", line->peak_ns);
	json_open(json, "values", '[');
	for (size_t i = 0; i < line->moments; i++)
		if (line_knows(line, i))
			json_number(json, NULL, values[i]);
		else
			json_null(json, NULL);
	json_close(json, ']');
	json_close(json, '}');
}

/* True if fewer than PROCESSES_MAX other processes had more. */
static bool page_memory_is_shown(const struct page_memory *memory, size_t count, size_t at)
{
	const struct resident_process *mine = resident_of(memory->resident, (uint32_t)at);
	size_t more = 0;

	for (size_t i = 0; i < count && mine && mine->curves; i++) {
		const struct resident_process *other = resident_of(memory->resident, (uint32_t)i);

		more += other && other->curves &&
			(other->peak.resident > mine->peak.resident ||
			 (other->peak.resident == mine->peak.resident && i < at));
	}
	return mine && mine->curves && more < PROCESSES_MAX;
}

static size_t put_processes(struct json *json, const struct page_memory *memory,
			    struct source *source, size_t moments)
{
	struct source_process *const *process;
	size_t count = source_processes(source, &process), left_out = 0;

	for (size_t i = 0; i < count; i++) {
		const struct resident_process *seen = resident_of(memory->resident, (uint32_t)i);
		struct line line = { .kind = "resident", .name = "", .moments = moments };

		if (!seen)
			continue;
		if (!page_memory_is_shown(memory, count, i)) {
			left_out++;
			continue;
		}
		if (process[i]->command)
			line.name = name_text(process[i]->command, &line.name_length);
		line.pid = process[i]->pid;
		line.peak_bytes = seen->peak.resident;
		line.peak_ns = seen->peak.time_ns;
		line.end_ns = source_end_ns(source);
		page_memory_put_line(json, &line, &seen->curves->resident);
	}
	return left_out;
}

static void put_devices(struct json *json, const struct tensors *tensors, const struct run *run,
			size_t moments)
{
	uint64_t end_ns = source_end_ns(run_source(run));

	for (size_t i = 0; i < tensors->device_count; i++) {
		const struct tensor_device *device = &tensors->device[i];
		char name[TENSOR_DEVICE_BYTES];
		struct line line = { .kind = "tensors",
				     .name = tensor_device_text(device->device, name),
				     .peak_bytes = device->live.peak_bytes,
				     .peak_ns = device->live.peak_time_ns,
				     .end_ns = end_ns,
				     .moments = moments,
				     .run = run };

		line.name_length = strlen(line.name);
		page_memory_put_line(json, &line, &device->curve);
	}
}

static char *memory_json(const struct page_memory *memory, const struct page *page, size_t moments,
			 size_t *ret_length, size_t *ret_lines)
{
	struct source *source = page->request->source;
	const struct heap_totals *totals = &memory->heap->totals;
	uint64_t end_ns = source_end_ns(source);
	struct line heap = { "heap", "", 0,       totals->peak_bytes, totals->peak_time_ns,
			     end_ns, 0,  moments, page->run };
	char *text = NULL;
	struct json json = { .out = page_text_open(&text, ret_length) };
	size_t left_out;

	json_open(&json, NULL, '{');
	json_number(&json, "end_ns", end_ns);
	json_open(&json, "lines", '[');
	if (totals->allocations)
		page_memory_put_line(&json, &heap, &memory->heap->curve);
	put_devices(&json, memory->tensors, page->run, moments);
	left_out = put_processes(&json, memory, source, moments);
	*ret_lines = json.more[json.depth];
	json_close(&json, ']');
	json_number(&json, "left_out", left_out);
	if (moments < MOMENTS)
		json_number(&json, "moments", moments);
	json_close(&json, '}');
	fclose(json.out);
	return text;
}

void page_memory_put(const struct page_memory *memory, struct page *page)
{
	size_t length, lines, moments = MOMENTS;
	char *text = memory_json(memory, page, moments, &length, &lines);
	uint64_t room;

	page_budget_begin(&page->file.budget, PAGE_MEMORY);
	room = page_budget_room(&page->file.budget, PIECES);
	while (lines && moments > MOMENTS_MIN && page_file_weigh(text, length) > room) {
		moments /= 2;
		free(text);
		text = memory_json(memory, page, moments, &length, &lines);
	}
	if (lines && page_file_weigh(text, length) > room) {
		json_close(page_file_leave_out(&page->file, "memory", "memory"), '}');
	} else if (lines) {
		page_file_put(&page->file, "memory", text, length);
		json_close(page_file_entry(&page->file, "memory", "memory"), '}');
	}
	free(text);
}
