/* SPDX-License-Identifier: MIT */
/* Lines of Python functions that stack frames refer to by a hash: the first definition counts. */
#include "collector/format/frame_flags.h"
#include "report/base/memory.h"
#include "report/session/source_state.h"

#define LINES_MAX (16u << 20)

/* Functions that only look alike, since they have no file, have the same id in several programs. */
static uint64_t python_line_key(struct file_row *file, uint64_t id)
{
	const uint64_t words[] = { id, typed_program_of(file) };

	return map_hash_bytes(words, sizeof(words), 0);
}

static uint64_t python_line_add(struct file_row *file, const struct evt_python_line *event)
{
	struct source *source = file->source;

	source->python_line = memory_room(source->python_line, source->python_line_count,
					  &source->python_line_room, sizeof(*source->python_line));
	source->python_line[source->python_line_count] = (struct source_python_line){
		.function = source_name_of(source, &file->file, event->function),
		.file = source_name_of(source, &file->file, event->file),
		.first = event->first_line <= INT32_MAX ? (uint32_t)event->first_line : 0,
		.line = event->line <= INT32_MAX ? (uint32_t)event->line : 0,
	};
	return source->python_line_count++;
}

int python_line_define(struct file_row *file, const struct evt_python_line *event)
{
	struct source *source = file->source;
	struct map_entry *entry;
	bool added;

	if (!(event->id & PYTHON_LINE_BIT) || source->python_line_count >= LINES_MAX)
		return 0;
	entry = map_put(&source->python_lines, event->id, &added);
	if (!added && source->typed &&
	    source->python_line[entry->value].file !=
		    source_name_of(source, &file->file, event->file))
		entry = map_put(&source->python_lines, python_line_key(file, event->id), &added);
	if (added)
		entry->value = python_line_add(file, event);
	return 0;
}

const struct source_python_line *source_python_line(const struct source_process *process,
						    uint64_t address)
{
	struct file_row *file;
	const struct source *source;
	const struct map_entry *entry, *own = NULL;

	if (!(address & PYTHON_LINE_BIT) || !process || !process->file)
		return NULL;
	file = (struct file_row *)process->file;
	source = file->source;
	entry = source ? map_find(&source->python_lines, address) : NULL;
	if (entry && source->typed)
		own = map_find(&source->python_lines, python_line_key(file, address));
	entry = own ? own : entry;
	return entry ? &source->python_line[entry->value] : NULL;
}
