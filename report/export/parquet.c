/* SPDX-License-Identifier: MIT */
/*
 * `export parquet`: the events of `export chrome` as tables of Parquet in a folder, HOST/RANK/FAMILY as Hive names them:
 * host=H/rank=R/family=F/part.parquet. What one machine cannot hold is written rank by rank, into one folder, and read
 * whole by DuckDB, Spark or Polars (docs/SCALE.md).
 *
 * Memory grows with names, ranks and row groups, not with events: tables together gather at most ROWS_BYTES_MAX.
 */
#include "report/export/parquet.def"
#include "report/export/chrome.h"
#include "report/export/exporter.h"
#include "report/export/parquet_table.h"
#include "report/export/plain_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/base/memory.h"

#define ROWS_BYTES_MAX (96u << 20)
#define NULL_PARTITION "__HIVE_DEFAULT_PARTITION__" /* Hive's, and all others', word for none */
#define FOLDER_HOST_MAX 180u                        /* bytes of a host's name */
#define MODULE_LABEL "nn.Module: "
#define CORRELATION_MAX UINT32_MAX
#define NUMBER_BYTES 32

enum parquet_id {
#define TABLE_ID(id, name, columns) PARQUET_##id,
	PARQUET_TABLES(TABLE_ID) PARQUET_COUNT,
};

static const struct {
	const char *name, *columns;
} tables[PARQUET_COUNT] = {
#define TABLE_ROW(id, name, columns) { name, columns },
	PARQUET_TABLES(TABLE_ROW)
};

/* How a table's columns are filled. */
struct layout {
	struct parquet_column column[PARQUET_COLUMNS_MAX];
	struct trace_text source[PARQUET_COLUMNS_MAX]; /* names of arguments; length 0: none */
	uint32_t columns;
};

/* The tables of a rank on a host. */
struct parquet_rank {
	struct parquet *parquet;
	struct trace_file *trace;
	char *folder;
	struct parquet_table table[PARQUET_COUNT];
	struct parquet_rank *next;
};

struct parquet {
	struct parquet_writer writer;
	struct layout layout[PARQUET_COUNT];
	struct parquet_rank *ranks;
	struct parquet_rank **of_process; /* by index; NULL: not known */
	size_t process_room;
	const struct source *read;
	uint64_t base_real_ns;
	uint64_t gathered; /* bytes of rows */
	uint64_t files;
	struct plain_text plain, clean;

	struct trace_event event; /* under way */
	enum parquet_id table;    /* PARQUET_COUNT: it has none */
	struct parquet_cell cell[PARQUET_COLUMNS_MAX];
	struct trace_event opened; /* a range of a process whose end comes next; phase 0: none */
};

/* --- layouts --- */

static void layout_read(struct layout *layout, const char *text)
{
	while (*text) {
		struct parquet_column *column = &layout->column[layout->columns];
		struct trace_text *source = &layout->source[layout->columns++];
		size_t length = strcspn(text, "?$= ");

		*column = (struct parquet_column){ .name = text, .name_length = length };
		for (text += length; *text == '?' || *text == '$'; text++) {
			column->is_optional |= *text == '?';
			column->is_text |= *text == '$';
		}
		if (*text == '=') {
			source->text = ++text;
			source->length = strcspn(text, "|");
			text += source->length;
		}
		text++;
	}
}

static bool is_named(const struct parquet_column *column, const char *name)
{
	return column->name_length == strlen(name) &&
	       !memcmp(column->name, name, column->name_length);
}

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

	table->column = parquet->layout[id].column;
	table->columns = parquet->layout[id].columns;
	table->path = memory_zero(room, 1);
	snprintf(table->path, room, "%s/family=%s/part.parquet", rank->folder, tables[id].name);
	make_parents(parquet, rank, id);
	parquet->files++;
}

