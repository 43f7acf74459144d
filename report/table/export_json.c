/* SPDX-License-Identifier: MIT */
/* JSON for programs: one document with the run, losses, columns, rows and totals; raw numbers. */
#include <stdlib.h>
#include <string.h>

#include "report/table/export.h"
#include "report/base/json.h"
#include "report/session/holes.h"
#include "report/session/limitations.h"

static void json_name(struct json *json, const char *key, const struct source_name *name)
{
	if (name && name->text)
		json_text(json, key, name->text, name->length);
	else
		json_null(json, key);
}

static void json_put_files(struct json *json, struct source *source)
{
	struct source_file *const *file;
	size_t count = source_files(source, &file);

	json_open(json, "files", '[');
	for (size_t i = 0; i < count; i++) {
		json_open(json, NULL, '{');
		json_string(json, "path", file[i]->path);
		json_string(json, "host", file[i]->host);
		json_number(json, "bytes", file[i]->bytes);
		json_number(json, "frames", file[i]->frames);
		json_number(json, "records", file[i]->records);
		json_bool(json, "complete", file[i]->complete);
		json_bool(json, "live", file[i]->live);
		json_close(json, '}');
	}
	json_close(json, ']');
}

/* The session is that of the first file; its command is that of the first process. */
static void json_put_session(struct json *json, struct source *source)
{
	struct source_file *const *file;
	struct source_process *const *process;
	const struct source_meta *meta;
	size_t files = source_files(source, &file), processes = source_processes(source, &process);
	size_t metas = source_metas(source, &meta);

	json_open(json, "session", '{');
	json_string(json, "id", files ? file[0]->session : NULL);
	json_string(json, "host", files ? file[0]->host : NULL);
	json_name(json, "command", processes ? process[0]->command : NULL);
	json_number(json, "end_ns", source_end_ns(source));
	if (source_known_ns(source) < source_end_ns(source))
		json_number(json, "known_ns", source_known_ns(source));
	json_open(json, "meta", '{');
	for (size_t i = 0; i < metas; i++)
		if (!meta[i].process && meta[i].key->text)
			json_name(json, meta[i].key->text, meta[i].value);
	json_close(json, '}');
	json_close(json, '}');
}

