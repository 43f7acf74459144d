/* SPDX-License-Identifier: MIT */
/*
 * Report `dump`: every event as one line of text, in the order of the file: by frame, by block, and
 * by record as stored.
 *
 *   <time_ns> <who> <event> <field>=<value> ...
 *
 * time_ns ns since time 0 of the file, as stored who <process>:<tid>, the process by its number in
 * the file; for stream 0, and for streams
 *          whose `thread` event is in no frame so far, the number of the stream
 * fields in the order of the file's schema; uint, sint and size as decimal numbers, addr, born,
 *          dies and caller as 0x and hex digits, name and text as JSON strings (line.h says which
 *          characters are escaped); a name that no frame so far defines is "<lost #ID>"
 * stack= if the record has one: the addresses of its frames, innermost first, separated by commas;
 *          the flags of a frame that has any follow a slash (FRAME_IS_... of frame_flags.h)
 *
 * With more than one file, a line `# <path>` precedes the events of each, escaped as text.h does.
 * scripts/evtdump.py writes the same bytes; a test compares the two.
 */
#include "report/options/opening.h"
#include "report/core/report_kind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/format/error.h"
#include "report/file/file_error.h"
#include "report/base/line.h"
#include "report/file/reader.h"
#include "report/session/session_files.h"
#include "report/base/talk.h"
#include "report/base/text.h"
#include "report/base/store.h"

struct dump {
	struct line_writer line;
	const char *path; /* of the file that is being read */
	size_t faults;
	struct store store;
	struct lookup names;   /* struct dump_name by id */
	struct lookup threads; /* struct evt_thread by stream */
};

struct dump_name {
	size_t length;
	char text[];
};

static void dump_fault(void *context, uint64_t offset, int error, const char *text)
{
	struct dump *dump = context;

	(void)error;
	dump->faults++;
	talk_print("'%s': offset %llu: %s", dump->path, (unsigned long long)offset, text);
}

static int dump_take_name(struct dump *dump, const struct evt_string *event)
{
	struct dump_name *name;

	if (lookup_find(&dump->names, event->id))
		return EVT_OK;
	name = store_take(&dump->store, sizeof(*name) + event->text.length);
	if (!name)
		return EVT_NO_MEMORY;
	name->length = event->text.length;
	if (name->length)
		memcpy(name->text, evt_text_bytes(event->text), name->length);
	return lookup_put(&dump->names, event->id, name);
}

static int dump_take_thread(struct dump *dump, const struct evt_thread *event)
{
	struct evt_thread *thread;

	if (lookup_find(&dump->threads, event->stream))
		return EVT_OK;
	thread = store_take(&dump->store, sizeof(*thread));
	if (!thread)
		return EVT_NO_MEMORY;
	*thread = *event;
	return lookup_put(&dump->threads, event->stream, thread);
}

/* Takes all definitions of the frame before its events are printed. */
static int dump_take_definitions(struct dump *dump, const struct event_block *block)
{
	int error = EVT_OK;

	for (uint32_t i = 0; block->stream == 0 && i < block->count && !error; i++) {
		const struct event *event = &block->event[i];

		if (event->id == EVT_string)
			error = dump_take_name(dump, EVENT_AS(string, event));
		else if (event->id == EVT_thread)
			error = dump_take_thread(dump, EVENT_AS(thread, event));
	}
	return error;
}

static void dump_put_name(struct dump *dump, uint64_t id)
{
	const struct dump_name *name = lookup_find(&dump->names, id);
	struct line_writer *line = &dump->line;

	if (name || !id) {
		line_put_quoted(line, name ? name->text : "", name ? name->length : 0);
		return;
	}
	line_put(line, "\"<lost #");
	line_put_unsigned(line, id);
	line_put(line, ">\"");
}

static void dump_put_value(struct dump *dump, unsigned int codec, const uint64_t *word)
{
	struct evt_text text;

	switch (codec) {
	case EVT_CODEC_addr:
	case EVT_CODEC_born:
	case EVT_CODEC_dies:
	case EVT_CODEC_caller:
	case EVT_CODEC_block:
	case EVT_CODEC_serial:
		line_put_hex(&dump->line, word[0]);
		break;
	case EVT_CODEC_sint:
	case EVT_CODEC_delta:
		line_put_signed(&dump->line, (int64_t)word[0]);
		break;
	case EVT_CODEC_name:
		dump_put_name(dump, word[0]);
		break;
	case EVT_CODEC_text:
		text = (struct evt_text){ word[0], word[1] };
		line_put_quoted(&dump->line, evt_text_bytes(text), text.length);
		break;
	default:
		line_put_unsigned(&dump->line, word[0]);
	}
}

