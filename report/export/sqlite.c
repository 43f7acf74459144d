/* SPDX-License-Identifier: MIT */
/*
 * `export sqlite`: the events of `export chrome` as rows of a database, in nsys' tables where it has them, and the work
 * of the GPU. Names are rows of StringIds, and are bound as values: none is ever part of a statement.
 *
 * The one user of sqlite3. One transaction without a journal: a file that could not be finished says so in its exit status.
 */
#include "report/export/chrome.h"
#include "report/export/exporter.h"
#include "report/export/plain_text.h"
#include "report/export/sqlite.def"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include "report/base/demangle.h"
#include "report/base/memory.h"
#include "report/base/symbol.h"
#include "report/gpu/gpu.h"

/* nsys' numbers of kinds of NVTX events. */
#define NVTX_MARK 34
#define NVTX_PUSH_POP 59
#define NVTX_START_END 60
#define GLOBAL_SHIFT 24 /* of a pid, above the thread: nsys' globalTid */
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

struct sql_name {
	const char *text;
	size_t length;
};

/* Ids of a kernel's name; 0: it was not asked for. */
struct sql_kernel {
	uint64_t mangled, full, compact;
};

struct sql {
	sqlite3 *db;
	sqlite3_stmt *insert[SQL_TABLES];
	int failed;            /* of sqlite3, the first */
	struct map names;      /* hash to place */
	struct sql_name *name; /* its id is the place + 1 */
	size_t name_count, name_room;
	struct text_store texts;
	struct demangler demangler;
	struct sql_kernel *kernel; /* by index of a name */
	size_t kernel_room;
	struct sql_kernel nameless; /* of one whose text has not come */
	struct plain_text plain;    /* a name without its quotes */
	struct plain_text readable; /* a text as it is bound */
	char *opened_path;          /* as sqlite takes it for a file's */