static void json_put_losses(struct json *json, struct source *source)
{
	const struct source_loss *loss;
	size_t count = source_losses(source, &loss);

	json_open(json, "losses", '[');
	for (size_t i = 0; i < count; i++) {
		json_open(json, NULL, '{');
		json_string(json, "reason", source_loss_text(&loss[i]));
		json_number(json, "count", loss[i].count);
		if (loss[i].process)
			json_number(json, "process", loss[i].process->pid);
		else
			json_null(json, "process");
		if (loss[i].from_ns <= loss[i].to_ns) {
			json_number(json, "from_ns", loss[i].from_ns);
			json_number(json, "to_ns", loss[i].to_ns);
		}
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void json_put_limitation(void *context, const struct limitation_told *told)
{
	struct json *json = context;

	json_open(json, NULL, '{');
	json_string(json, "id", told->id);
	json_name(json, "subject", told->subject);
	json_string(json, "text", told->sentence);
	json_number(json, "processes", told->processes);
	json_number(json, "process", told->process->pid);
	json_close(json, '}');
}

/* All limitations: the reader decides which ones concern the report. */
static void json_put_limitations(struct json *json, const struct source *source)
{
	json_open(json, "limitations", '[');
	limitations_tell(source, LIMITATION_ALL_FAMILIES, json_put_limitation, json);
	json_close(json, ']');
}

static void json_put_faults(struct json *json, struct source *source)
{
	const struct source_fault *fault;
	size_t count = source_faults(source, &fault);

	json_open(json, "faults", '[');
	for (size_t i = 0; i < count; i++) {
		json_open(json, NULL, '{');
		json_string(json, "path", fault[i].file ? fault[i].file->path : NULL);
		json_number(json, "offset", fault[i].offset);
		json_string(json, "text", fault[i].text);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void json_put_cell(struct json *json, const char *key, const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_NUMBER:
		json_number(json, key, cell->number);
		break;
	case CELL_SIGNED:
		json_signed(json, key, (int64_t)cell->number);
		break;
	case CELL_REAL:
		json_real(json, key, cell->real);
		break;
	case CELL_TEXT:
		json_text(json, key, cell->text, cell->length);
		break;
	default:
		json_null(json, key);
		break;
	}
}

static void json_put_columns(struct json *json, const struct document *document)
{
	json_open(json, "columns", '[');
	for (size_t i = 0; i < document->shown_count; i++) {
		const struct column *column = document->table->column[document->shown[i]];

		json_open(json, NULL, '{');
		json_string(json, "name", column->name);
		json_string(json, "unit", unit_name(column->unit));
		json_close(json, '}');
	}
	json_close(json, ']');
}

#define STACK_FRAMES_MAX 4096u /* per stack in a document */

/* A stack as a list of frames, innermost first. */
static void json_put_stack(struct json *json, const char *key, const struct table *table,
			   size_t row)
{
	struct table_frame *frame = memory_grow(NULL, STACK_FRAMES_MAX, sizeof(*frame));
	size_t count = table->stacks.frames(table->stacks.state, row, frame, STACK_FRAMES_MAX);

	json_open(json, key, '[');
	for (size_t i = 0; i < count && i < STACK_FRAMES_MAX; i++) {
		json_open(json, NULL, '{');
		json_string(json, "function", frame[i].function);
		json_string(json, "file", frame[i].file);
		if (frame[i].line)
			json_number(json, "line", frame[i].line);
		else
			json_null(json, "line");
		json_string(json, "module", frame[i].module);
		if (frame[i].is_many)
			json_null(json, "offset");
		else
			json_number(json, "offset", frame[i].offset);
		json_close(json, '}');
	}
	json_close(json, ']');
	free(frame);
}

static bool is_stack(const struct table *table, size_t column, const struct cell *cell)
{
	return table->stacks.frames && cell->kind == CELL_TEXT &&
	       table->column[column] == &column_list[table->stacks.column];
}

static void json_put_row(struct json *json, const struct document *document, size_t row)
{
	const struct table *table = document->table;

	for (size_t i = 0; i < document->shown_count; i++) {
		size_t column = document->shown[i];
		const struct cell *cell = table_cell(table, row, column);

		if (is_stack(table, column, cell))
			json_put_stack(json, table->column[column]->name, table, row);
		else
			json_put_cell(json, table->column[column]->name, cell);
	}
}

static void json_put_rows(struct json *json, const struct document *document)
{
	const struct table *table = document->table;

	json_open(json, "rows", '[');
	do {
		for (size_t row = 0; row < table->shown; row++) {
			table_make_row(table, table->order[row]);
			json_open(json, NULL, '{');
			json_put_row(json, document, table->order[row]);
			json_close(json, '}');
		}
	} while (document_next_rows(document));
	json_close(json, ']');
}

static void json_put_runs(struct json *json, const char *key, struct source *const *run,
			  size_t count)
{
	if (!count)
		return;
	json_open(json, key, '[');
	for (size_t i = 0; i < count; i++) {
		json_open(json, NULL, '{');
		json_put_files(json, run[i]);
		json_put_session(json, run[i]);
		json_put_losses(json, run[i]);
		json_put_limitations(json, run[i]);
		json_put_faults(json, run[i]);
		json_close(json, '}');
	}
	json_close(json, ']');
}

/* The other runs of a comparison. */
static void json_put_compared(struct json *json, const struct document *document)
{
	json_put_runs(json, "before", document->before, document->before_count);
	json_put_runs(json, "also_after", document->also, document->also_count);
}

void export_json(const struct document *document, const struct screen *screen)
{
	struct json json = { .out = screen->out };

	json_open(&json, NULL, '{');
	json_string(&json, "report", document->report);
	json_put_files(&json, document->source);
	json_put_session(&json, document->source);
	json_put_losses(&json, document->source);
	json_put_limitations(&json, document->source);
	json_put_faults(&json, document->source);
	json_put_compared(&json, document);
	json_put_columns(&json, document);
	json_put_rows(&json, document);
	json_open(&json, "totals", '{');
	for (size_t i = 0; i < document->fact_count; i++)
		json_put_cell(&json, document->fact[i].name, &document->fact[i].cell);
	json_close(&json, '}');
	json_close(&json, '}');
}