static void dump_put_field(struct dump *dump, const struct schema_event *schema, uint32_t number,
			   const uint64_t *value)
{
	for (unsigned int i = 0; i < schema->field_count; i++) {
		const struct schema_field *field = &schema->field[i];

		if (field->number == number) {
			line_put(&dump->line, " ");
			line_put(&dump->line, field->name);
			line_put(&dump->line, "=");
			dump_put_value(dump, field->codec, value);
			return;
		}
		value += field->codec == EVT_CODEC_text ? 2 : 1;
	}
}

static void dump_put_stack(struct dump *dump, const struct event_block *block, uint32_t at)
{
	const char *before = " stack=";

	for (; at; at = block->node[at].parent) {
		line_put(&dump->line, before);
		line_put_hex(&dump->line, block->node[at].address);
		if (block->node[at].flags) {
			line_put(&dump->line, "/");
			line_put_unsigned(&dump->line, block->node[at].flags);
		}
		before = ",";
	}
}

static void dump_put_event(struct dump *dump, const struct schema *schema,
			   const struct event_block *block, const struct event *event)
{
	const struct evt_thread *thread = lookup_find(&dump->threads, event->stream);
	const struct schema_event *known = &schema->event[event->id];
	struct line_writer *line = &dump->line;

	line_put_unsigned(line, event->time_ns);
	line_put(line, " ");
	line_put_unsigned(line, thread && event->stream ? thread->process : event->stream);
	if (thread && event->stream) {
		line_put(line, ":");
		line_put_unsigned(line, thread->tid);
	}
	line_put(line, " ");
	line_put(line, known->name ? known->name : "?");
	for (uint32_t i = 0; i < known->field_count; i++)
		dump_put_field(dump, known, i, event->value);
	if (block->stack)
		dump_put_stack(dump, block, block->stack[event->kind]);
	line_put(line, "\n");
}

static int dump_frame(struct dump *dump, const struct reader *reader,
		      const struct reader_frame *frame)
{
	const struct schema *schema = reader_schema(reader);
	int error = EVT_OK;

	for (size_t i = 0; i < frame->block_count && !error; i++)
		error = dump_take_definitions(dump, &frame->block[i]);
	for (size_t i = 0; i < frame->block_count && !error; i++) {
		const struct event_block *block = &frame->block[i];

		for (uint32_t j = 0; j < block->count; j++)
			dump_put_event(dump, schema, block, &block->event[j]);
	}
	return error;
}

static int dump_read(struct dump *dump, const struct session_file *file)
{
	const struct reader_listener listener = { dump_fault, dump, NULL };
	struct reader *reader;
	struct reader_frame frame;
	int error = reader_open(&reader, &file->bytes, file->live, &listener);

	if (error)
		return error;
	if (file->unfinished[0])
		dump_fault(dump, file->bytes.size, EVT_TRUNCATED, file->unfinished);
	while (!error && !ferror(dump->line.out)) {
		error = reader_next(reader, &frame);
		if (!error)
			error = dump_frame(dump, reader, &frame);
	}
	reader_close(reader);
	return error == EVT_END ? EVT_OK : error;
}

static void dump_file(struct dump *dump, const struct session_file *file)
{
	char text[FILE_ERROR_BYTES];
	int error = file->error;
	int error_number = file->error_number;

	dump->path = file->path;
	if (!error) {
		error = dump_read(dump, file);
		error_number = errno;
	}
	line_flush(&dump->line);
	fflush(dump->line.out);
	if (error) {
		file_error_describe(error, error_number, text, sizeof(text));
		talk_print("'%s' %s", file->path, text);
		dump->faults++;
	}
	lookup_release(&dump->names);
	lookup_release(&dump->threads);
	store_release(&dump->store);
}

static int dump_files(struct report_request *request)
{
	const struct options *options = request->options;
	struct source_options opening = opening_of(options);
	struct session_files files = { .options = &opening };
	struct dump *dump = calloc(1, sizeof(*dump));
	int error = dump ? EVT_OK : EVT_NO_MEMORY;
	size_t faults = 1;

	opening.copies = true;
	for (size_t i = 0; i < options->file_count && !error; i++)
		error = session_files_add(&files, options->file[i]);
	if (error)
		snprintf(request->message, sizeof(request->message), "%s", evt_error_text(error));
	else
		dump->line.out = stdout;
	for (size_t i = 0; i < files.count && !error; i++) {
		if (files.count > 1) {
			line_flush(&dump->line);
			fputs("# ", dump->line.out);
			text_print(dump->line.out, files.file[i].path);
			putc('\n', dump->line.out);
		}
		dump_file(dump, &files.file[i]);
	}
	if (!error)
		faults = dump->faults;
	session_files_release(&files);
	free(dump);
	return faults ? STATUS_INPUT : STATUS_OK;
}

const struct report_kind report_kind_dump = { .read_files = dump_files };
