/* SPDX-License-Identifier: MIT */
/*
 * `export sqlite`: a trace as rows of a database, in nsys' tables where these exist. Names are rows
 * of StringIds, and are bound as values: none is ever part of a statement.
 *
 * The only user of sqlite3. One transaction without a journal: if the file could not be finished,
 * the exit status says so.
 */
#include "report/export/exporter.h"
#include "report/export/plain_text.h"
#include "report/export/sqlite.def"
#include "report/trace/trace.h"
#include "report/gpu/gpu_work.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include "report/base/interned.h"
#include "report/base/memory.h"
#include "report/base/symbol.h"
#include "report/gpu/gpu.h"

/* nsys' numbers for kinds of NVTX events. */
#define NVTX_MARK 34
#define NVTX_PUSH_POP 59
#define NVTX_START_END 60
#define GLOBAL_SHIFT 24 /* shift of a pid, above the thread: nsys' globalTid */
#define CLASS_DRIVER 0
#define CLASS_RUNTIME 1
#define VALUES_MAX 20

enum sql_table {
#define TABLE_ID(id, name, columns) SQL_##id,
	SQLITE_TABLES(TABLE_ID) SQL_TABLES,
};

static const struct {
	const char *name, *columns;
} tables[SQL_TABLES] = {
#define TABLE_ROW(id, name, columns) { name, columns },
	SQLITE_TABLES(TABLE_ROW)
};

/* Ids of a kernel's name; 0: not requested yet. */
struct sql_kernel {
	uint64_t mangled, full, compact;
};

struct sql {
	sqlite3 *db;
	sqlite3_stmt *insert[SQL_TABLES];
	int failed;            /* sqlite3's first error */
	struct interned names; /* an id is a number + 1 */
	uint64_t *of_text;     /* by number of a text, 0: not yet */
	size_t of_text_room;
	struct sql_kernel *kernel; /* by index of a name */
	size_t kernel_room;
	struct sql_kernel nameless; /* for a kernel whose name's text has not arrived */
	struct plain_text plain;    /* a name that is looked up */
	struct plain_text readable; /* a text that is bound */
	char *opened_path;          /* in sqlite's form of a file name */
	struct source *source;
	const char *path;
	uint64_t events;
};

/* A value to bind. */
struct sql_value {
	enum { SQL_NULL, SQL_INTEGER, SQL_TEXT } kind;
	int64_t integer;
	const char *text;
	size_t length;
};

#define INTEGER(number) ((struct sql_value){ .kind = SQL_INTEGER, .integer = (int64_t)(number) })
#define TEXT(words) \
	((struct sql_value){ .kind = SQL_TEXT, .text = (words), .length = strlen(words) })
#define NONE ((struct sql_value){ .kind = SQL_NULL })

static void sql_fail(struct sql *sql, int result)
{
	if (!sql->failed && result != SQLITE_OK && result != SQLITE_DONE)
		sql->failed = result;
}

static void bind_text(struct sql *sql, sqlite3_stmt *insert, int at, const struct sql_value *value)
{
	/* Python does not read a row that contains invalid UTF-8 */
	struct trace_text text = plain_text_clean(
		&sql->readable,
		(struct trace_text){ .text = value->text, .length = value->length });

	sql_fail(sql, sqlite3_bind_text64(insert, at, text.text, text.length, SQLITE_TRANSIENT,
					  SQLITE_UTF8));
}

static void sql_put(struct sql *sql, enum sql_table table, const struct sql_value *value, int count)
{
	sqlite3_stmt *insert = sql->insert[table];

	if (sql->failed || !insert)
		return;
	for (int i = 0; i < count; i++) {
		if (value[i].kind == SQL_INTEGER)
			sql_fail(sql, sqlite3_bind_int64(insert, i + 1, value[i].integer));
		else if (value[i].kind == SQL_TEXT)
			bind_text(sql, insert, i + 1, &value[i]);
		else
			sql_fail(sql, sqlite3_bind_null(insert, i + 1));
	}
	sql_fail(sql, sqlite3_step(insert));
	sql_fail(sql, sqlite3_reset(insert));
}

