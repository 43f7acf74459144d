/* SPDX-License-Identifier: MIT */
/*
 * From paths to open files on one clock. A file that cannot be read is a fault if another one can
 * be read. If none can, there is no source.
 */
#include "report/session/source_open.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/format/error.h"
#include "report/base/workers.h"
#include "report/file/file_error.h"
#include "report/session/session_files.h"
#include "report/session/source_state.h"

static void file_note_fault(void *context, uint64_t offset, int error, const char *text)
{
	fault_add(context, offset, error, "%s", text);
}

static void file_keep_symbols(void *context, const uint8_t *bytes, size_t length)
{
	struct file_row *file = context;
	struct source *source = file->source;
	struct source_symbols *symbols;

	if (length > SOURCE_SYMBOLS_BYTES_MAX - source->symbol_bytes)
		return;
	symbols = store_take(&source->store, sizeof(*symbols) + length);
	if (!symbols)
		return;
	memcpy(symbols + 1, bytes, length);
	*symbols = (struct source_symbols){ (const uint8_t *)(symbols + 1), length,
					    file->file.symbols };
	file->file.symbols = symbols;
	source->symbol_bytes += length;
}

static struct file_row *file_add(struct source *source, const char *path)
{
	struct file_row *file = store_take(&source->store, sizeof(*file));

	if (!file || array_reserve(&source->file, source->file_count, &source->file_room,
				   sizeof(*source->file)))
		return NULL;
	file->path = strdup(path);
	if (!file->path)
		return NULL;
	file->source = source;
	file->bytes.fd = -1;
	file->ended = true;
	file->file = (struct source_file){
		.index = (uint32_t)source->file_count,
		.path = file->path,
		.host = "",
		.session = "",
	};
	source->file[source->file_count++] = file;
	return file;
}

/* EVT_NO_MEMORY is the only failure: what is wrong with the file becomes a fault. */
static int file_start(struct file_row *file, struct session_file *found)
{
	const struct reader_listener listener = { file_note_fault, file, file_keep_symbols };
	char text[FILE_ERROR_BYTES];
	int error = found->error;
	int error_number = found->error_number;

	if (!error) {
		file->bytes = found->bytes;
		found->bytes.fd = -1;
		if (file->bytes.path)
			file->bytes.path = file->path;
		file->file.bytes = found->bytes.size;
		file->file.live = found->live;
		error = reader_open(&file->reader, &file->bytes, found->live, &listener);
		error_number = errno;
		if (!error && file->source->scratch)
			reader_share(file->reader, file->source->scratch);
	}
	if (error == EVT_NO_MEMORY)
		return error;
	if (error) {
		file_error_describe(error, error_number, text, sizeof(text));
		fault_add(file, 0, error, "%s", text);
		return EVT_OK;
	}
	file->file.host = reader_facts(file->reader)->header.host;
	file->file.session = reader_facts(file->reader)->header.session;
	if (found->unfinished[0])
		fault_add(file, found->bytes.size, EVT_TRUNCATED, "%s", found->unfinished);
	file->file.gave_back = reader_facts(file->reader)->before.gave_back;
	if (file->file.gave_back && found->bytes.disk && found->bytes.disk < file->file.bytes)
		file->file.bytes = found->bytes.disk;
	file->file.gone_records = reader_facts(file->reader)->before.records;
	file->file.start_real_ns = reader_facts(file->reader)->header.base_real;
	file->ended = false;
	return EVT_OK;
}

static int source_start(struct source *source, struct session_file *found, size_t count)
{
	int error = EVT_OK;

	if (count > 1) {
		source->scratch = reader_scratch_new();
		error = source->scratch ? EVT_OK : EVT_NO_MEMORY;
	}
	for (size_t i = 0; i < count && !error; i++) {
		struct file_row *file = file_add(source, found[i].path);

		error = file ? file_start(file, &found[i]) : EVT_NO_MEMORY;
	}
	if (error)
		return error;
	return clocks_find(source);
}

