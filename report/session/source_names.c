/* SPDX-License-Identifier: MIT */
/*
 * Strings of the files, one name per text. A name may be used before its text is known, and stay
 * without one. What was recorded under it is then not joined with what another file recorded under
 * that text.
 */
#include "report/session/source_state.h"

#include <stdio.h>
#include <string.h>

#include "collector/format/error.h"
#include "report/base/map.h"
#include "report/base/text.h"

static int names_add(struct source *source, struct source_name *name)
{
	int error;

	if (source->name_count >= UINT32_MAX)
		return EVT_TOO_LARGE;
	error = array_reserve(&source->name, source->name_count, &source->name_room,
			      sizeof(*source->name));
	if (error)
		return error;
	name->index = (uint32_t)source->name_count;
	source->name[source->name_count++] = name;
	return EVT_OK;
}

int names_start(struct source *source)
{
	int error;

	source->empty_name = (struct source_name){ .text = "" };
	/* Stands for all names beyond the limit. */
	source->overflow_name = (struct source_name){ .id = UINT64_MAX };
	error = names_add(source, &source->empty_name);
	return error ? error : names_add(source, &source->overflow_name);
}

/* From now on the file's number stands for this name. */
static int source_names_name_put(struct file_row *file, uint64_t id, struct name_row *row)
{
	int error = lookup_put(&file->names, id, row);

	file->name_count += !error;
	if (file->recent[id % NAMES_RECENT].id == id)
		file->recent[id % NAMES_RECENT].id = 0;
	return error;
}

/* NULL at the limit, or if there is no memory. */
static struct name_row *name_mention(struct file_row *file, uint64_t id)
{
	struct source *source = file->source;
	struct name_row *row = lookup_find(&file->names, id);

	if (row || file->name_count >= SOURCE_NAMES_MAX)
		return row;
	row = store_take(&source->store, sizeof(*row));
	if (!row || names_add(source, &row->name) || source_names_name_put(file, id, row))
		return NULL;
	row->name.id = id;
	snprintf(row->lost, sizeof(row->lost), "<lost #%llu>", (unsigned long long)id);
	return row;
}

static uint64_t source_names_text_hash(const char *text, size_t length)
{
	return map_hash_bytes(text, length, 0);
}

static struct name_row *text_find(const struct source *source, const char *text, size_t length)
{
	struct name_row *row = lookup_find(&source->texts, source_names_text_hash(text, length));

	/* an empty text may be NULL */
	while (row && (row->name.length != length ||
		       (length && memcmp(row->name.text, text, length) != 0)))
		row = row->alike;
	return row;
}

/* A name without text gets a text that no other name has. */
static int source_names_text_put(struct source *source, struct name_row *row, const char *text,
				 size_t length)
{
	char *copy = store_take(&source->store, length + 1);
	uint64_t hash = source_names_text_hash(text, length);

	if (!copy)
		return EVT_NO_MEMORY;
	if (length)
		memcpy(copy, text, length);
	row->name.text = copy;
	row->name.length = length;
	row->alike = lookup_find(&source->texts, hash);
	return lookup_put(&source->texts, hash, row);
}

/*
 * CUDA 13's header turns cudaLaunchKernel() into a call of __cudaLaunchKernel(). People know the
 * first name.
 */
static struct evt_text text_as_known(struct evt_text text)
{
	static const char *const written[] = { "__cudaLaunchKernel", "__cudaLaunchKernel_ptsz" };

	for (size_t i = 0; i < sizeof(written) / sizeof(written[0]); i++)
		if (text.length == strlen(written[i]) &&
		    !memcmp(evt_text_bytes(text), written[i], text.length))
			return (struct evt_text){ text.at + 2, text.length - 2 };
	return text;
}

int names_define(struct file_row *file, uint64_t id, struct evt_text as_recorded)
{
	struct name_row *row = lookup_find(&file->names, id), *known;
	struct evt_text text = text_as_known(as_recorded);
	const char *bytes = evt_text_bytes(text);
	bool is_typed = typed_is(bytes, text.length);

	if (!id || (row && row->name.text) || (!row && file->name_count >= SOURCE_NAMES_MAX) ||
	    text.length > SOURCE_TEXT_BYTES_MAX - file->text_bytes)
		return EVT_OK;
	file->text_bytes += text.length;
	known = is_typed ? typed_find(file, bytes, text.length)
			 : text_find(file->source, bytes, text.length);
	if (known && row) { /* rows are already kept by its index */
		row->name.text = known->name.text;
		row->name.length = known->name.length;
	}
	if (known)
		return source_names_name_put(file, id, known);
	row = name_mention(file, id);
	if (!row)
		return EVT_OK;
	return is_typed ? typed_put(file, row, bytes, text.length)
			: source_names_text_put(file->source, row, bytes, text.length);
}

const struct source_name *source_name_of(struct source *source, struct source_file *file,
					 uint64_t id)
{
	struct file_row *mine = (struct file_row *)file;
	struct name_row *row;

	if (id == 0)
		return &source->empty_name;
	if (mine->recent[id % NAMES_RECENT].id == id)
		return mine->recent[id % NAMES_RECENT].name;
	row = name_mention(mine, id);
	if (!row)
		return &source->overflow_name;
	mine->recent[id % NAMES_RECENT].id = id;
	mine->recent[id % NAMES_RECENT].name = &row->name;
	return &row->name;
}

const char *source_name_text(const struct source_name *name)
{
	if (name->text)
		return name->text;
	if (name->id == UINT64_MAX)
		return "<lost>";
	return ((const struct name_row *)name)->lost;
}

bool source_name_is(const struct source_name *name, const char *word)
{
	return name->text && text_is(name->text, name->length, word);
}

size_t source_name_count(const struct source *source)
{
	return source->name_count;
}

const struct source_name *source_name_at(const struct source *source, uint32_t index)
{
	return source->name[index];
}

const char *name_text(const struct source_name *name, size_t *ret_length)
{
	const char *text = source_name_text(name);

	*ret_length = name->text ? name->length : strlen(text);
	return text;
}
