/* SPDX-License-Identifier: MIT */
/* What is mapped beside the heap: see mappings.h. */
#include "report/heap/mappings.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "report/base/memory.h"
#include "report/base/text.h"

/* Sizes of CPython's arenas: before 3.10 and since (Objects/obmalloc.c). */
#define ARENA_BYTES_OLD (256u << 10)
#define ARENA_BYTES (1u << 20)

void mappings_init(struct mappings *mappings)
{
	*mappings = (struct mappings){ .row = NULL };
}

void mappings_release(struct mappings *mappings)
{
	for (size_t i = 0; i < mappings->process_room; i++) {
		struct mapping_process *process = mappings->process[i];

		if (!process)
			continue;
		intervals_release(&process->intervals);
		for (unsigned int kind = 0; kind < MAPPING_KINDS; kind++)
			map_release(&process->row_of[kind]);
		free(process);
	}
	free(mappings->process);
	free(mappings->row);
}

static struct mapping_process *process_at(struct mappings *mappings, uint32_t index)
{
	struct mapping_process *process;

	mappings->process = memory_room(mappings->process, index, &mappings->process_room,
					sizeof(struct mapping_process *));
	process = mappings->process[index];
	if (process)
		return process;
	process = mappings->process[index] = memory_zero(1, sizeof(*process));
	for (unsigned int kind = 0; kind < MAPPING_KINDS; kind++)
		map_init(&process->row_of[kind]);
	return process;
}

enum mapping_kind mapping_kind_of(uint64_t bytes, uint64_t protection, uint64_t flags)
{
	if (!protection)
		return MAPPING_RESERVED;
	if (flags & MAP_SHARED)
		return MAPPING_SHARED;
	return bytes == ARENA_BYTES || bytes == ARENA_BYTES_OLD ? MAPPING_ARENA : MAPPING_PRIVATE;
}

/* Returns the caller's row; MAPPING_ROWS_MAX if there are too many rows. */
static uint32_t row_of(struct mappings *mappings, const struct mapping *mapping)
{
	enum mapping_kind kind = mapping_kind_of(mapping->bytes, mapping->protection,
						 mapping->flags);
	struct mapping_process *process = process_at(mappings, mapping->process);
	struct map *rows = &process->row_of[kind];
	bool full = mappings->row_count >= MAPPING_ROWS_MAX, added;
	uint64_t key = mapping->caller + (mapping->caller != UINT64_MAX);
	struct map_entry *entry = map_find(rows, key);

	if (!entry && full)
		return MAPPING_ROWS_MAX;
	if (!entry) {
		entry = map_put(rows, key, &added);
		entry->value = mappings->row_count;
		mappings->row = memory_room(mappings->row, mappings->row_count, &mappings->row_room,
					    sizeof(*mappings->row));
		mappings->row[mappings->row_count++] = (struct mapping_row){
			.caller = mapping->caller,
			.process = mapping->process,
			.kind = kind,
			.next = process->first,
		};
		process->first = (uint32_t)mappings->row_count;
		mappings->unknown += kind == MAPPING_ARENA;
	}
	mappings->row[entry->value].last_ns = mapping->time_ns;
	return (uint32_t)entry->value;
}

/* `bytes` is negative, modulo 2^64, when memory is unmapped. */
static void row_add(struct mappings *mappings, uint32_t number, uint64_t bytes)
{
	struct mapping_row *row = &mappings->row[number];
	struct mapping_process *process = mappings->process[row->process];

	row->bytes += bytes;
	if ((int64_t)bytes > 0 && row->bytes > row->peak_bytes)
		row->peak_bytes = row->bytes;
	process->bytes[row->kind] += bytes;
	if (row->is_python)
		process->python_bytes += bytes;
}

static void take_gone(void *context, const struct interval *piece)
{
	row_add(context, piece->tag, piece->start - piece->end);
}

static bool range_end(uint64_t address, uint64_t bytes, uint64_t *ret_end)
{
	return bytes && !__builtin_add_overflow(address, bytes, ret_end);
}

static void put(struct mappings *mappings, struct mapping_process *process,
		const struct interval *range)
{
	if (intervals_put(&process->intervals, range))
		row_add(mappings, range->tag, range->end - range->start);
}

void mappings_map(struct mappings *mappings, const struct mapping *mapping)
{
	struct interval range = { .start = mapping->address };
	struct mapping_process *process;

	if (!range_end(mapping->address, mapping->bytes, &range.end))
		return; /* only damaged files get here */
	range.tag = row_of(mappings, mapping);
	process = process_at(mappings, mapping->process);
	mappings->count++;
	intervals_erase(&process->intervals, range.start, range.end, take_gone, mappings);
	if (range.tag < MAPPING_ROWS_MAX)
		put(mappings, process, &range);
}