static void put_row(struct parquet_rank *rank, enum parquet_id id, const struct parquet_cell *cell)
{
	struct parquet *parquet = rank->parquet;
	struct parquet_table *table = &rank->table[id];
	uint64_t before;

	if (!table->path)
		name_table(parquet, rank, id);
	before = parquet_table_bytes(table);
	rank->trace->events++;
	if (parquet_table_put(table, cell)) {
		parquet_table_flush(table, &parquet->writer, false);
		parquet->gathered -= before;
		return;
	}
	parquet->gathered += parquet_table_bytes(table) - before;
	if (parquet->gathered > ROWS_BYTES_MAX)
		flush_largest(parquet);
}

/* --- a row by the names of its columns --- */

static void row_begin(struct parquet *parquet, enum parquet_id id)
{
	parquet->table = id;
	for (uint32_t i = 0; i < parquet->layout[id].columns; i++)
		parquet->cell[i] = (struct parquet_cell){
			.is_null = true,
			.value = 0,
		};
}

static void row_set(struct parquet *parquet, const char *column, uint64_t value)
{
	const struct layout *layout = &parquet->layout[parquet->table];

	for (uint32_t i = 0; i < layout->columns; i++)
		if (is_named(&layout->column[i], column))
			parquet->cell[i] = (struct parquet_cell){ .value = (int64_t)value };
}

/* Without a text, as of a thread that has no name, the cell stays null. */
static void row_set_text(struct parquet *parquet, const char *column, struct trace_text text)
{
	struct trace_text clean;

	if (!text.text)
		return;
	clean = plain_text_clean(&parquet->clean, text);
	row_set(parquet, column,
		parquet_texts_put(&parquet->writer.texts, clean.text, clean.length));
}

static void row_set_word(struct parquet *parquet, const char *column, const char *word)
{
	row_set_text(parquet, column, (struct trace_text){ word, strlen(word) });
}

static void row_end(struct parquet_rank *rank)
{
	struct parquet *parquet = rank->parquet;
	const struct layout *layout = &parquet->layout[parquet->table];

	/* a text is a number of one that is there */
	for (uint32_t i = 0; i < layout->columns; i++)
		if (parquet->cell[i].is_null && layout->column[i].is_text &&
		    !layout->column[i].is_optional)
			parquet->cell[i].value = parquet_texts_put(&parquet->writer.texts, "", 0);
	put_row(rank, parquet->table, parquet->cell);
}

/* --- events --- */

static enum parquet_id table_of(const struct trace_event *event)
{
	static const struct {
		const char *category;
		enum parquet_id table;
	} known[] = {
		{ "cpu_op", PARQUET_OPERATORS },
		{ "cuda_runtime", PARQUET_CALLS },
		{ "cpu_instant_event", PARQUET_TENSORS },
		{ "user_annotation", PARQUET_RANGES },
		{ "io", PARQUET_IO },
		{ "kernel", PARQUET_KERNELS },
		{ "gpu_memcpy", PARQUET_COPIES },
		{ "gpu_memset", PARQUET_COPIES },
		{ "cuda_driver", PARQUET_CALLS },
		{ "python_function", PARQUET_MODULES },
		{ "cuda_sync", PARQUET_WAITS },
		{ "memory", PARQUET_COUNTERS },
	};

	if (event->is_counted)
		return PARQUET_STEPS;
	if (!strcmp(event->category, CHROME_UNFINISHED))
		return event->phase == 'b' ? PARQUET_UNFINISHED : PARQUET_COUNT;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].category, event->category))
			return known[i].table;
	return PARQUET_COUNT; /* ends of arrows */
}

static const char *kind_of(const struct trace_event *event)
{
	if (!strcmp(event->category, "user_annotation"))
		return event->phase == 'i' ? "mark" : event->phase == 'b' ? "process" : "thread";
	if (!strcmp(event->category, "cuda_driver"))
		return "driver";
	if (!strcmp(event->category, "cuda_runtime"))
		return "runtime";
	return !strcmp(event->category, "gpu_memset") ? "memset" : "memcpy";
}

static struct trace_text name_of(struct parquet *parquet, const struct trace_event *event)
{
	struct trace_text name = plain_text_of_json(&parquet->plain, event->name);
	size_t label = strlen(MODULE_LABEL);