	struct trace_event event; /* under way */
	enum sql_table table;     /* SQL_TABLES: it has none */
	uint64_t name_id, correlation, result, bytes, address, device, kind, allocated, external,
		value;
	int64_t sequence;
	bool has_sequence;
	struct trace_event opened; /* a range of a process whose end comes next; phase 0: none */
	uint64_t opened_name;
	const char *path;
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
	/* Python does not read a row with a text that is not UTF-8 */
	struct trace_text text = plain_text_clean(
		&sql->readable, (struct trace_text){ value->text, value->length });

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

static uint64_t id_of(struct sql *sql, const char *text, size_t length)
{
	for (uint64_t seed = 0;; seed++) {
		bool added;
		struct map_entry *entry = map_put(&sql->names, map_hash_bytes(text, length, seed),
						  &added);
		const struct sql_name *known = &sql->name[entry->value];
		char *kept;

		if (!added && known->length == length && !memcmp(known->text, text, length))
			return entry->value + 1;
		if (!added)
			continue;
		entry->value = sql->name_count;
		kept = text_store_put(&sql->texts, text, length);
		sql->name = memory_room(sql->name, sql->name_count, &sql->name_room,
					sizeof(*sql->name));
		sql->name[sql->name_count++] = (struct sql_name){ kept, length };
		SQL_PUT(sql, SQL_STRINGS, INTEGER(sql->name_count),
			{ .kind = SQL_TEXT, .text = kept, .length = length });
		return sql->name_count;
	}
}

static uint64_t id_of_json(struct sql *sql, struct trace_text json)
{
	struct trace_text plain = plain_text_of_json(&sql->plain, json);

	return id_of(sql, plain.text, plain.length);
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
	map_release(&sql->names);
	text_store_release(&sql->texts);
	demangler_release(&sql->demangler);
	free(sql->kernel);
	free(sql->name);
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

/* ":memory:" is no file for sqlite. */
static char *path_of_file(const char *path)
{
	size_t room = strlen(path) + sizeof("./");
	char *made = memory_zero(room, 1);

	snprintf(made, room, "%s%s", *path == ':' ? "./" : "", path);
	return made;
}

/* Opened as any output is, so that no recording is written over; then it is sqlite's. */
static int sql_open(struct trace_file *trace, struct report_request *request,
		    const struct trace_head *head)
{
	struct sql *sql = memory_zero(1, sizeof(*sql));
	int descriptor = request_open_file(request, trace->path, false);

	if (descriptor < 0) {
		free(sql);
		return -1;
	}
	close(descriptor);
	trace->writer_state = sql;
	sql->path = trace->path;
	map_init(&sql->names);
	sql->name = memory_room(NULL, 0, &sql->name_room, sizeof(*sql->name));
	sql->opened_path = path_of_file(trace->path);
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

static void put_losses(struct sql *sql, struct source *source)
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

static uint64_t global_tid(const struct trace_event *event)
{
	return event->pid << GLOBAL_SHIFT | event->tid;
}

/* `end_ns` 0: it is not known. */
static struct sql_value is_cut(const struct trace_event *event)
{
	return event->is_cut ? INTEGER(1) : NONE;
}

static void put_range(struct sql *sql, const struct trace_event *event, uint64_t name, int type,
		      uint64_t end_ns)
{
	SQL_PUT(sql, SQL_NVTX, INTEGER(event->time_ns), end_ns ? INTEGER(end_ns) : NONE,
		INTEGER(type), INTEGER(global_tid(event)), INTEGER(name), NONE, INTEGER(0),
		is_cut(event));
}

static void end_opened(struct sql *sql, uint64_t end_ns)
{
	if (sql->opened.phase)
		put_range(sql, &sql->opened, sql->opened_name, NVTX_START_END, end_ns);
	sql->opened.phase = 0;
}

static int sql_close(struct trace_file *trace, struct report_request *request)
{
	struct sql *sql = trace->writer_state;
	int result;

	end_opened(sql, 0);
	put_losses(sql, request->source);
	SQL_PUT(sql, SQL_DETAILS, NONE, INTEGER(source_end_ns(request->source)), INTEGER(0),
		INTEGER(source_end_ns(request->source)));
	run_statement(sql, "COMMIT");
	result = sql->failed ? say_failure(sql, request) : 0;
	sql_free(sql);
	return result;
}

/* --- events --- */

static enum sql_table table_of(const struct trace_event *event)
{
	static const struct {
		const char *category;
		enum sql_table table;
	} known[] = {
		{ "cpu_op", SQL_OPERATORS },          { "user_annotation", SQL_NVTX },
		{ "python_function", SQL_MODULES },   { "cuda_runtime", SQL_RUNTIME },
		{ "cuda_driver", SQL_RUNTIME },       { "io", SQL_IO },
		{ "cpu_instant_event", SQL_TENSORS }, { "memory", SQL_COUNTERS },
	};

	if (!strcmp(event->category, CHROME_UNFINISHED))
		return event->phase == 'b' ? SQL_UNFINISHED : SQL_TABLES;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].category, event->category))
			return known[i].table;
	return SQL_TABLES; /* ends of arrows */
}

static void sql_begin(struct trace_file *trace, const struct trace_event *event)
{
	struct sql *sql = trace->writer_state;

	sql->table = table_of(event);
	trace->events -= sql->table == SQL_TABLES;
	if (sql->table == SQL_TABLES)
		return;
	sql->event = *event;
	sql->name_id = id_of_json(sql, event->name);
	sql->correlation = sql->result = sql->bytes = sql->address = sql->device = sql->kind = 0;
	sql->allocated = sql->external = sql->value = 0;
	sql->has_sequence = false;
}

static void sql_number(struct trace_file *trace, const char *name, uint64_t value)
{
	struct sql *sql = trace->writer_state;
	const struct {
		const char *name;
		uint64_t *place;
	} known[] = {
		{ "correlation", &sql->correlation },
		{ "result", &sql->result },
		{ "External id", &sql->external },
		{ "Bytes", &sql->bytes },
		{ "Addr", &sql->address },
		{ "Device Id", &sql->device },
		{ "Device Type", &sql->kind },
		{ "Total Allocated", &sql->allocated },
		{ "bytes", &sql->value },
	};

	if (!strcmp(name, "Sequence number")) {
		sql->sequence = (int64_t)value;
		sql->has_sequence = true;
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].name, name))
			*known[i].place = value;
}

