/* SPDX-License-Identifier: MIT */
/* Makes the rows of report pyprof on demand, in the form of PyProf's table. */
#include <stdlib.h>
#include <string.h>

#include "report/base/demangle.h"
#include "report/base/map.h"
#include "report/table/cells.h"
#include "report/torch/pyprof.h"

#define NOTHING "-"
#define NOT_KNOWN "na"
/* a backward function is named after its operator, and with this text from there on */
#define BACKWARD "Backward"
#define AFTER_CLASS ": " /* in a module's name; the dotted name follows it */
#define NAMESPACE "::"

struct pyprof_rows {
	struct pyprof *pyprof;
	const struct source *source;
	struct source_thread *const *thread;
	struct demangler demangler;
	struct map names;        /* kernel names as they are shown */
	struct text_store texts; /* of the names */
	struct table *table;     /* the one to which rows are added */
	uint64_t count;          /* number of rows made */
};

/* NULL: not known. */
static const char *rows_pyprof_text_of(const struct pyprof_rows *rows, uint32_t name,
				       size_t *ret_length)
{
	const struct source_name *text;

	if (name == PYPROF_NO_NAME)
		return NULL;
	text = source_name_at(rows->source, name);
	*ret_length = text->length;
	return text->text;
}

/* --- the operator --- */

/* Puts "aten" and "addmm" for aten::addmm; "Addmm" for AddmmBackward0. */
static void rows_pyprof_put_operator(const struct pyprof_rows *rows, const struct pyprof_call *call)
{
	size_t length, skipped;
	const char *text = rows_pyprof_text_of(rows, call->op.name, &length), *part;

	if (!text) {
		table_put_text(rows->table, COLUMN_pyprof_mod, NOT_KNOWN);
		table_put_text(rows->table, COLUMN_pyprof_op, NOT_KNOWN);
		return;
	}
	part = call->is_node ? memmem(text, length, BACKWARD, strlen(BACKWARD)) : NULL;
	if (part && part > text)
		length = (size_t)(part - text);
	part = memmem(text, length, NAMESPACE, strlen(NAMESPACE));
	if (part)
		table_set_text(rows->table, COLUMN_pyprof_mod, text, (size_t)(part - text));
	else
		table_put_text(rows->table, COLUMN_pyprof_mod, NOT_KNOWN);
	skipped = part ? (size_t)(part - text) + strlen(NAMESPACE) : 0;
	table_set_text(rows->table, COLUMN_pyprof_op, text + skipped, length - skipped);
}

static void put_layer(const struct pyprof_rows *rows, uint32_t module)
{
	size_t length;
	const char *text = rows_pyprof_text_of(rows, module, &length), *part;

	if (!text) {
		table_put_text(rows->table, COLUMN_pyprof_layer, NOTHING);
		return;
	}
	part = memmem(text, length, AFTER_CLASS, strlen(AFTER_CLASS));
	if (part) {
		length -= (size_t)(part - text) + strlen(AFTER_CLASS);
		text = part + strlen(AFTER_CLASS);
	}
	table_set_text(rows->table, COLUMN_pyprof_layer, text, length);
}

/* Puts sizes and element types of the inputs. */
static void put_params(const struct pyprof_rows *rows, const struct pyprof_op *op)
{
	size_t shapes_length, types_length;
	const char *shapes = rows_pyprof_text_of(rows, op->shapes, &shapes_length);
	const char *types = rows_pyprof_text_of(rows, op->types, &types_length);

	if (!shapes)
		table_put_text(rows->table, COLUMN_pyprof_params, NOTHING);
	else if (!types)
		table_set_text(rows->table, COLUMN_pyprof_params, shapes, shapes_length);
	else
		table_put_text(rows->table, COLUMN_pyprof_params,
			       text_store_format(&rows->table->texts, "%.*s %.*s",
						 (int)shapes_length, shapes, (int)types_length,
						 types));
}

static void put_trace(const struct pyprof_rows *rows, uint64_t line)
{
	const enum column_id column[KEY_COLUMNS_MAX] = { COLUMN_pyprof_trace };
	const struct pyprof *pyprof = rows->pyprof;

	pyprof->line_kind->put(pyprof->line, pyprof->line_kind->settle(pyprof->line, line),
			       rows->table, column);
}

static void rows_pyprof_put_call(const struct pyprof_rows *rows, const struct pyprof_call *call)
{
	struct table *table = rows->table;

	if (call->sequence != PYPROF_NO_SEQUENCE)
		table_set_number(table, COLUMN_pyprof_seq, call->sequence);
	if (call->other_sequence != PYPROF_NO_SEQUENCE)
		table_set_number(table, COLUMN_pyprof_altseq, call->other_sequence);
	table_put_text(table, COLUMN_pyprof_dir, call->is_backward ? "bprop" : "fprop");
	rows_pyprof_put_operator(rows, call);
	put_layer(rows, call->op.module);
	put_trace(rows, call->op.line);
	put_params(rows, &call->op);
}

