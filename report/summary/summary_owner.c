/* SPDX-License-Identifier: MIT */
/* Who held the memory: see summary_owner.h. */
#include "report/summary/summary_owner.h"

#include "report/base/map.h"
#include "report/heap/rows_heap.h"

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