void mappings_unmap(struct mappings *mappings, uint32_t process, uint64_t address, uint64_t bytes)
{
	uint64_t end;

	if (process >= mappings->process_room || !mappings->process[process] ||
	    !range_end(address, bytes, &end))
		return;
	intervals_erase(&mappings->process[process]->intervals, address, end, take_gone, mappings);
}

/* --- mremap --- */

struct pieces {
	struct interval *piece;
	size_t count, room;
};

static void take_piece(void *context, const struct interval *piece)
{
	struct pieces *pieces = context;

	pieces->piece = memory_room(pieces->piece, pieces->count, &pieces->room,
				    sizeof(*pieces->piece));
	pieces->piece[pieces->count++] = *piece;
}

/* Memory that is added at the old end has the kind of what was before it. */
static void put_moved(struct mappings *mappings, const struct mapping_move *move,
		      const struct interval *piece)
{
	struct interval range = { piece->start - move->old_address, piece->end - move->old_address,
				  piece->tag };

	if (range.end == move->old_bytes || range.end > move->bytes)
		range.end = move->bytes;
	range.start += move->address;
	range.end += move->address;
	put(mappings, mappings->process[move->process], &range);
}

void mappings_move(struct mappings *mappings, const struct mapping_move *move)
{
	struct pieces pieces = { .piece = NULL };
	uint64_t old_end, end;

	if (move->process >= mappings->process_room || !mappings->process[move->process] ||
	    !range_end(move->old_address, move->old_bytes, &old_end) ||
	    !range_end(move->address, move->bytes, &end))
		return;
	intervals_each(&mappings->process[move->process]->intervals, move->old_address, old_end,
		       take_piece, &pieces);
	mappings_unmap(mappings, move->process, move->old_address, move->old_bytes);
	mappings_unmap(mappings, move->process, move->address, move->bytes);
	for (size_t i = 0; i < pieces.count; i++)
		put_moved(mappings, move, &pieces.piece[i]);
	free(pieces.piece);
}

/* --- whose it is --- */

static const struct source_module *row_module(const struct mapping_row *row,
					      const struct source *source)
{
	struct source_process *const *process;
	size_t count = source_processes(source, &process);

	return row->process < count
		       ? source_module_at(process[row->process], row->caller, row->last_ns)
		       : NULL;
}

const char *mapping_row_module(const struct mapping_row *row, const struct source *source,
			       size_t *ret_length)
{
	const struct source_module *module = row_module(row, source);
	const char *path, *slash;

	if (!module || !module->path->text)
		return NULL;
	path = module->path->text;
	slash = memrchr(path, '/', module->path->length);
	*ret_length = module->path->length - (slash ? (size_t)(slash + 1 - path) : 0);
	return slash ? slash + 1 : path;
}

/* A module that is known does not change. */
static void row_look(struct mappings *mappings, const struct source *source,
		     struct mapping_row *row)
{
	size_t length;
	const char *name = mapping_row_module(row, source, &length);

	if (!name)
		return;
	row->is_known = true;
	mappings->unknown--;
	if (!text_begins(name, length, "python") && !text_begins(name, length, "libpython"))
		return;
	row->is_python = true;
	mappings->process[row->process]->python_bytes += row->bytes;
}

static void rows_look(struct mappings *mappings, const struct source *source)
{
	for (size_t i = 0; i < mappings->row_count && mappings->unknown; i++) {
		struct mapping_row *row = &mappings->row[i];

		if (row->kind == MAPPING_ARENA && !row->is_known)
			row_look(mappings, source, row);
	}
}

const struct mapping_process *mappings_of(struct mappings *mappings, const struct source *source,
					  uint32_t process)
{
	rows_look(mappings, source);
	return process < mappings->process_room ? mappings->process[process] : NULL;
}

static uint64_t process_python_peak(const struct mappings *mappings, uint32_t process)
{
	uint32_t number = mappings->process[process] ? mappings->process[process]->first : 0;
	uint64_t bytes = 0;

	for (; number; number = mappings->row[number - 1].next)
		if (mappings->row[number - 1].is_python)
			bytes += mappings->row[number - 1].peak_bytes;
	return bytes;
}

uint64_t mappings_python_peak(struct mappings *mappings, const struct source *source)
{
	uint64_t most = 0;

	rows_look(mappings, source);
	for (uint32_t i = 0; i < mappings->process_room; i++) {
		uint64_t bytes = process_python_peak(mappings, i);

		most = bytes > most ? bytes : most;
	}
	return most;
}