static void put_annotation(struct sql *sql)
{
	const struct trace_event *event = &sql->event;

	if (event->phase == 'e' && sql->opened.phase && sql->opened.id == event->id) {
		end_opened(sql, event->time_ns);
		return;
	}
	end_opened(sql, 0);
	if (event->phase == 'b') {
		sql->opened = *event;
		sql->opened_name = sql->name_id;
	} else if (event->phase == 'i') {
		put_range(sql, event, sql->name_id, NVTX_MARK, 0);
	} else {
		put_range(sql, event, sql->name_id, NVTX_PUSH_POP,
			  event->phase == 'B' ? 0 : event->time_ns + event->duration_ns);
	}
}

static void put_call(struct sql *sql)
{
	const struct trace_event *event = &sql->event;
	uint64_t end_ns = event->time_ns + event->duration_ns;

	if (sql->table == SQL_IO)
		SQL_PUT(sql, SQL_IO, INTEGER(event->time_ns), INTEGER(end_ns),
			INTEGER(global_tid(event)), INTEGER(sql->name_id), NONE, is_cut(event));
	else
		SQL_PUT(sql, SQL_RUNTIME, INTEGER(event->time_ns), INTEGER(end_ns),
			INTEGER(!strcmp(event->category, "cuda_driver") ? CLASS_DRIVER
									: CLASS_RUNTIME),
			INTEGER(global_tid(event)),
			sql->correlation ? INTEGER(sql->correlation) : NONE, INTEGER(sql->name_id),
			event->is_cut ? NONE : INTEGER(sql->result), is_cut(event));
}

static void sql_end(struct trace_file *trace)
{
	struct sql *sql = trace->writer_state;
	const struct trace_event *event = &sql->event;
	struct sql_value end = event->phase == 'B' ? NONE
						   : INTEGER(event->time_ns + event->duration_ns);

	switch (sql->table) {
	case SQL_NVTX:
		put_annotation(sql);
		break;
	case SQL_OPERATORS:
		SQL_PUT(sql, SQL_OPERATORS, INTEGER(event->time_ns), end,
			INTEGER(global_tid(event)), INTEGER(sql->name_id), INTEGER(sql->external),
			sql->has_sequence ? INTEGER(sql->sequence) : NONE, is_cut(event));
		break;
	case SQL_MODULES:
		SQL_PUT(sql, SQL_MODULES, INTEGER(event->time_ns), end, INTEGER(global_tid(event)),
			INTEGER(sql->name_id), is_cut(event));
		break;
	case SQL_UNFINISHED:
		SQL_PUT(sql, SQL_UNFINISHED, INTEGER(event->time_ns),
			INTEGER(event->time_ns + event->duration_ns), INTEGER(global_tid(event)),
			sql->correlation ? INTEGER(sql->correlation) : NONE, INTEGER(sql->name_id),
			is_cut(event));
		break;
	case SQL_RUNTIME:
	case SQL_IO:
		put_call(sql);
		break;
	case SQL_TENSORS:
		SQL_PUT(sql, SQL_TENSORS, INTEGER(event->time_ns), INTEGER(global_tid(event)),
			INTEGER(sql->bytes), INTEGER(sql->address), INTEGER(sql->kind),
			INTEGER(sql->device), INTEGER(sql->allocated));
		break;
	case SQL_COUNTERS:
		SQL_PUT(sql, SQL_COUNTERS, INTEGER(event->time_ns),
			INTEGER(event->pid << GLOBAL_SHIFT), INTEGER(sql->name_id),
			INTEGER(sql->value));
		break;
	default:
		break;
	}
}

