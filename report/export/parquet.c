/* SPDX-License-Identifier: MIT */
/*
 * `export parquet`: a trace as Parquet tables in a folder, HOST/RANK/FAMILY in Hive's form:
 * host=H/rank=R/family=F/part.parquet. A job that is too large for one machine is written rank by
 * rank into one folder, and read as a whole by DuckDB, Spark or Polars (docs/SCALE.md).
 *
 * Memory grows with names, ranks and row groups, not with events: all tables together hold at most
 * ROWS_BYTES_MAX.
 */
#include "report/export/parquet.def"
#include "report/export/exporter.h"
#include "report/export/parquet_table.h"
#include "report/export/parquet_views.h"
#include "report/export/plain_text.h"
#include "report/trace/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/base/memory.h"
#include "report/torch/collectives.h"

#define ROWS_BYTES_MAX (96u << 20)
#define NULL_PARTITION "__HIVE_DEFAULT_PARTITION__" /* the word for null of Hive and all others */
#define FOLDER_HOST_MAX 180u                        /* bytes of a host's name */
#define NUMBER_BYTES 32

enum parquet_id {
#define TABLE_ID(id, name, columns) PARQUET_##id,
	PARQUET_TABLES(TABLE_ID) PARQUET_COUNT,
};

/* Arguments of the trace have their own numbers. */
enum parquet_value {
#define VALUE_OF_ARGUMENT(id, name) VALUE_##id,
#define VALUE_OF_ROW(id) VALUE_##id,
#define VALUE_OF_CATEGORY(name) VALUE_STEP_##name,
#define VALUE_OF_PHASE(name) VALUE_STEP_PHASE_##name,
	TRACE_ARGUMENTS(VALUE_OF_ARGUMENT) PARQUET_VALUES(VALUE_OF_ROW)
		STEP_CATEGORIES(VALUE_OF_CATEGORY) STEP_PHASES(VALUE_OF_PHASE) VALUE_LIMIT,
};