	if (parquet->table != PARQUET_MODULES || name.length < label ||
	    memcmp(name.text, MODULE_LABEL, label) != 0)
		return name;
	return (struct trace_text){ name.text + label, name.length - label };
}

static void begin_row(struct parquet *parquet, const struct trace_event *event)
{
	row_begin(parquet, parquet->table);
	row_set(parquet, "start_ns", parquet->base_real_ns + event->time_ns);
	if (event->phase == 'X' || parquet->table == PARQUET_UNFINISHED)
		row_set(parquet, "duration_ns", event->duration_ns);
	if (event->is_cut)
		row_set(parquet, "end_not_recorded", 1);
	row_set(parquet, "pid", event->owner ? event->owner : event->pid);
	row_set(parquet, "tid", event->tid);
	if (event->is_counted) {
		row_set(parquet, "step", event->id);
		return;
	}
	if (parquet->table != PARQUET_TENSORS)
		row_set_text(parquet, "name", name_of(parquet, event));
	if (parquet->table == PARQUET_RANGES || parquet->table == PARQUET_CALLS ||
	    parquet->table == PARQUET_COPIES)
		row_set_word(parquet, "kind", kind_of(event));
}

static void put_opened(struct parquet_rank *rank, uint64_t end_ns)
{
	struct parquet *parquet = rank->parquet;
	struct trace_event *opened = &parquet->opened;

	if (!opened->phase)
		return;
	parquet->table = PARQUET_RANGES;
	begin_row(parquet, opened);
	if (end_ns)
		row_set(parquet, "duration_ns", end_ns - opened->time_ns);
	opened->phase = 0;
	row_end(rank);
}

static void take_begin(struct trace_file *trace, const struct trace_event *event)
{
	struct parquet_rank *rank = trace->writer_state;
	struct parquet *parquet = rank->parquet;

	trace->events--; /* put_row() counts */
	parquet->event = *event;
	if (event->phase == 'e' && parquet->opened.phase && parquet->opened.id == event->id) {
		trace->events++; /* who puts both ends counts one */
		put_opened(rank, event->time_ns);
		parquet->table = PARQUET_COUNT;
		return;
	}
	put_opened(rank, 0);
	parquet->table = table_of(event);
	if (event->phase == 'b' && parquet->table != PARQUET_UNFINISHED)
		parquet->table = PARQUET_COUNT;
	if (event->phase == 'b' && parquet->table == PARQUET_COUNT)
		parquet->opened = *event;
	else if (parquet->table != PARQUET_COUNT)
		begin_row(parquet, event);
}

/* The column that has an argument of that name; -1: none has. */
static int column_of(const struct parquet *parquet, const char *name)
{
	const struct layout *layout = &parquet->layout[parquet->table];

	for (uint32_t i = 0; i < layout->columns; i++)
		if (layout->source[i].length && *layout->source[i].text == *name &&
		    !strncmp(name, layout->source[i].text, layout->source[i].length) &&
		    !name[layout->source[i].length])
			return (int)i;
	return -1;
}

static void take_number(struct trace_file *trace, const char *name, uint64_t value)
{
	struct parquet *parquet = ((struct parquet_rank *)trace->writer_state)->parquet;
	int at = parquet->table == PARQUET_COUNT ? -1 : column_of(parquet, name);

	if (at < 0 || parquet->layout[parquet->table].column[at].is_text)
		return;
	if (parquet->table == PARQUET_CALLS && value > CORRELATION_MAX &&
	    !strcmp(name, "correlation"))
		return; /* one that CUPTI did not number */
	parquet->cell[at] = (struct parquet_cell){ .value = (int64_t)value };
}

