/* SPDX-License-Identifier: MIT */
/* Finds who held most of the memory: by callers, by stacks, and by operators for tensors. */
#include "report/summary/summary_owner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/map.h"
#include "report/base/memory.h"
#include "report/base/text.h"
#include "report/heap/estimate.h"
#include "report/heap/rows_heap.h"
#include "report/stacks/stack_rows.h"

struct heap_owner heap_owner_of(const struct heap *heap, const struct source *source)
{
	struct source_process *const *process;
	size_t count = source_processes(source, &process);
	struct heap_owner owner = { .path = NULL };
	struct map bytes; /* index of a module's path + 1 */

	map_init(&bytes);
	for (size_t i = 0; i < heap->row_count; i++) {
		const struct heap_row *row = &heap->row[i];
		const struct source_module *module = NULL;
		struct map_entry *entry;
		bool added;

		if (row->process < count)
			module = source_module_at(process[row->process],
						  heap_row_caller(heap, source, row), row->last_ns);
		if (!module || !module->path || !row->peak_bytes)
			continue;
		entry = map_put(&bytes, (uint64_t)module->path->index + 1, &added);
		entry->value += row->peak_bytes;
		if (entry->value > owner.bytes)
			owner = (struct heap_owner){ module->path, entry->value };
	}
	map_release(&bytes);
	return owner;
}

/* Writes FILE:LINE without folders; nothing if it is not known. */
static void summary_owner_line_write(const struct named_frame *frame, char text[HEAP_LINE_BYTES])
{
	const char *slash = frame->file ? strrchr(frame->file, '/') : NULL;
	const char *base = slash ? slash + 1 : frame->file;
	size_t length;

	if (!base || !frame->line)
		return;
	length = text_escape(text, HEAP_LINE_BYTES - 16, base, strlen(base));
	snprintf(text + length, 16, ":%u", frame->line);
}

/* Bytes at the peak by line. */
struct line_sums {
	struct stack_rows rows;
	uint64_t *bytes; /* by place */
	size_t room;
	struct heap_line most;
};

static void line_sums_add(struct line_sums *sums, const struct source_process *process,
			  const struct heap_row *row)
{
	size_t place = stack_rows_place(
		&sums->rows,
		&(struct stack_use){ process, (uint32_t)row->key, row->last_ns, row->peak_bytes });
	const struct named_frame *frame;

	sums->most.known_bytes += row->peak_bytes;
	if (place == STACK_LEFT_OUT)
		return;
	sums->bytes = memory_room(sums->bytes, place, &sums->room, sizeof(*sums->bytes));
	sums->bytes[place] += row->peak_bytes;
	frame = stack_rows_frame(&sums->rows, place);
	if (sums->bytes[place] <= sums->most.bytes || !frame->is_users)
		return;
	sums->most.bytes = sums->bytes[place];
	sums->most.place[0] = 0;
	summary_owner_line_write(frame, sums->most.place);
}

struct heap_line heap_line_of(const struct heap *heap, struct source *source,
			      const struct options *options)
{
	struct source_process *const *process;
	size_t count = source_processes(source, &process);
	struct line_sums sums = { .bytes = NULL };

	if (heap->by != HEAP_BY_STACK)
		return sums.most;
	stack_rows_init(&sums.rows, source, options, STACK_BY_LINE, STACK_COLUMNS_NONE);
	stack_rows_pick_own(&sums.rows);
	for (size_t i = 0; i < heap->row_count; i++) {
		const struct heap_row *row = &heap->row[i];

		if (row->peak_bytes && row->process < count && !estimate_is_caller(heap, row))
			line_sums_add(&sums, process[row->process], row);
	}
	free(sums.bytes);
	stack_rows_release(&sums.rows);
	return sums.most;
}

struct tensor_owner tensor_owner_of(const struct tensors *tensors)
{
	struct tensor_owner owner = { .device = NULL };

	for (size_t i = 0; i < tensors->device_count; i++)
		if (tensors->device[i].live.peak_bytes &&
		    (!owner.device ||
		     tensors->device[i].live.peak_bytes > owner.device->live.peak_bytes))
			owner.device = &tensors->device[i];
	for (size_t i = 0; owner.device && i < tensors->row_count; i++) {
		const struct tensor_row *row = &tensors->row[i];

		if (&tensors->device[row->device] == owner.device && row->key &&
		    (!owner.row || row->peak_bytes > owner.row->peak_bytes))
			owner.row = row;
	}
	return owner;
}