static void sql_metadata(struct trace_file *trace, const char *what, uint64_t pid, uint64_t tid,
			 const struct trace_text *value)
{
	struct sql *sql = trace->writer_state;

	if (!value || !value->text)
		return;
	if (!strcmp(what, "process_name"))
		SQL_PUT(sql, SQL_PROCESSES, INTEGER(pid << GLOBAL_SHIFT), INTEGER(pid),
			{ .kind = SQL_TEXT, .text = value->text, .length = value->length });
	else if (!strcmp(what, "thread_name"))
		SQL_PUT(sql, SQL_THREADS, INTEGER(id_of(sql, value->text, value->length)), NONE,
			INTEGER(pid << GLOBAL_SHIFT | tid));
}

/* --- what the GPU did --- */

/* How a kernel is called: as it was recorded, in full, and short. Each name is taken apart once. */
static const struct sql_kernel *kernel_name(struct sql *sql, uint32_t index,
					    const struct source_name *name)
{
	struct sql_kernel ids;
	const char *text, *full, *demangled;
	size_t length, full_length;
	char *compact;

	if (index < sql->kernel_room && sql->kernel[index].mangled)
		return &sql->kernel[index];
	full = text = name_text(name, &length);
	full_length = length;
	demangled = demangle(&sql->demangler, text, length, true);
	if (demangled) {
		full = demangled;
		full_length = strlen(demangled);
	}
	compact = memory_zero(full_length + 1, 1);
	ids.mangled = id_of(sql, text, length);
	ids.full = id_of(sql, full, full_length);
	ids.compact = id_of(sql, compact, symbol_compact(compact, full, full_length));
	free(compact);
	if (!name->text) { /* it may still come */
		sql->nameless = ids;
		return &sql->nameless;
	}
	sql->kernel = memory_room(sql->kernel, index, &sql->kernel_room, sizeof(*sql->kernel));
	sql->kernel[index] = ids;
	return &sql->kernel[index];
}

static void put_kernel(struct sql *sql, const struct late_work *work, uint64_t pid,
		       const struct source_name *name)
{
	const struct sql_kernel *ids = kernel_name(sql, work->what, name);

	SQL_PUT(sql, SQL_KERNEL, INTEGER(work->start_ns), INTEGER(late_end_ns(work)),
		INTEGER(work->device), INTEGER(work->context), INTEGER(work->stream),
		INTEGER(work->correlation), INTEGER(pid << GLOBAL_SHIFT), INTEGER(ids->full),
		INTEGER(ids->compact), INTEGER(ids->mangled), INTEGER(work->grid[0]),
		INTEGER(work->grid[1]), INTEGER(work->grid[2]), INTEGER(work->block[0]),
		INTEGER(work->block[1]), INTEGER(work->block[2]));
}

static void put_copy(struct sql *sql, const struct late_work *work, uint64_t pid)
{
	if (work->kind == LATE_SET)
		SQL_PUT(sql, SQL_MEMSET, INTEGER(work->start_ns), INTEGER(late_end_ns(work)),
			INTEGER(work->device), INTEGER(work->context), INTEGER(work->stream),
			INTEGER(work->correlation), INTEGER(pid << GLOBAL_SHIFT),
			INTEGER(work->bytes));
	else
		SQL_PUT(sql, SQL_MEMCPY, INTEGER(work->start_ns), INTEGER(late_end_ns(work)),
			INTEGER(work->device), INTEGER(work->context), INTEGER(work->stream),
			INTEGER(work->correlation), INTEGER(pid << GLOBAL_SHIFT),
			INTEGER(work->bytes), INTEGER(work->what));
}

static void sql_work(struct trace_file *trace, const struct late_work *work, uint64_t pid,
		     const struct source_name *name)
{
	if (work->kind == LATE_KERNEL)
		put_kernel(trace->writer_state, work, pid, name);
	else
		put_copy(trace->writer_state, work, pid);
}

static const struct trace_writer writer = {
	.names_devices = true,
	.open = sql_open,
	.close = sql_close,
	.begin = sql_begin,
	.number = sql_number,
	.end = sql_end,
	.work = sql_work,
	.metadata = sql_metadata,
};

int export_sqlite(struct report_request *request)
{
	if (request->options->output)
		return chrome_export(request, &writer, NULL);
	snprintf(request->message, sizeof(request->message),
		 "export sqlite needs a file: add -o FILE");
	return STATUS_USAGE;
}
