/* SPDX-License-Identifier: MIT */
/*
 * Joins the rows of calls, of CUPTI and of PyTorch that mean the same device, kind and key into one
 * row.
 */
#include "report/cuda/rows_device.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

/* The numbers of one side, calls or CUPTI, for a row. */
struct device_part {
	uint64_t allocations, frees, bytes_allocated, peak_bytes, at_peak_bytes, live_bytes;
	unsigned int rows; /* rows that are joined here; each had its peak at another time */
};

enum { CALLED, TOLD, PARTS };

struct device_line {
	int64_t device;
	uint64_t kind, key;
	struct device_part part[PARTS];
};

struct device_lines {
	struct device_line *line;
	size_t count, room;
	struct map places;
};

static const char *memory_kind_text(enum device_rows by, uint64_t kind)
{
	static const char *const kinds[DEVICE_KINDS] = {
		[EVT_CUDA_ANY] = "unknown",       [EVT_CUDA_DEVICE] = "device",
		[EVT_CUDA_POOL] = "pool",         [EVT_CUDA_MANAGED] = "managed",
		[EVT_CUDA_PINNED] = "pinned",     [EVT_CUDA_REGISTERED] = "registered",
		[EVT_CUDA_ARRAY] = "array",       [EVT_CUDA_VIRTUAL] = "virtual",
		[DEVICE_VARIABLES] = "variables", [HOST_PAGEABLE] = "pageable",
	};

	if (by == DEVICE_BY_DEVICE)
		return device_kind_is_host(kind) ? "host" : "device";
	return kinds[kind < DEVICE_KINDS ? kind : EVT_CUDA_ANY];
}

/* Rows of both sides that mean the same become one. */
static struct device_line *rows_device_line_of(struct device_lines *lines, enum device_rows by,
					       const struct device_row *row, uint64_t key)
{
	uint64_t kind = by == DEVICE_BY_DEVICE ? device_kind_is_host(row->kind) : row->kind;
	uint64_t words[] = { (uint64_t)row->device, kind, key };
	struct map_entry *place;
	bool added;

	place = map_put(&lines->places, map_hash_bytes(words, sizeof(words), 0), &added);
	if (!added)
		return &lines->line[place->value];
	place->value = lines->count;
	lines->line = memory_room(lines->line, lines->count, &lines->room, sizeof(*lines->line));
	lines->line[lines->count] = (struct device_line){ .device = row->device,
							  .kind = row->kind,
							  .key = key };
	return &lines->line[lines->count++];
}

static void rows_device_part_add(struct device_part *part, const struct device_memory *memory,
				 uint32_t number)
{
	const struct device_row *row = &memory->row[number];

	part->allocations += row->allocations;
	part->frees += row->frees;
	part->bytes_allocated += row->bytes_allocated;
	part->peak_bytes = highwater_peak(&row->live);
	part->at_peak_bytes += device_memory_at_peak(memory, number);
	part->live_bytes += row->left;
	part->rows++;
}

static void rows_device_lines_add(struct device_lines *lines, const struct run_key *key,
				  const struct device_memory *memory, int part)
{
	for (size_t i = 0; i < memory->row_count; i++) {
		const struct device_row *row = &memory->row[i];
		uint64_t settled = key ? key_settle(key, row->key) : 0;

		if (settled != KEY_LEFT_OUT)
			rows_device_part_add(
				&rows_device_line_of(lines, memory->by, row, settled)->part[part],
				memory, (uint32_t)i);
	}
}

/* Puts the columns of one side, in the order of struct device_part. */
static void part_put(const struct device_part *part, struct table *table,
		     const enum column_id column[6])
{
	table_set_number(table, column[0], part->allocations);
	table_set_number(table, column[1], part->frees);
	table_set_number(table, column[2], part->bytes_allocated);
	if (part->rows <= 1)
		table_set_number(table, column[3], part->peak_bytes);
	table_set_number(table, column[4], part->at_peak_bytes);
	table_set_number(table, column[5], part->live_bytes);
}

static void rows_device_line_put(const struct device_view *view, struct table *table,
				 const struct device_line *line)
{
	static const enum column_id called[] = {
		COLUMN_device_memory_allocations,     COLUMN_device_memory_frees,
		COLUMN_device_memory_bytes_allocated, COLUMN_device_memory_peak_bytes,
		COLUMN_device_memory_at_peak_bytes,   COLUMN_device_memory_live_bytes
	};
	static const enum column_id told[] = {
		COLUMN_device_memory_cupti_allocations,   COLUMN_device_memory_cupti_frees,
		COLUMN_device_memory_cupti_bytes,         COLUMN_device_memory_cupti_peak_bytes,
		COLUMN_device_memory_cupti_at_peak_bytes, COLUMN_device_memory_cupti_live_bytes
	};
	const struct device_memory *memory = &view->cuda->memory;
	const char *kind = memory_kind_text(memory->by, line->kind);
	bool is_whole = memory->by == DEVICE_BY_DEVICE && !device_kind_is_host(line->kind);
	const struct highwater *held;

	table_add_row(table);
	table_set_text(table, COLUMN_device_memory_kind, kind, strlen(kind));
	if (line->device >= 0)
		table_set_number(table, COLUMN_device_memory_device, (uint64_t)line->device);
	if (memory->by == DEVICE_BY_KEY)
		key_put(cuda_key(view->cuda), line->key, table);
	part_put(&line->part[CALLED], table, called);
	if (view->cupti && view->cupti->records)
		part_put(&line->part[TOLD], table, told);
	held = view->cupti && is_whole ? cupti_pools_of(&view->cupti->pools, line->device) : NULL;
	if (held)
		table_set_number(table, COLUMN_device_memory_cupti_pool_bytes,
				 highwater_peak(held));
	held = view->reserved && is_whole ? torch_reserved_of(view->reserved, line->device) : NULL;
	if (held)
		table_set_number(table, COLUMN_device_memory_torch_reserved_bytes,
				 highwater_peak(held));
}

struct device_totals device_totals_of(const struct device_memory *memory)
{
	struct device_totals totals = { 0 };

	for (size_t i = 0; i < memory->row_count; i++) {
		const struct device_row *row = &memory->row[i];

		totals.allocations += row->allocations;
		totals.frees += row->frees;
		totals.bytes_allocated += row->bytes_allocated;
	}
	return totals;
}

void device_fill_table(const struct device_view *view, struct table *table)
{
	const struct device_memory *memory = &view->cuda->memory;
	const struct run_key *key = memory->by == DEVICE_BY_KEY ? cuda_key(view->cuda) : NULL;
	struct device_lines lines = { 0 };

	map_init(&lines.places);
	rows_device_lines_add(&lines, key, memory, CALLED);
	if (view->cupti)
		rows_device_lines_add(&lines, key, &view->cupti->memory, TOLD);
	for (size_t i = 0; i < lines.count; i++)
		rows_device_line_put(view, table, &lines.line[i]);
	map_release(&lines.places);
	free(lines.line);
}