#define SQL_PUT(sql, table, ...)                                                  \
	do {                                                                      \
		const struct sql_value row_[] = { __VA_ARGS__ };                  \
		sql_put(sql, table, row_, (int)(sizeof(row_) / sizeof(row_[0]))); \
	} while (0)

/* --- names --- */

static uint64_t sqlite_id_of(struct sql *sql, const char *text, size_t length)
{
	size_t before = sql->names.count;
	uint32_t number = interned_put(&sql->names, text, length);

	if (sql->names.count > before)
		SQL_PUT(sql, SQL_STRINGS, INTEGER(sql->names.count),
			{ .kind = SQL_TEXT, .text = text, .length = length });
	return number + 1u;
}

static uint64_t id_of_name(struct sql *sql, const struct trace_text *name)
{
	struct trace_text plain;

	if (name->number) {
		sql->of_text = memory_room(sql->of_text, name->number, &sql->of_text_room,
					   sizeof(*sql->of_text));
		if (sql->of_text[name->number])
			return sql->of_text[name->number];
	}
	plain = plain_text_clean(&sql->plain, *name);
	if (!name->number)
		return sqlite_id_of(sql, plain.text, plain.length);
	return sql->of_text[name->number] = sqlite_id_of(sql, plain.text, plain.length);
}

/* --- the file --- */

static void run_statement(struct sql *sql, const char *statement)
{
	if (!sql->failed)
		sql_fail(sql, sqlite3_exec(sql->db, statement, NULL, NULL, NULL));
}

static void make_tables(struct sql *sql)
{
	for (int i = 0; i < SQL_TABLES && !sql->failed; i++) {
		char *statement = sqlite3_mprintf("CREATE TABLE %s (%s)", tables[i].name,
						  tables[i].columns);
		char marks[VALUES_MAX * 2 + 1] = "?";
		unsigned int count = 1;

		run_statement(sql, statement);
		sqlite3_free(statement);
		for (const char *at = tables[i].columns; *at && count < VALUES_MAX; at++)
			count += *at == ',';
		for (unsigned int k = 1; k < count; k++)
			memcpy(marks + 2 * k - 1, ",?", 3);
		statement = sqlite3_mprintf("INSERT INTO %s VALUES (%s)", tables[i].name, marks);
		sql_fail(sql, sqlite3_prepare_v2(sql->db, statement, -1, &sql->insert[i], NULL));
		sqlite3_free(statement);
	}
}

static int say_failure(const struct sql *sql, struct report_request *request)
{
	snprintf(request->message, sizeof(request->message),
		 "cannot write '%.300s': %s; it is incomplete", sql->path,
		 sqlite3_errstr(sql->failed));
	return -1;
}

static void sql_free(struct sql *sql)
{
	for (int i = 0; i < SQL_TABLES; i++)
		sqlite3_finalize(sql->insert[i]);
	sqlite3_close(sql->db);
	interned_release(&sql->names);
	free(sql->of_text);
	free(sql->kernel);
	plain_text_release(&sql->plain);
	plain_text_release(&sql->readable);
	free(sql->opened_path);
	free(sql);
}

static void put_session(struct sql *sql, const struct trace_head *head)
{
	if (head->base_real_ns)
		SQL_PUT(sql, SQL_START, INTEGER(head->base_real_ns));
	SQL_PUT(sql, SQL_SYSTEM, NONE, NONE, TEXT("Hostname"), NONE, TEXT(head->host));
	SQL_PUT(sql, SQL_SYSTEM, NONE, NONE, TEXT("Profiler"), NONE, TEXT("intercept"));
	SQL_PUT(sql, SQL_SYSTEM, NONE, NONE, TEXT("ProfilerVersion"), NONE, TEXT(head->version));
	for (uint64_t kind = 0; kind <= 10; kind++)
		SQL_PUT(sql, SQL_COPY_KINDS, INTEGER(kind), TEXT(gpu_copy_text(kind)));
}