static void take_text(struct trace_file *trace, const char *name, struct trace_text value)
{
	struct parquet *parquet = ((struct parquet_rank *)trace->writer_state)->parquet;
	int at = parquet->table == PARQUET_COUNT ? -1 : column_of(parquet, name);
	struct trace_text clean;

	if (at < 0 || !parquet->layout[parquet->table].column[at].is_text)
		return;
	clean = plain_text_clean(&parquet->clean, value);
	parquet->cell[at] = (struct parquet_cell){
		.value = parquet_texts_put(&parquet->writer.texts, clean.text, clean.length)
	};
}

static void take_end(struct trace_file *trace)
{
	struct parquet_rank *rank = trace->writer_state;

	if (rank->parquet->table != PARQUET_COUNT)
		row_end(rank);
}

/* --- processes, threads, what was lost --- */

static uint64_t real_ns(const struct parquet *parquet, uint64_t time_ns)
{
	return parquet->base_real_ns + time_ns;
}

static void put_process(struct parquet_rank *rank, const struct source_process *process,
			uint64_t pid)
{
	struct parquet *parquet = rank->parquet;
	struct trace_text command;

	row_begin(parquet, PARQUET_PROCESSES);
	row_set(parquet, "start_ns", real_ns(parquet, process->start_ns));
	row_set(parquet, "end_ns", real_ns(parquet, process->end_ns));
	row_set(parquet, "pid", pid);
	row_set(parquet, "parent_pid", process->parent_pid);
	command.text = name_text(process->command, &command.length);
	row_set_text(parquet, "command", command);
	if (process->ended && process->exit_status >= 0)
		row_set(parquet, "exit_status", (uint64_t)process->exit_status);
	row_set(parquet, "cpu_ns", process_own_cpu_ns(parquet->read, process));
	if (process->has_usage)
		row_set(parquet, "memory_peak_bytes", process->memory_peak_bytes);
	row_set(parquet, "events", process->events);
	row_set(parquet, "lost", process->lost);
	row_end(rank);
}

static void put_thread(struct parquet_rank *rank, const struct source_thread *thread, uint64_t pid)
{
	struct parquet *parquet = rank->parquet;
	struct trace_text name;

	row_begin(parquet, PARQUET_THREADS);
	row_set(parquet, "start_ns", real_ns(parquet, thread->start_ns));
	row_set(parquet, "end_ns", real_ns(parquet, thread->end_ns));
	row_set(parquet, "pid", pid);
	row_set(parquet, "tid", thread->tid);
	thread_name(thread, &name.text, &name.length);
	row_set_text(parquet, "name", name);
	row_set(parquet, "events", thread->events);
	row_end(rank);
}

static void take_process(struct trace_file *trace, const struct source_process *process,
			 uint64_t pid)
{
	struct parquet_rank *rank = trace->writer_state;
	struct parquet *parquet = rank->parquet;

	parquet->of_process = memory_room(parquet->of_process, process->index,
					  &parquet->process_room, sizeof(*parquet->of_process));
	parquet->of_process[process->index] = rank;
	put_process(rank, process, pid);
	for (const struct source_thread *thread = process->first_thread; thread;
	     thread = thread->next)
		put_thread(rank, thread, pid);
}

/* What is of no process that is known is in the first rank's; NULL: --rank or another filter leaves the process out. */
static struct parquet_rank *rank_of(const struct parquet *parquet,
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
			return rank_of(parquet, process[i]);
	return parquet->ranks;
}

static uint64_t put_losses(struct parquet_rank *rank, struct source *source)
{
	struct parquet *parquet = rank->parquet;
	const struct source_loss *loss;
	size_t count = source_losses(source, &loss);
	uint64_t lost = 0;

	for (size_t i = 0; i < count; i++) {
		const char *reason = source_loss_text(&loss[i]);

		if (rank_of(parquet, loss[i].process) != rank)
			continue;
		row_begin(parquet, PARQUET_LOSSES);
		if (loss[i].process)
			row_set(parquet, "pid", loss[i].process->pid);
		row_set(parquet, "count", loss[i].count);
		row_set_word(parquet, "reason", reason);
		row_set(parquet, "start_ns", real_ns(parquet, loss[i].from_ns));
		row_set(parquet, "end_ns", real_ns(parquet, loss[i].to_ns));
		row_end(rank);
		lost += loss[i].count;
	}
	return lost;
}

