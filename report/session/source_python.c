/* SPDX-License-Identifier: MIT */
/* Lines of Python functions that stack frames refer to by a hash: the first definition counts. */
#include "collector/format/frame_flags.h"
#include "report/base/memory.h"
#include "report/session/source_state.h"

#define LINES_MAX (16u << 20)

int python_line_define(struct file_row *file, const struct evt_python_line *event)
{
	struct source *source = file->source;
	struct map_entry *entry;
	bool added;

	if (!(event->id & PYTHON_LINE_BIT) || source->python_line_count >= LINES_MAX)
		return 0;
	entry = map_put(&source->python_lines, event->id, &added);
	if (!added)
		return 0;
	entry->value = source->python_line_count;
	source->python_line = memory_room(source->python_line, source->python_line_count,
					  &source->python_line_room, sizeof(*source->python_line));
	source->python_line[source->python_line_count++] = (struct source_python_line){
		.function = source_name_of(source, &file->file, event->function),
		.file = source_name_of(source, &file->file, event->file),
		.first = event->first_line <= INT32_MAX ? (uint32_t)event->first_line : 0,
		.line = event->line <= INT32_MAX ? (uint32_t)event->line : 0,
	};
	return 0;
}

const struct source_python_line *source_python_line(const struct source_process *process,
						    uint64_t address)
{
	const struct source *source;
	const struct map_entry *entry;

	if (!(address & PYTHON_LINE_BIT) || !process || !process->file)
		return NULL;
	source = ((const struct file_row *)process->file)->source;
	entry = source ? map_find(&source->python_lines, address) : NULL;
	return entry ? &source->python_line[entry->value] : NULL;
}
