/* SPDX-License-Identifier: MIT */
/*
 * The lists of watch: for each kind, which analysis it needs and how its rows are counted and
 * named.
 */
#include "report/watch/watch_kind.h"

#include <string.h>

#include "report/base/demangle.h"
#include "report/functions/function_events.h"
#include "report/functions/function_place.h"
#include "report/gpu/gpu.h"
#include "report/io/io_events.h"
#include "report/samples/sample_events.h"
#include "report/torch/operator_events.h"
#include "report/torch/rows_ops.h"

static const char *name_at(const struct source *source, uint32_t index)
{
	return source_name_text(source_name_at(source, index));
}

/* --- lines of Python: samples by place; the innermost line counts --- */

static void *lines_want(struct run *run)
{
	return samples_want(run, &(struct samples_options){ .by = BY_lines_line });
}

static size_t lines_count(const void *state)
{
	const struct samples *samples = state;

	return samples->row_count;
}

static void lines_values(const void *state, size_t row, uint64_t ret_value[WATCH_VALUES])
{
	const struct samples *samples = state;

	ret_value[0] = samples->row[row].counts.cpu_ns;
	ret_value[1] = samples->row[row].counts.wait_ns;
}

static const char *lines_name(const void *state, const struct source *source, size_t row,
			      struct text_store *texts)
{
	const struct samples *samples = state;
	uint64_t key = samples->row[row].place;
	const struct sample_place *place = samples_place(samples, key);
	const struct sample_code *code = place ? samples_code(samples, place->code) : NULL;

	if (!code)
		return key == SAMPLE_TORN_PLACE ? SAMPLE_TORN : SAMPLE_NOT_PYTHON;
	return text_store_format(texts, "%s:%u %s", name_at(source, code->file), place->line,
				 name_at(source, code->function));
}

/* --- functions --- */

static void *calls_want(struct run *run)
{
	return functions_want(run, &(struct functions_options){ .by = BY_functions_function });
}

static size_t calls_count(const void *state)
{
	const struct functions *functions = state;

	return functions->calls.row_count;
}

static void calls_values(const void *state, size_t row, uint64_t ret_value[WATCH_VALUES])
{
	const struct functions *functions = state;

	ret_value[0] = functions->calls.row[row].counts.self_ns;
	ret_value[1] = functions->calls.row[row].counts.calls;
}

static const char *calls_name(const void *state, const struct source *source, size_t row,
			      struct text_store *texts)
{
	const struct functions *functions = state;
	size_t length;

	return function_place_text(function_place_of(source, functions->calls.row[row].function),
				   texts, &length);
}

/* --- operators --- */

static void *watch_kind_ops_want(struct run *run)
{
	return operators_want_rows(run, NULL, OPERATORS_ALL);
}

static size_t ops_count(const void *state)
{
	const struct operators *operators = state;

	return operators->row_count;
}

static void ops_values(const void *state, size_t row, uint64_t ret_value[WATCH_VALUES])
{
	const struct operators *operators = state;

	ret_value[0] = operators->row[row].self.ns;
	ret_value[1] = operators->row[row].calls;
}

static const char *ops_name(const void *state, const struct source *source, size_t row,
			    struct text_store *texts)
{
	const struct operators *operators = state;
	struct operator_text text;

	if (!ops_row_is_shown(source, &operators->row[row]))
		return NULL;
	text = ops_row_name(source, &operators->row[row]);
	return text_store_put(texts, text.text, text.length);
}

/* --- kernels --- */

static void *kernels_want(struct run *run)
{
	return gpu_want(run, &(struct gpu_options){ .by = BY_kernels_name });
}

static size_t kernels_count(const void *state)
{
	const struct gpu *gpu = state;

	return gpu->table[GPU_KERNELS].count;
}

static void kernels_values(const void *state, size_t row, uint64_t ret_value[WATCH_VALUES])
{
	const struct gpu *gpu = state;

	ret_value[0] = gpu->table[GPU_KERNELS].group[row].time.total_ns;
	ret_value[1] = gpu->table[GPU_KERNELS].group[row].time.count;
}

static const char *kernels_name(const void *state, const struct source *source, size_t row,
				struct text_store *texts)
{
	const struct gpu *gpu = state;
	const uint64_t *key = gpu->table[GPU_KERNELS].group[row].key;
	const char *name = name_at(source, (uint32_t)key[GPU_KEY_WHAT]), *text;
	struct demangler demangler = { 0 };

	text = demangle(&demangler, name, strlen(name), false);
	text = text_store_format(texts, "%s", text ? text : name);
	demangler_release(&demangler);
	return text;
}

/* --- files; all sockets are one row, and all pipes --- */

static void *files_want(struct run *run)
{
	return io_want(run, &(struct io_options){ .by = BY_io_file });
}

static size_t files_count(const void *state)
{
	const struct io_reading *reading = state;

	return reading->io.row_count;
}

static void files_values(const void *state, size_t row, uint64_t ret_value[WATCH_VALUES])
{
	const struct io_reading *reading = state;
	const struct io_row *io = &reading->io.row[row];

	ret_value[0] = io->total_ns;
	ret_value[1] = io->bytes_read + io->bytes_written;
}

static const char *files_name(const void *state, const struct source *source, size_t row,
			      struct text_store *texts)
{
	const struct io_reading *reading = state;
	const struct io_row *io = &reading->io.row[row];

	(void)texts;
	if (io->kind == IO_KIND_SOCKET) /* each has a number of its own, which says nothing */
		return "(sockets)";
	if (io->kind == IO_KIND_PIPE)
		return "(pipes)";
	if (io->key == IO_NO_FILE)
		return "(waits for several)";
	return io->key == IO_UNKNOWN_FILE ? "(not known)" : name_at(source, (uint32_t)io->key);
}

const struct watch_kind watch_kinds[WATCH_KINDS] = {
	[WATCH_LINES] = { "lines of Python",
			  { "cpu", "wait" },
			  { UNIT_NS, UNIT_NS },
			  false,
			  lines_want,
			  lines_count,
			  lines_values,
			  lines_name },
	[WATCH_FUNCTIONS] = { "functions of Python",
			      { "self", "calls" },
			      { UNIT_NS, UNIT_AMOUNT },
			      false,
			      calls_want,
			      calls_count,
			      calls_values,
			      calls_name },
	[WATCH_OPERATORS] = { "operators",
			      { "self", "calls" },
			      { UNIT_NS, UNIT_AMOUNT },
			      true,
			      watch_kind_ops_want,
			      ops_count,
			      ops_values,
			      ops_name },
	[WATCH_KERNELS] = { "GPU kernels",
			    { "time", "calls" },
			    { UNIT_NS, UNIT_AMOUNT },
			    true,
			    kernels_want,
			    kernels_count,
			    kernels_values,
			    kernels_name },
	[WATCH_FILES] = { "input and output",
			  { "time", "bytes" },
			  { UNIT_NS, UNIT_BYTES },
			  false,
			  files_want,
			  files_count,
			  files_values,
			  files_name },
};