/* For sqlite ":memory:" is no file. */
static char *path_of_file(const char *path)
{
	size_t room = strlen(path) + sizeof("./");
	char *made = memory_zero(room, 1);

	snprintf(made, room, "%s%s", *path == ':' ? "./" : "", path);
	return made;
}

/* Opened like any output, so that no recording is overwritten; then sqlite takes it. */
static int sql_open(struct trace_file *file, struct report_request *request,
		    const struct trace_head *head)
{
	struct sql *sql = memory_zero(1, sizeof(*sql));
	const char *path = request->options->output;
	int descriptor = request_open_file(request, path, false);

	if (descriptor < 0) {
		free(sql);
		return -1;
	}
	close(descriptor);
	file->state = sql;
	sql->path = path;
	sql->source = request->source;
	sql->opened_path = path_of_file(path);
	sql_fail(sql, sqlite3_open_v2(sql->opened_path, &sql->db,
				      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL));
	run_statement(sql, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
	make_tables(sql);
	put_session(sql, head);
	if (!sql->failed)
		return 0;
	say_failure(sql, request);
	sql_free(sql);
	return -1;
}

static void sqlite_put_losses(struct sql *sql, struct source *source)
{
	const struct source_loss *loss;
	const struct source_fault *fault;
	size_t losses = source_losses(source, &loss), faults = source_faults(source, &fault);

	for (size_t i = 0; i < losses; i++) {
		const char *reason = source_loss_text(&loss[i]);

		SQL_PUT(sql, SQL_LOSSES,
			loss[i].process ? INTEGER((uint64_t)loss[i].process->pid << GLOBAL_SHIFT)
					: NONE,
			INTEGER(loss[i].count), TEXT(reason), INTEGER(loss[i].from_ns),
			INTEGER(loss[i].to_ns));
	}
	for (size_t i = 0; i < faults; i++)
		SQL_PUT(sql, SQL_FAULTS, fault[i].file ? TEXT(fault[i].file->path) : NONE,
			INTEGER(fault[i].offset), TEXT(fault[i].text));
}

static int sql_close(struct trace_file *file, struct report_request *request)
{
	struct sql *sql = file->state;
	int result;

	sqlite_put_losses(sql, request->source);
	SQL_PUT(sql, SQL_DETAILS, NONE, INTEGER(source_end_ns(request->source)), INTEGER(0),
		INTEGER(source_end_ns(request->source)));
	run_statement(sql, "COMMIT");
	result = sql->failed ? say_failure(sql, request) : 0;
	if (!result)
		export_say_written(sql->path, sql->events, "event", 0);
	sql_free(sql);
	return result;
}

/* --- events --- */

static uint64_t global_tid(uint64_t pid, uint64_t tid)
{
	return pid << GLOBAL_SHIFT | tid;
}

static uint64_t sqlite_tid_of(const struct trace_event *event)
{
	return global_tid(event->pid, event->tid);
}

/* The argument's value; 0 if the event does not have it. */
static uint64_t sqlite_number_of(const struct trace_event *event, enum trace_argument_id id)
{
	for (size_t i = 0; i < event->arguments; i++)
		if (event->argument[i].id == id)
			return event->argument[i].number;
	return 0;
}

static bool has(const struct trace_event *event, enum trace_argument_id id)
{
	for (size_t i = 0; i < event->arguments; i++)
		if (event->argument[i].id == id)
			return true;
	return false;
}

static struct sql_value cut_of(const struct trace_slice *slice)
{
	return slice->is_cut ? INTEGER(1) : NONE;
}

static struct sql_value sqlite_correlation_of(const struct trace_event *event)
{
	uint64_t correlation = sqlite_number_of(event, TRACE_OF_CORRELATION);

	return correlation ? INTEGER(correlation) : NONE;
}

static void sqlite_put_operator(struct sql *sql, const struct trace_slice *slice,
				struct sql_value end)
{
	const struct trace_event *event = &slice->event;

	SQL_PUT(sql, SQL_OPERATORS, INTEGER(event->time_ns), end, INTEGER(sqlite_tid_of(event)),
		INTEGER(id_of_name(sql, &event->name)),
		INTEGER(sqlite_number_of(event, TRACE_OF_EXTERNAL_ID)),
		has(event, TRACE_OF_SEQUENCE) ? INTEGER(sqlite_number_of(event, TRACE_OF_SEQUENCE))
					      : NONE,
		cut_of(slice));
}

static void sqlite_put_range(struct sql *sql, const struct trace_event *event, int type,
			     struct sql_value end, struct sql_value cut)
{
	SQL_PUT(sql, SQL_NVTX, INTEGER(event->time_ns), end, INTEGER(type),
		INTEGER(sqlite_tid_of(event)), INTEGER(id_of_name(sql, &event->name)), NONE,
		INTEGER(0), cut);
}

static void sqlite_put_call(struct sql *sql, const struct trace_slice *slice, struct sql_value end)
{
	const struct trace_event *event = &slice->event;

	SQL_PUT(sql, SQL_RUNTIME, INTEGER(event->time_ns), end,
		INTEGER(event->category == TRACE_DRIVER ? CLASS_DRIVER : CLASS_RUNTIME),
		INTEGER(sqlite_tid_of(event)), sqlite_correlation_of(event),
		INTEGER(id_of_name(sql, &event->name)),
		slice->is_cut ? NONE : INTEGER(sqlite_number_of(event, TRACE_OF_RESULT)),
		cut_of(slice));
}

/* --- what the GPU did --- */

#define KERNEL_RETURNS "void "

/* Writes a kernel's name without its return type and parameters; returns the length. */
static size_t kernel_compact(char *compact, const struct trace_text *full)
{
	size_t skipped = strlen(KERNEL_RETURNS);

	if (full->length < skipped || memcmp(full->text, KERNEL_RETURNS, skipped) != 0)
		skipped = 0;
	return symbol_compact(compact, full->text + skipped, full->length - skipped);
}

/* The names of a kernel: as recorded, in full, and short. */
static const struct sql_kernel *kernel_name(struct sql *sql, uint32_t index,
					    const struct trace_text *full)
{
	const struct source_name *name = source_name_at(sql->source, index);
	struct sql_kernel ids;
	const char *text;
	size_t length;
	char *compact;

	if (index < sql->kernel_room && sql->kernel[index].mangled)
		return &sql->kernel[index];
	text = name_text(name, &length);
	compact = memory_zero(full->length + 1, 1);
	ids.mangled = sqlite_id_of(sql, text, length);
	ids.full = sqlite_id_of(sql, full->text, full->length);
	ids.compact = sqlite_id_of(sql, compact, kernel_compact(compact, full));
	free(compact);
	if (!name->text) { /* it may still arrive */
		sql->nameless = ids;
		return &sql->nameless;
	}
	sql->kernel = memory_room(sql->kernel, index, &sql->kernel_room, sizeof(*sql->kernel));
	sql->kernel[index] = ids;
	return &sql->kernel[index];
}

static void sqlite_put_kernel(struct sql *sql, const struct trace_slice *slice)
{
	const struct deferred_work *work = slice->work;
	const struct gpu_work *piece = gpu_work_of(work);
	const struct sql_kernel *ids = kernel_name(sql, piece->what, &slice->event.name);

	SQL_PUT(sql, SQL_KERNEL, INTEGER(work->start_ns), INTEGER(deferred_end_ns(work)),
		INTEGER(piece->device), INTEGER(piece->context), INTEGER(piece->stream),
		INTEGER(work->correlation), INTEGER(slice->owner << GLOBAL_SHIFT),
		INTEGER(ids->full), INTEGER(ids->compact), INTEGER(ids->mangled),
		INTEGER(piece->grid[0]), INTEGER(piece->grid[1]), INTEGER(piece->grid[2]),
		INTEGER(piece->block[0]), INTEGER(piece->block[1]), INTEGER(piece->block[2]));
}

static void put_copy(struct sql *sql, const struct deferred_work *work, uint64_t pid)
{
	const struct gpu_work *piece = gpu_work_of(work);

	if (piece->kind == GPU_WORK_SET)
		SQL_PUT(sql, SQL_MEMSET, INTEGER(work->start_ns), INTEGER(deferred_end_ns(work)),
			INTEGER(piece->device), INTEGER(piece->context), INTEGER(piece->stream),
			INTEGER(work->correlation), INTEGER(pid << GLOBAL_SHIFT),
			INTEGER(piece->bytes));
	else
		SQL_PUT(sql, SQL_MEMCPY, INTEGER(work->start_ns), INTEGER(deferred_end_ns(work)),
			INTEGER(piece->device), INTEGER(piece->context), INTEGER(piece->stream),
			INTEGER(work->correlation), INTEGER(pid << GLOBAL_SHIFT),
			INTEGER(piece->bytes), INTEGER(piece->what));
}

/* --- the writer --- */

static void sql_slice(void *state, const struct trace_slice *slice)
{
	struct sql *sql = state;
	const struct trace_event *event = &slice->event;
	struct sql_value end = trace_is_open(slice) ? NONE : INTEGER(trace_end_ns(slice));

	switch (event->category) {
	case TRACE_OPERATOR:
		sqlite_put_operator(sql, slice, end);
		break;
	case TRACE_ANNOTATION:
	case TRACE_STEP:
		sqlite_put_range(sql, event, slice->id ? NVTX_START_END : NVTX_PUSH_POP, end,
				 cut_of(slice));
		break;
	case TRACE_MODULE:
		SQL_PUT(sql, SQL_MODULES, INTEGER(event->time_ns), end,
			INTEGER(sqlite_tid_of(event)), INTEGER(id_of_name(sql, &event->name)),
			cut_of(slice));
		break;
	case TRACE_UNFINISHED:
		SQL_PUT(sql, SQL_UNFINISHED, INTEGER(event->time_ns), end,
			INTEGER(sqlite_tid_of(event)), sqlite_correlation_of(event),
			INTEGER(id_of_name(sql, &event->name)), cut_of(slice));
		break;
	case TRACE_RUNTIME:
	case TRACE_DRIVER:
		sqlite_put_call(sql, slice, end);
		break;
	case TRACE_IO:
	case TRACE_OSRT:
		SQL_PUT(sql, SQL_IO, INTEGER(event->time_ns), end, INTEGER(sqlite_tid_of(event)),
			INTEGER(id_of_name(sql, &event->name)), NONE, cut_of(slice));
		break;
	case TRACE_KERNEL:
		sqlite_put_kernel(sql, slice);
		break;
	case TRACE_COPY:
	case TRACE_SET:
		put_copy(sql, slice->work, slice->owner);
		break;
	default:
		return;
	}
	sql->events++;
}

static void sql_moment(void *state, const struct trace_event *event)
{
	struct sql *sql = state;

	sql->events++;
	if (event->category != TRACE_TENSOR) {
		const struct sql_value none = NONE;

		sqlite_put_range(sql, event, NVTX_MARK, none, none);
		return;
	}
	id_of_name(sql, &event->name); /* for users who look for it in StringIds */
	SQL_PUT(sql, SQL_TENSORS, INTEGER(event->time_ns), INTEGER(sqlite_tid_of(event)),
		INTEGER(sqlite_number_of(event, TRACE_OF_GROWTH)),
		INTEGER(sqlite_number_of(event, TRACE_OF_ADDRESS)),
		INTEGER(sqlite_number_of(event, TRACE_OF_DEVICE_TYPE)),
		INTEGER(sqlite_number_of(event, TRACE_OF_TENSOR_DEVICE)),
		INTEGER(sqlite_number_of(event, TRACE_OF_ALLOCATED)));
}

static void sql_counter(void *state, const struct trace_event *event, uint64_t bytes)
{
	struct sql *sql = state;

	sql->events++;
	SQL_PUT(sql, SQL_COUNTERS, INTEGER(event->time_ns), INTEGER(event->pid << GLOBAL_SHIFT),
		INTEGER(id_of_name(sql, &event->name)), INTEGER(bytes));
}

/* NULL if the event does not have it. */
static struct sql_value sqlite_value_of(const struct trace_event *event, enum trace_argument_id id)
{
	for (size_t i = 0; i < event->arguments; i++) {
		const struct trace_argument *argument = &event->argument[i];

		if (argument->id == id && argument->type == TRACE_STRING)
			return (struct sql_value){ .kind = SQL_TEXT,
						   .text = argument->text.text,
						   .length = argument->text.length };
		if (argument->id == id)
			return INTEGER(argument->number);
	}
	return NONE;
}

static void sql_gpu_state(void *state, const struct trace_slice *slice)
{
	const struct trace_event *event = &slice->event;
	struct sql *sql = state;

	sql->events++;
	SQL_PUT(sql, SQL_GPU_STATES, INTEGER(event->time_ns), INTEGER(trace_end_ns(slice)),
		INTEGER(event->pid << GLOBAL_SHIFT), sqlite_value_of(event, TRACE_OF_UUID),
		sqlite_value_of(event, TRACE_OF_MODEL), sqlite_value_of(event, TRACE_OF_MIG),
		sqlite_value_of(event, TRACE_OF_SM_CLOCK),
		sqlite_value_of(event, TRACE_OF_MEMORY_CLOCK),
		sqlite_value_of(event, TRACE_OF_POWER),
		sqlite_value_of(event, TRACE_OF_TEMPERATURE),
		sqlite_value_of(event, TRACE_OF_MEMORY_TEMPERATURE),
		sqlite_value_of(event, TRACE_OF_GPU_PERCENT),
		sqlite_value_of(event, TRACE_OF_MEMORY_PERCENT),
		sqlite_value_of(event, TRACE_OF_MEMORY_USED),
		sqlite_value_of(event, TRACE_OF_THROTTLED),
		sqlite_value_of(event, TRACE_OF_REASONS));
}

static void sql_process(void *state, const struct source_process *process, uint64_t pid)
{
	size_t length;
	const char *name = name_text(process->command, &length);

	SQL_PUT((struct sql *)state, SQL_PROCESSES, INTEGER(pid << GLOBAL_SHIFT), INTEGER(pid),
		{ .kind = SQL_TEXT, .text = name, .length = length });
}

static void sql_thread(void *state, const struct source_thread *thread, uint64_t pid)
{
	struct sql *sql = state;
	const char *name;
	size_t length;

	thread_name(thread, &name, &length);
	if (name)
		SQL_PUT(sql, SQL_THREADS, INTEGER(sqlite_id_of(sql, name, length)), NONE,
			INTEGER(global_tid(pid, thread->tid)));
}

static const struct trace_writer writer = {
	.open = sql_open,
	.close = sql_close,
	.slice = sql_slice,
	.moment = sql_moment,
	.counter = sql_counter,
	.gpu_state = sql_gpu_state,
	.process = sql_process,
	.thread = sql_thread,
};

int export_sqlite(struct report_request *request)
{
	if (request->options->output)
		return trace_write(&(struct trace_options){
			.request = request, .writer = &writer, .whole_kernel_names = true });
	snprintf(request->message, sizeof(request->message),
		 "export sqlite needs a file: add -o FILE");
	return STATUS_USAGE;
}
