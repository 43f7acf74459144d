/* SPDX-License-Identifier: MIT */
/*
 * Strings of the files. A name may be used before its text is known, and stay without one.
 */
#include "report/source_state.h"

#include <stdio.h>
#include <string.h>

#include "collector/format/error.h"

void names_start(struct source *source)
{
	source->empty_name = (struct source_name){ .text = "" };
	/* For all names beyond the limit. */
	source->overflow_name = (struct source_name){ .id = UINT64_MAX, .index = 1 };
	source->name_count = 2;
}

/* NULL at the limit and when there is no memory. */
static struct name_row *name_mention(struct file_row *file, uint64_t id)
{
	struct source *source = file->source;
	struct name_row *row = lookup_find(&file->names, id);

	if (row || file->name_count >= SOURCE_NAMES_MAX || source->name_count >= UINT32_MAX)
		return row;
	row = store_take(&source->store, sizeof(*row));
	if (!row || lookup_put(&file->names, id, row))
		return NULL;
	row->name.id = id;
	row->name.index = (uint32_t)source->name_count++;
	snprintf(row->lost, sizeof(row->lost), "<lost #%llu>", (unsigned long long)id);
	file->name_count++;
	return row;
}

int names_define(struct file_row *file, uint64_t id, struct evt_text text)
{
	struct name_row *row = id ? name_mention(file, id) : NULL;
	char *copy;

	if (!row || row->name.text)
		return EVT_OK;
	if (text.length > SOURCE_TEXT_BYTES_MAX - file->text_bytes)
		return EVT_OK;
	copy = store_take(&file->source->store, text.length + 1);
	if (!copy)
		return EVT_NO_MEMORY;
	if (text.length)
		memcpy(copy, evt_text_bytes(text), text.length);
	file->text_bytes += text.length;
	row->name.text = copy;
	row->name.length = text.length;
	return EVT_OK;
}

const struct source_name *source_name_of(struct source *source, struct source_file *file,
					 uint64_t id)
{
	struct name_row *row;

	if (id == 0)
		return &source->empty_name;
	row = name_mention((struct file_row *)file, id);
	return row ? &row->name : &source->overflow_name;
}

const char *source_name_text(const struct source_name *name)
{
	if (name->text)
		return name->text;
	if (name->id == UINT64_MAX)
		return "<lost>";
	return ((const struct name_row *)name)->lost;
}