/* --- the kernel --- */

/* NULL: shown as it is. All kernels of one name, which may be long, share one text. */
static const char *name_shown(struct pyprof_rows *rows, uint32_t name,
			      const struct source_name *text)
{
	bool added;
	struct map_entry *entry = map_put(&rows->names, name + 1ull, &added);
	const char *shown;

	if (added) {
		shown = demangle(&rows->demangler, text->text, text->length, false);
		entry->value = shown ? (uintptr_t)text_store_format(&rows->texts, "%s", shown) : 0;
	}
	return (const char *)(uintptr_t)entry->value;
}

static void rows_pyprof_put_name(struct pyprof_rows *rows, uint32_t name)
{
	const struct source_name *text = source_name_at(rows->source, name);
	const char *shown = text->text ? name_shown(rows, name, text) : NULL;

	if (shown)
		table_put_text(rows->table, COLUMN_pyprof_kernel, shown);
	else
		table_set_text(rows->table, COLUMN_pyprof_kernel, source_name_text(text),
			       text->text ? text->length : strlen(source_name_text(text)));
}

static void put_dimensions(const struct pyprof_rows *rows, enum column_id column,
			   const uint32_t size[3])
{
	table_put_text(
		rows->table, column,
		text_store_format(&rows->table->texts, "%u,%u,%u", size[0], size[1], size[2]));
}

/*
 * Puts nothing if there is no formula; 0 for a kernel that is a helper, or comes after the kernels
 * that have the cost.
 */
static void rows_pyprof_put_cost(const struct pyprof_rows *rows, const struct pyprof_kernel *kernel)
{
	const struct op_cost *cost = &kernel->call.cost;

	if (!cost->is_known)
		return;
	table_set_number(rows->table, COLUMN_pyprof_flops, kernel->has_its_cost ? cost->flops : 0);
	if (cost->has_bytes)
		table_set_number(rows->table, COLUMN_pyprof_bytes,
				 kernel->has_its_cost ? cost->bytes : 0);
}

static const char *tensor_cores_text(const struct pyprof_kernel *kernel)
{
	if (kernel->uses_tensor_cores)
		return "1";
	return kernel->call.cost.is_product ? "0" : NOTHING;
}

static void rows_pyprof_put_kernel(struct pyprof_rows *rows, const struct pyprof_kernel *kernel,
				   uint32_t tid)
{
	struct table *table = rows->table;

	if (kernel->has_call)
		table_set_number(table, COLUMN_pyprof_tid, tid);
	table_set_number(table, COLUMN_pyprof_sub, kernel->sub);
	rows_pyprof_put_name(rows, kernel->name);
	table_set_number(table, COLUMN_pyprof_sil, kernel->duration_ns);
	table_put_text(table, COLUMN_pyprof_tc, tensor_cores_text(kernel));
	table_set_number(table, COLUMN_pyprof_device, kernel->device);
	table_set_number(table, COLUMN_pyprof_stream, kernel->stream);
	put_dimensions(rows, COLUMN_pyprof_grid, kernel->grid);
	put_dimensions(rows, COLUMN_pyprof_block, kernel->block);
	rows_pyprof_put_cost(rows, kernel);
}

static bool next_row(void *state, struct table *table)
{
	struct pyprof_rows *rows = state;
	struct pyprof_kernel kernel;

	if (!pyprof_next(rows->pyprof, &kernel))
		return false;
	rows->table = table;
	table_add_row(table);
	table_set_number(table, COLUMN_pyprof_idx, ++rows->count);
	rows_pyprof_put_call(rows, &kernel.call);
	rows_pyprof_put_kernel(rows, &kernel,
			       kernel.has_call ? rows->thread[kernel.thread]->tid : 0);
	return true;
}

struct pyprof_rows *pyprof_rows_new(struct pyprof *pyprof, const struct run *run)
{
	struct pyprof_rows *rows = memory_zero(1, sizeof(*rows));

	rows->pyprof = pyprof;
	rows->source = run_source(run);
	map_init(&rows->names);
	source_threads(rows->source, &rows->thread);
	return rows;
}

/*
 * Totals are needed before there is a row: the facts about the whole trace come with a row that is
 * removed again.
 */
static void attach_trace(struct pyprof_rows *rows, struct table *table)
{
	rows->table = table;
	table_add_row(table);
	put_trace(rows, 0);
	table->stacks.note = NULL; /* it is not among the columns that are shown by default */
	table->row_count--;
}

void pyprof_rows_put(struct pyprof_rows *rows, struct table *table)
{
	if (rows->pyprof->count)
		attach_trace(rows, table);
	pyprof_rewind(rows->pyprof);
	table->pending = (struct table_pending){ .next = next_row,
						 .state = rows,
						 .order = COLUMN_pyprof_idx };
}

void pyprof_rows_free(struct pyprof_rows *rows)
{
	if (!rows)
		return;
	demangler_release(&rows->demangler);
	map_release(&rows->names);
	text_store_release(&rows->texts);
	free(rows);
}