#define COLUMN_OF(column, value, text, optional) \
	{ #column, sizeof(#column) - 1, text, optional, VALUE_##value },
#define NUMBER(column, value) COLUMN_OF(column, value, false, false)
#define MAY_NUMBER(column, value) COLUMN_OF(column, value, false, true)
#define TEXT(column, value) COLUMN_OF(column, value, true, false)
#define MAY_TEXT(column, value) COLUMN_OF(column, value, true, true)
#define TABLE_COLUMNS(id, name, columns) \
	static const struct parquet_column columns_##id[] = { columns };
PARQUET_TABLES(TABLE_COLUMNS)

static const struct {
	const char *name;
	const struct parquet_column *column;
	uint32_t columns;
} tables[PARQUET_COUNT] = {
#define TABLE_ROW(id, name, columns) \
	{ name, columns_##id, sizeof(columns_##id) / sizeof(columns_##id[0]) },
	PARQUET_TABLES(TABLE_ROW)
};

/* The tables of a rank on a host. */
struct parquet_rank {
	struct parquet *parquet;
	const char *host;
	char *folder;
	struct parquet_table table[PARQUET_COUNT];
	struct parquet_rank *next;
};

struct parquet {
	struct parquet_writer writer;
	uint8_t at[PARQUET_COUNT][VALUE_LIMIT]; /* column of a value, plus 1; 0: none */
	struct parquet_rank *ranks;
	struct parquet_rank **of_process; /* by index; NULL: not known */
	size_t process_room;
	const struct source *read;
	uint64_t base_real_ns;
	uint64_t gathered; /* bytes of rows */
	uint64_t files;
	struct plain_text clean;
	uint32_t *of_text; /* by number of a text, plus 1; 0: not yet */
	size_t of_text_room;

	enum parquet_id table; /* table of the current row */
	struct parquet_cell cell[PARQUET_COLUMNS_MAX];
};

/* --- rows --- */

static void flush_largest(struct parquet *parquet)
{
	struct parquet_table *largest = NULL;

	for (struct parquet_rank *rank = parquet->ranks; rank; rank = rank->next)
		for (unsigned int i = 0; i < PARQUET_COUNT; i++)
			if (!largest ||
			    parquet_table_bytes(&rank->table[i]) > parquet_table_bytes(largest))
				largest = &rank->table[i];
	if (!largest)
		return;
	parquet->gathered -= parquet_table_bytes(largest);
	parquet_table_flush(largest, &parquet->writer, true);
}

static void make_parents(struct parquet *parquet, struct parquet_rank *rank, enum parquet_id id)
{
	struct report_request *request = parquet->writer.request;
	char *path = rank->table[id].path;

	for (char *at = path + strlen(request->options->output) + 1; (at = strchr(at, '/'));) {
		*at = 0;
		if (mkdir(path, 0777) && errno != EEXIST && !parquet->writer.failed) {
			snprintf(request->message, sizeof(request->message),
				 "cannot make the folder '%.300s': %s; name another with -o", path,
				 strerror(errno));
			parquet->writer.failed = true;
		}
		*at++ = '/';
	}
}

static void name_table(struct parquet *parquet, struct parquet_rank *rank, enum parquet_id id)
{
	struct parquet_table *table = &rank->table[id];
	size_t room = strlen(rank->folder) + NUMBER_BYTES * 2;

	table->column = tables[id].column;
	table->columns = tables[id].columns;
	table->path = memory_zero(room, 1);
	snprintf(table->path, room, "%s/family=%s/part.parquet", rank->folder, tables[id].name);
	make_parents(parquet, rank, id);
	parquet->files++;
}

static void parquet_put_row(struct parquet_rank *rank, enum parquet_id id,
			    const struct parquet_cell *cell)
{
	struct parquet *parquet = rank->parquet;
	struct parquet_table *table = &rank->table[id];
	uint64_t before;

	if (!table->path)
		name_table(parquet, rank, id);
	before = parquet_table_bytes(table);
	if (parquet_table_put(table, cell)) {
		parquet_table_flush(table, &parquet->writer, false);
		parquet->gathered -= before;
		return;
	}
	parquet->gathered += parquet_table_bytes(table) - before;
	if (parquet->gathered > ROWS_BYTES_MAX)
		flush_largest(parquet);
}

/* --- a row by its values --- */

static void parquet_row_begin(struct parquet *parquet, enum parquet_id id)
{
	parquet->table = id;
	for (uint32_t i = 0; i < tables[id].columns; i++)
		parquet->cell[i] = (struct parquet_cell){ .is_null = true, .value = 0 };
}

static void row_set(struct parquet *parquet, unsigned int value, uint64_t number)
{
	unsigned int at = parquet->at[parquet->table][value];

	if (at && !tables[parquet->table].column[at - 1].is_text)
		parquet->cell[at - 1] = (struct parquet_cell){ .value = (int64_t)number };
}

static uint32_t parquet_text_put(struct parquet *parquet, struct trace_text text)
{
	struct trace_text clean;
	uint32_t number;

	if (text.number < parquet->of_text_room && parquet->of_text[text.number])
		return parquet->of_text[text.number] - 1;
	clean = plain_text_clean(&parquet->clean, text);
	number = interned_put(&parquet->writer.texts, clean.text, clean.length);
	if (text.number) {
		parquet->of_text = memory_room(parquet->of_text, text.number,
					       &parquet->of_text_room, sizeof(*parquet->of_text));
		parquet->of_text[text.number] = number + 1;
	}
	return number;
}

/* Without a text, for example for an unnamed thread, the cell stays null. */
static void row_set_text(struct parquet *parquet, unsigned int value, struct trace_text text)
{
	unsigned int at = parquet->at[parquet->table][value];

	if (at && text.text && tables[parquet->table].column[at - 1].is_text)
		parquet->cell[at - 1] = (struct parquet_cell){ .value = parquet_text_put(parquet,
											 text) };
}

static void row_set_word(struct parquet *parquet, unsigned int value, const char *word)
{
	row_set_text(parquet, value, (struct trace_text){ .text = word, .length = strlen(word) });
}

static void row_end(struct parquet_rank *rank)
{
	struct parquet *parquet = rank->parquet;
	const struct parquet_column *column = tables[parquet->table].column;

	/* the number belongs to a text that exists */
	for (uint32_t i = 0; i < tables[parquet->table].columns; i++)
		if (parquet->cell[i].is_null && column[i].is_text && !column[i].is_optional)
			parquet->cell[i].value = interned_put(&parquet->writer.texts, "", 0);
	parquet_put_row(rank, parquet->table, parquet->cell);
}

/* --- events --- */

/* What a category's rows are. PARQUET_COUNT: it has none. */
static const struct {
	enum parquet_id table;
	const char *kind;
} of_category[TRACE_CATEGORY_LIMIT] = {
	[TRACE_OPERATOR] = { PARQUET_OPERATORS, NULL },
	[TRACE_ANNOTATION] = { PARQUET_RANGES, "thread" },
	[TRACE_STEP] = { PARQUET_STEPS, NULL },
	[TRACE_MODULE] = { PARQUET_MODULES, NULL },
	[TRACE_RUNTIME] = { PARQUET_CALLS, "runtime" },
	[TRACE_DRIVER] = { PARQUET_CALLS, "driver" },
	[TRACE_IO] = { PARQUET_IO, NULL },
	[TRACE_OSRT] = { PARQUET_OSRT, NULL },
	[TRACE_KERNEL] = { PARQUET_KERNELS, NULL },
	[TRACE_COPY] = { PARQUET_COPIES, "memcpy" },
	[TRACE_SET] = { PARQUET_COPIES, "memset" },
	[TRACE_UNFINISHED] = { PARQUET_UNFINISHED, NULL },
	[TRACE_WAIT] = { PARQUET_WAITS, NULL },
	[TRACE_TENSOR] = { PARQUET_TENSORS, NULL },
	[TRACE_COUNTER] = { PARQUET_COUNTERS, NULL },
	[TRACE_GC] = { PARQUET_GC, NULL },
	[TRACE_STACK] = { PARQUET_SAMPLES, NULL },
	[TRACE_GPU_STATE] = { PARQUET_GPU_STATES, NULL },
	[TRACE_GPU_THROTTLED] = { PARQUET_GPU_STATES, NULL },
	[TRACE_PROCESS] = { PARQUET_COUNT, NULL },
	[TRACE_BACKWARD] = { PARQUET_COUNT, NULL },
	[TRACE_WORK] = { PARQUET_COUNT, NULL },
};

static void set_arguments(struct parquet *parquet, const struct trace_event *event)
{
	char size[TRACE_DIMENSIONS_BYTES];

	for (size_t i = 0; i < event->arguments; i++) {
		const struct trace_argument *argument = &event->argument[i];

		if (argument->type == TRACE_STRING)
			row_set_text(parquet, argument->id, argument->text);
		else if (argument->type == TRACE_DIMENSIONS)
			row_set_text(parquet, argument->id,
				     trace_dimensions_text(size, argument->size));
		else if (argument->id != TRACE_OF_CORRELATION ||
			 argument->number <= TRACE_CORRELATION_MAX)
			row_set(parquet, argument->id, argument->number);
	}
}

static struct trace_text parquet_name_of(const struct trace_event *event)
{
	struct trace_text name = event->name;
	size_t label = event->category == TRACE_MODULE ? strlen(TRACE_MODULE_LABEL) : 0;

	name.text += label;
	name.length -= label;
	return name;
}

static void begin_row(struct parquet *parquet, const struct trace_event *event, uint64_t pid)
{
	parquet_row_begin(parquet, of_category[event->category].table);
	row_set(parquet, VALUE_START, parquet->base_real_ns + event->time_ns);
	row_set(parquet, VALUE_PID, pid);
	row_set(parquet, VALUE_TID, event->tid);
	row_set_text(parquet, VALUE_NAME, parquet_name_of(event));
	if (of_category[event->category].kind)
		row_set_word(parquet, VALUE_KIND, of_category[event->category].kind);
	set_arguments(parquet, event);
}

static void set_step(struct parquet *parquet, const struct trace_slice *slice)
{
	const struct step_row *step = slice->step;

	row_set(parquet, VALUE_STEP, step->number);
	if (slice->steps->has_gpu && !(slice->steps->has_gpu_windows && !step->has_detail))
		row_set(parquet, VALUE_GPU_BUSY, step->gpu_ns);
	for (unsigned int i = slice->steps->has_gpu ? 0 : STEP_FIRST_OF_HOST;
	     i < STEP_CATEGORY_LIMIT; i++)
		if (steps_know(slice->steps, (enum step_category)i, step->has_detail))
			row_set(parquet, VALUE_STEP_kernel + i, step->ns[i]);
	for (unsigned int i = 0; step->has_operators && i < STEP_PHASE_LIMIT; i++)
		if (steps_know_phase(slice->steps, (enum step_phase)i))
			row_set(parquet, VALUE_STEP_PHASE_data + i, step->phases.ns[i]);
}

/*
 * A label of torch.distributed is a range, and a row of the small table that jobs of many ranks
 * are asked by.
 */
static void parquet_put_collective(struct parquet_rank *rank, const struct trace_slice *slice)
{
	const struct trace_event *event = &slice->event;
	struct parquet *parquet = rank->parquet;
	struct collective_label label;

	if (!slice->ordinal || !collective_label_of(event->name.text, event->name.length, &label))
		return;
	parquet_row_begin(parquet, PARQUET_COLLECTIVES);
	row_set(parquet, VALUE_START, parquet->base_real_ns + event->time_ns);
	row_set(parquet, VALUE_PID, event->pid);
	row_set(parquet, VALUE_TID, event->tid);
	row_set(parquet, VALUE_ORDINAL, slice->ordinal);
	if (!trace_is_open(slice))
		row_set(parquet, VALUE_DURATION, slice->duration_ns);
	if (slice->is_cut)
		row_set(parquet, VALUE_CUT, 1);
	row_set_text(parquet, VALUE_BACKEND,
		     (struct trace_text){ .text = label.backend, .length = label.backend_length });
	row_set_text(parquet, VALUE_OPERATION,
		     (struct trace_text){ .text = label.op, .length = label.op_length });
	row_end(rank);
}

static void parquet_take_slice(void *state, const struct trace_slice *slice)
{
	struct parquet_rank *rank = state;
	struct parquet *parquet = rank->parquet;
	const struct trace_event *event = &slice->event;

	if (of_category[event->category].table == PARQUET_COUNT)
		return;
	begin_row(parquet, event, slice->work ? slice->owner : event->pid);
	if (!trace_is_open(slice))
		row_set(parquet, VALUE_DURATION, slice->duration_ns);
	if (slice->is_cut)
		row_set(parquet, VALUE_CUT, 1);
	if (slice->id)
		row_set_word(parquet, VALUE_KIND, "process");
	if (slice->step)
		set_step(parquet, slice);
	row_end(rank);
	parquet_put_collective(rank, slice);
}

static void parquet_take_moment(void *state, const struct trace_event *event)
{
	struct parquet_rank *rank = state;

	begin_row(rank->parquet, event, event->pid);
	if (event->category == TRACE_ANNOTATION)
		row_set_word(rank->parquet, VALUE_KIND, "mark");
	row_end(rank);
}

static void parquet_take_counter(void *state, const struct trace_event *event, uint64_t bytes)
{
	struct parquet_rank *rank = state;

	begin_row(rank->parquet, event, event->pid);
	row_set(rank->parquet, VALUE_BYTES, bytes);
	row_end(rank);
}

/* --- processes, threads, losses --- */

static uint64_t real_ns(const struct parquet *parquet, uint64_t time_ns)
{
	return parquet->base_real_ns + time_ns;
}

static void parquet_take_process(void *state, const struct source_process *process, uint64_t pid)
{
	struct parquet_rank *rank = state;
	struct parquet *parquet = rank->parquet;
	struct trace_text command = { .number = 0 };

	parquet->of_process = memory_room(parquet->of_process, process->index,
					  &parquet->process_room, sizeof(*parquet->of_process));
	parquet->of_process[process->index] = rank;
	parquet_row_begin(parquet, PARQUET_PROCESSES);
	row_set(parquet, VALUE_START, real_ns(parquet, process->start_ns));
	row_set(parquet, VALUE_END, real_ns(parquet, process->end_ns));
	row_set(parquet, VALUE_PID, pid);
	row_set(parquet, VALUE_PARENT_PID, process->parent_pid);
	command.text = name_text(process->command, &command.length);
	row_set_text(parquet, VALUE_COMMAND, command);
	if (process->ended && process->exit_status >= 0)
		row_set(parquet, VALUE_EXIT_STATUS, (uint64_t)process->exit_status);
	row_set(parquet, VALUE_CPU, process_own_cpu_ns(parquet->read, process));
	if (process->has_usage)
		row_set(parquet, VALUE_PEAK, process->memory_peak_bytes);
	row_set(parquet, VALUE_EVENTS, process->events);
	row_set(parquet, VALUE_LOST, process->lost);
	row_end(rank);
}

static void parquet_take_thread(void *state, const struct source_thread *thread, uint64_t pid)
{
	struct parquet_rank *rank = state;
	struct parquet *parquet = rank->parquet;
	struct trace_text name = { .number = 0 };

	parquet_row_begin(parquet, PARQUET_THREADS);
	row_set(parquet, VALUE_START, real_ns(parquet, thread->start_ns));
	row_set(parquet, VALUE_END, real_ns(parquet, thread->end_ns));
	row_set(parquet, VALUE_PID, pid);
	row_set(parquet, VALUE_TID, thread->tid);
	thread_name(thread, &name.text, &name.length);
	row_set_text(parquet, VALUE_NAME, name);
	row_set(parquet, VALUE_EVENTS, thread->events);
	row_end(rank);
}

/*
 * What belongs to no known process is in the first rank's tables. NULL: --rank or another filter
 * leaves the process out.
 */
static struct parquet_rank *parquet_rank_of(const struct parquet *parquet,
					    const struct source_process *process)
{
	if (!process)
		return parquet->ranks;
	return process->index < parquet->process_room ? parquet->of_process[process->index] : NULL;
}

static struct parquet_rank *rank_of_file(const struct parquet *parquet, struct source *source,
					 const struct source_file *file)
{
	struct source_process *const *process;
	size_t count = source_processes(source, &process);

	for (size_t i = 0; i < count; i++)
		if (process[i]->file == file)
			return parquet_rank_of(parquet, process[i]);
	return parquet->ranks;
}

static uint64_t parquet_put_losses(struct parquet_rank *rank, struct source *source)
{
	struct parquet *parquet = rank->parquet;
	const struct source_loss *loss;
	size_t count = source_losses(source, &loss);
	uint64_t lost = 0;

	for (size_t i = 0; i < count; i++) {
		const char *reason = source_loss_text(&loss[i]);

		if (parquet_rank_of(parquet, loss[i].process) != rank)
			continue;
		parquet_row_begin(parquet, PARQUET_LOSSES);
		if (loss[i].process)
			row_set(parquet, VALUE_PID, loss[i].process->pid);
		row_set(parquet, VALUE_COUNT, loss[i].count);
		row_set_word(parquet, VALUE_REASON, reason);
		row_set(parquet, VALUE_START, real_ns(parquet, loss[i].from_ns));
		row_set(parquet, VALUE_END, real_ns(parquet, loss[i].to_ns));
		row_end(rank);
		lost += loss[i].count;
	}
	return lost;
}

static uint64_t parquet_put_faults(struct parquet_rank *rank, struct source *source)
{
	struct parquet *parquet = rank->parquet;
	const struct source_fault *fault;
	size_t count = source_faults(source, &fault), found = 0;

	for (size_t i = 0; i < count; i++) {
		if (rank_of_file(parquet, source, fault[i].file) != rank)
			continue;
		parquet_row_begin(parquet, PARQUET_FAULTS);
		row_set_word(parquet, VALUE_RECORDING, fault[i].file ? fault[i].file->path : "");
		row_set(parquet, VALUE_OFFSET, fault[i].offset);
		row_set_word(parquet, VALUE_FAULT, fault[i].text);
		row_end(rank);
		found++;
	}
	return found;
}

/* --- clocks of several hosts --- */

static void parquet_put_clock(struct parquet_rank *rank, const struct source *source, size_t at,
			      const struct clock_piece *piece)
{
	struct parquet *parquet = rank->parquet;

	parquet_row_begin(parquet, PARQUET_CLOCK_OFFSETS);
	row_set(parquet, VALUE_START,
		real_ns(parquet, piece ? source_corrected_ns(source, at, piece->from_ns) : 0));
	row_set(parquet, VALUE_END,
		real_ns(parquet, piece ? source_corrected_ns(source, at, piece->to_ns)
				       : source_end_ns(source)));
	row_set_word(parquet, VALUE_BASIS,
		     piece ? "collectives"
		     : at  ? "real-time clock"
			   : "reference");
	if (!at)
		row_set(parquet, VALUE_UNCERTAINTY, 0);
	row_set(parquet, VALUE_BOUNDS, piece ? piece->bounds : 0);
	if (piece) {
		row_set(parquet, VALUE_CLOCK_OFFSET, (uint64_t)piece->add_ns);
		row_set(parquet, VALUE_UNCERTAINTY, (uint64_t)piece->doubt_ns + 1);
		row_set(parquet, VALUE_DRIFT, (uint64_t)(int64_t)piece->drift);
	}
	if (piece && piece->drift_is_known)
		row_set(parquet, VALUE_DRIFT_UNCERTAINTY, (uint64_t)piece->drift_doubt + 1);
	row_end(rank);
}

/* Of a source with several clocks, the one of the rank's host; as report clocks has it. */
static void parquet_put_clocks(struct parquet_rank *rank, const struct source *source)
{
	const struct parquet *parquet = rank->parquet;
	struct source_process *const *process;
	size_t count = source_processes(source, &process), i = 0;
	const struct source_clock *clock;

	while (i < count && parquet_rank_of(parquet, process[i]) != rank)
		i++;
	if (i == count || source_clocks(source) < 2)
		return;
	clock = source_clock(source, process[i]->file->clock);
	for (size_t k = 0; k < clock->pieces; k++)
		parquet_put_clock(rank, source, process[i]->file->clock, &clock->piece[k]);
	if (!clock->pieces)
		parquet_put_clock(rank, source, process[i]->file->clock, NULL);
}

/* --- folders --- */

/* Hive's form of names in paths: %XX except for letters, digits and a few others. */
static void put_host(char *at, const char *host)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

	if (!*host)
		strcpy(at, NULL_PARTITION);
	for (size_t i = 0; i < FOLDER_HOST_MAX / 3 && host[i]; i++) {
		if (strchr(plain, host[i]))
			*at++ = host[i];
		else
			at += snprintf(at, 4, "%%%02X", (unsigned char)host[i]);
		*at = 0;
	}
}

static char *name_folder(const struct trace_file *file, const char *output)
{
	size_t room = strlen(output) + FOLDER_HOST_MAX + 128;
	char *path = memory_zero(room, 1), host[FOLDER_HOST_MAX + 8], rank[NUMBER_BYTES];

	put_host(host, file->host);
	snprintf(rank, sizeof(rank), "%lld", (long long)file->rank);
	snprintf(path, room, "%s/host=%s/rank=%s", output, host,
		 file->rank == UINT64_MAX ? NULL_PARTITION : rank);
	return path;
}

/* Two exports in one place would be read as one. */
static int refuse_older(struct report_request *request, const char *folder)
{
	if (access(folder, F_OK))
		return 0;
	snprintf(request->message, sizeof(request->message),
		 "'%.300s' is there already, of an export before; remove it or name another folder "
		 "with -o",
		 folder);
	return -1;
}

static int parquet_take_open(struct trace_file *file, struct report_request *request,
			     const struct trace_head *head)
{
	struct parquet *parquet = file->state;
	struct parquet_rank **last = &parquet->ranks, *rank;
	char *folder = name_folder(file, request->options->output);

	if (parquet->writer.failed || refuse_older(request, folder)) {
		free(folder);
		return -1;
	}
	parquet->base_real_ns = head->base_real_ns;
	parquet->read = request->source;
	rank = memory_zero(1, sizeof(*rank));
	*rank = (struct parquet_rank){ .parquet = parquet, .host = file->host, .folder = folder };
	while (*last)
		last = &(*last)->next;
	*last = rank;
	file->state = rank;
	return 0;
}

static int parquet_take_close(struct trace_file *file, struct report_request *request)
{
	struct parquet_rank *rank = file->state;
	struct parquet *parquet = rank->parquet;
	char lost[NUMBER_BYTES], faults[NUMBER_BYTES], start[NUMBER_BYTES];
	const struct parquet_note notes[] = {
		{ "intercept.lost", lost },
		{ "intercept.faults", faults },
		{ "intercept.session_start_ns", start },
		{ "intercept.host", rank->host },
	};

	snprintf(lost, sizeof(lost), "%llu",
		 (unsigned long long)parquet_put_losses(rank, request->source));
	snprintf(faults, sizeof(faults), "%llu",
		 (unsigned long long)parquet_put_faults(rank, request->source));
	snprintf(start, sizeof(start), "%llu", (unsigned long long)parquet->base_real_ns);
	parquet_put_clocks(rank, request->source);
	for (unsigned int i = 0; i < PARQUET_COUNT; i++) {
		parquet->gathered -= parquet_table_bytes(&rank->table[i]);
		parquet_table_close(&rank->table[i], &parquet->writer, notes,
				    sizeof(notes) / sizeof(notes[0]));
	}
	return parquet->writer.failed ? -1 : 0;
}

static const struct trace_writer writer = {
	.takes_samples = true,
	.takes_all_steps = true,
	.splits_hosts = true,
	.open = parquet_take_open,
	.close = parquet_take_close,
	.slice = parquet_take_slice,
	.moment = parquet_take_moment,
	.counter = parquet_take_counter,
	.gpu_state = parquet_take_slice,
	.process = parquet_take_process,
	.thread = parquet_take_thread,
};

static void parquet_free(struct parquet *parquet)
{
	while (parquet->ranks) {
		struct parquet_rank *rank = parquet->ranks;

		parquet->ranks = rank->next;
		free(rank->folder);
		free(rank);
	}
	parquet_writer_release(&parquet->writer);
	free(parquet->of_text);
	plain_text_release(&parquet->clean);
	free(parquet->of_process);
	free(parquet);
}

static int parquet_put_views(struct report_request *request)
{
	const char *name[PARQUET_COUNT];

	for (unsigned int i = 0; i < PARQUET_COUNT; i++)
		name[i] = tables[i].name;
	return parquet_views_write(request, name, PARQUET_COUNT);
}

int export_parquet(struct report_request *request)
{
	struct parquet *parquet;
	int status;

	if (!request->options->output) {
		snprintf(request->message, sizeof(request->message),
			 "export parquet needs a folder: add -o FOLDER");
		return STATUS_USAGE;
	}
	if (mkdir(request->options->output, 0777) && errno != EEXIST) {
		snprintf(request->message, sizeof(request->message),
			 "cannot make the folder '%.300s': %s; name another with -o",
			 request->options->output, strerror(errno));
		return STATUS_INPUT;
	}
	parquet = memory_zero(1, sizeof(*parquet));
	parquet->writer.request = request;
	map_init(&parquet->writer.dictionary);
	for (unsigned int i = 0; i < PARQUET_COUNT; i++)
		for (uint32_t k = 0; k < tables[i].columns; k++)
			parquet->at[i][tables[i].column[k].value] = (uint8_t)(k + 1);
	status = trace_write(&(struct trace_options){ .whole_kernel_names = true,
						      .request = request,
						      .writer = &writer,
						      .state = parquet,
						      .by_rank = true });
	if (!status && parquet_put_views(request))
		status = STATUS_INPUT;
	if (!status)
		export_say_written(request->options->output, parquet->files, "file",
				   parquet->writer.bytes);
	parquet_free(parquet);
	return status;
}