static uint64_t put_faults(struct parquet_rank *rank, struct source *source)
{
	struct parquet *parquet = rank->parquet;
	const struct source_fault *fault;
	size_t count = source_faults(source, &fault), found = 0;

	for (size_t i = 0; i < count; i++) {
		if (rank_of_file(parquet, source, fault[i].file) != rank)
			continue;
		row_begin(parquet, PARQUET_FAULTS);
		row_set_word(parquet, "file", fault[i].file ? fault[i].file->path : "");
		row_set(parquet, "offset", fault[i].offset);
		row_set_word(parquet, "fault", fault[i].text);
		row_end(rank);
		found++;
	}
	return found;
}

/* --- folders --- */

/* As Hive has names in paths: %XX but for letters, digits and a few. */
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

static char *name_folder(const struct trace_file *trace, const char *output)
{
	size_t room = strlen(output) + FOLDER_HOST_MAX + 128;
	char *path = memory_zero(room, 1), host[FOLDER_HOST_MAX + 8], rank[NUMBER_BYTES];

	put_host(host, trace->host);
	snprintf(rank, sizeof(rank), "%lld", (long long)trace->rank);
	snprintf(path, room, "%s/host=%s/rank=%s", output, host,
		 trace->rank == UINT64_MAX ? NULL_PARTITION : rank);
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

static int take_open(struct trace_file *trace, struct report_request *request,
		     const struct trace_head *head)
{
	struct parquet *parquet = trace->writer_state;
	struct parquet_rank **last = &parquet->ranks, *rank;
	char *folder = name_folder(trace, request->options->output);

	if (parquet->writer.failed || refuse_older(request, folder)) {
		free(folder);
		return -1;
	}
	parquet->base_real_ns = head->base_real_ns;
	parquet->read = request->source;
	rank = memory_zero(1, sizeof(*rank));
	*rank = (struct parquet_rank){ .parquet = parquet, .trace = trace, .folder = folder };
	while (*last)
		last = &(*last)->next;
	*last = rank;
	trace->writer_state = rank;
	return 0;
}

static int take_close(struct trace_file *trace, struct report_request *request)
{
	struct parquet_rank *rank = trace->writer_state;
	struct parquet *parquet = rank->parquet;
	char lost[NUMBER_BYTES], faults[NUMBER_BYTES], start[NUMBER_BYTES];
	const struct parquet_note notes[] = {
		{ "intercept.lost", lost },
		{ "intercept.faults", faults },
		{ "intercept.session_start_ns", start },
		{ "intercept.host", trace->host },
	};

	put_opened(rank, 0);
	snprintf(lost, sizeof(lost), "%llu", (unsigned long long)put_losses(rank, request->source));
	snprintf(faults, sizeof(faults), "%llu",
		 (unsigned long long)put_faults(rank, request->source));
	snprintf(start, sizeof(start), "%llu", (unsigned long long)parquet->base_real_ns);
	for (unsigned int i = 0; i < PARQUET_COUNT; i++) {
		parquet->gathered -= parquet_table_bytes(&rank->table[i]);
		parquet_table_close(&rank->table[i], &parquet->writer, notes,
				    sizeof(notes) / sizeof(notes[0]));
	}
	return parquet->writer.failed ? -1 : 0;
}

static const struct trace_writer writer = {
	.names_devices = true,
	.splits = true,
	.open = take_open,
	.close = take_close,
	.begin = take_begin,
	.number = take_number,
	.text = take_text,
	.end = take_end,
	.process = take_process,
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
	plain_text_release(&parquet->plain);
	plain_text_release(&parquet->clean);
	free(parquet->of_process);
	free(parquet);
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
		layout_read(&parquet->layout[i], tables[i].columns);
	status = chrome_export(request, &writer, parquet);
	if (!status)
		export_say_written(request->options->output, parquet->files, "file",
				   parquet->writer.bytes);
	parquet_free(parquet);
	return status;
}