/* If no file could be opened: says why the first one could not. */
static int source_refuse(const struct source *source, char *message, size_t message_bytes)
{
	const struct source_fault *fault = source->fault;

	for (size_t i = 0; i < source->file_count; i++) {
		if (source->file[i]->reader)
			return EVT_OK;
	}
	if (!source->fault_count) {
		snprintf(message, message_bytes, "no file to read");
		return EVT_EMPTY;
	}
	snprintf(message, message_bytes, "'%s' %s", fault->file->path, fault->text);
	return fault->error;
}

int source_open_files(struct source **ret_source, struct session_file *files, size_t count,
		      char *message, size_t message_bytes)
{
	struct source *source = calloc(1, sizeof(*source));
	int error = EVT_NO_MEMORY;

	if (source) {
		stacks_init(&source->stacks);
		map_init(&source->python_lines);
		source->wants.stacks = true; /* like everything else, until source_want() */
		error = names_start(source);
		if (!error)
			error = source_start(source, files, count);
		if (!error)
			error = source_refuse(source, message, message_bytes);
	}
	if (error == EVT_NO_MEMORY)
		snprintf(message, message_bytes, "%s", evt_error_text(error));
	if (error) {
		source_close(source);
		return error;
	}
	*ret_source = source;
	return EVT_OK;
}

static void source_take_base_names(struct source *source)
{
	for (size_t i = 0; i < source->file_count; i++) {
		struct source_file *file = &source->file[i]->file;
		const char *slash = strrchr(file->path, '/');

		file->path = slash ? slash + 1 : file->path;
	}
}

int source_open(struct source **ret_source, char *const *paths, size_t count,
		const struct source_options *options, char *message, size_t message_bytes)
{
	static const struct source_options defaults;
	struct session_files files = { .options = options ? options : &defaults };
	int error = EVT_OK;

	for (size_t i = 0; i < count && !error; i++)
		error = session_files_add(&files, paths[i]);
	if (error)
		snprintf(message, message_bytes, "%s", evt_error_text(error));
	else
		error = source_open_files(ret_source, files.file, files.count, message,
					  message_bytes);
	if (!error && options && options->base_names)
		source_take_base_names(*ret_source);
	session_files_release(&files);
	return error;
}

int source_open_again(struct source **ret_source, const struct source *source)
{
	const struct source_options opening = { .live = true, .only_named = true };
	char **path = calloc(source->file_count + 1, sizeof(*path));
	char message[256];
	int error = path ? EVT_OK : EVT_NO_MEMORY;

	for (size_t i = 0; i < source->file_count && !error; i++)
		path[i] = source->file[i]->path;
	if (!error)
		error = source_open(ret_source, path, source->file_count, &opening, message,
				    sizeof(message));
	free(path);
	return error;
}

void source_close(struct source *source)
{
	if (!source)
		return;
	for (size_t i = 0; i < source->file_count; i++) {
		struct file_row *file = source->file[i];

		reader_close(file->reader);
		bytes_close(&file->bytes);
		lookup_release(&file->names);
		lookup_release(&file->processes);
		lookup_release(&file->streams);
		free(file->run);
		free(file->shared);
		free(file->stack_of_node);
		free(file->stack_of_kind);
		free(file->site);
		free(file->path);
	}
	workers_free(source->workers);
	reader_scratch_free(source->scratch);
	for (size_t i = 0; i < source->process_count; i++)
		free(source->process[i]->module);
	lookup_release(&source->texts);
	lookup_release(&source->typed_texts);
	lookup_release(&source->typed_programs);
	lookup_release(&source->process_by_pid);
	lookup_release(&source->thread_by_tid);
	lookup_release(&source->name_by_tid);
	merge_release(&source->merge);
	stacks_release(&source->stacks);
	map_release(&source->python_lines);
	free(source->python_line);
	clocks_release(source);
	free(source->file);
	free(source->name);
	free(source->process);
	free(source->thread);
	free(source->loss);
	free(source->hole);
	free(source->meta);
	free(source->fault);
	store_release(&source->store);
	free(source);
}
