/* SPDX-License-Identifier: MIT */
/*
 * What the reports share: it checks the command line against a table's columns, opens the output,
 * and writes the document.
 */
#include "report/core/report.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/base/text.h"
#include "report/core/key.h"
#include "report/options/keys.h"
#include "report/core/coverage.h"

#define LIMIT_OF_TABLES 20

/* A column that the report has, but not with this key. */
static int request_other_key(struct report_request *request, const char *option,
			     const struct column *column)
{
	snprintf(request->message, sizeof(request->message), "--%s: '%s' is a column of --by %s",
		 option, column->name, key_of_column(column->report, column->name));
	return STATUS_USAGE;
}

static int request_unknown_column(struct report_request *request, const struct table *table,
				  const char *option, const char *name)
{
	const struct column *all[COLUMNS_MAX];
	size_t count = columns_of(report_infos[request->options->report].id, all);
	int column = columns_find(all, count, name, strlen(name));
	const char *near = columns_suggest(table->column, table->column_count, name);
	const char *report = report_infos[request->options->report].name;

	if (column >= 0 && key_of_column(all[column]->report, all[column]->name))
		return request_other_key(request, option, all[column]);
	if (near)
		snprintf(request->message, sizeof(request->message),
			 "--%s: report '%s' has no column '%s', did you mean '%s'?", option, report,
			 name, near);
	else
		snprintf(request->message, sizeof(request->message),
			 "--%s: report '%s' has no column '%s'; prof-report %s --help lists them",
			 option, report, name, report);
	return STATUS_USAGE;
}

static int request_parse_sort(struct report_request *request, const struct table *table)
{
	const char *sort = request->options->sort ? request->options->sort
						  : report_infos[request->options->report].sort;
	size_t length = sort ? strcspn(sort, ":") : 0;
	char name[64];
	int column;

	request->arrangement.sort = -1;
	if (!sort)
		return STATUS_OK;
	snprintf(name, sizeof(name), "%.*s", (int)length, sort);
	column = columns_find(table->column, table->column_count, sort, length);
	if (column < 0)
		return request_unknown_column(request, table, "sort", name);
	request->arrangement.sort = column;
	request->arrangement.descending = table->column[column]->order == COLUMN_ORDER_DESC;
	if (!sort[length])
		return STATUS_OK;
	if (strcmp(sort + length, ":asc") != 0 && strcmp(sort + length, ":desc") != 0) {
		snprintf(request->message, sizeof(request->message),
			 "--sort '%s': after the column comes :asc or :desc", sort);
		return STATUS_USAGE;
	}
	request->arrangement.descending = sort[length + 1] == 'd';
	return STATUS_OK;
}

static int request_parse_columns(struct report_request *request, const struct table *table)
{
	const char *at = request->options->columns;

	if (!at) {
		for (size_t i = 0; i < table->column_count; i++)
			request->shown[request->shown_count++] = i;
		return STATUS_OK;
	}
	while (*at) {
		size_t length = strcspn(at, ",");
		int column = columns_find(table->column, table->column_count, at, length);
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)length, at);
		if (column < 0)
			return request_unknown_column(request, table, "columns", name);
		if (request->shown_count < COLUMNS_MAX)
			request->shown[request->shown_count++] = (size_t)column;
		at += length;
		at += *at == ',';
	}
	if (request->shown_count)
		return STATUS_OK;
	snprintf(request->message, sizeof(request->message),
		 "--columns '%s' names no column; prof-report %s --help lists them",
		 request->options->columns, report_infos[request->options->report].name);
	return STATUS_USAGE;
}

/* For filters "stack~NAME", if rows have stacks, whether or not the stacks are shown. */
static bool request_filters_stacks(const struct options *options, const char *filter)
{
	static const char *const keys[] = { "stack",  "function", "line",
					    "module", "caller",   "caller_function" };
	const struct report_info *info = &report_infos[options->report];
	/* trees and flame graphs are made of stacks, whatever the key */
	bool has_stacks = !(info->takes & TAKES_BY) || info->takes & TAKES_of;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		has_stacks = has_stacks ||
			     (!strcmp(key_list[options->by].name, keys[i]) &&
			      (key_kind_of(options->by) || !strcmp(keys[i], "caller")));
	return info->takes & TAKES_STACK && has_stacks && !strncmp(filter, "stack~", 6);
}

static int request_parse_filters(struct report_request *request, const struct table *table)
{
	const struct options *options = request->options;
	const struct column *all[COLUMNS_MAX];
	size_t all_count = columns_of(report_infos[options->report].id, all);
	struct row_filter other;
	char message[400], ignored[400];
	size_t count = 0;

	request->condition = memory_zero(options->filter_count, sizeof(*request->condition));
	for (size_t i = 0; i < options->filter_count; i++) {
		if (request_filters_stacks(options, options->filter[i]))
			continue; /* the filter is applied before there are rows */
		if (!row_filter_parse(&request->condition[count++], options->filter[i],
				      table->column, table->column_count, message, sizeof(message)))
			continue;
		if (!row_filter_parse(&other, options->filter[i], all, all_count, ignored,
				      sizeof(ignored)) &&
		    columns_find(table->column, table->column_count, all[other.column]->name,
				 strlen(all[other.column]->name)) < 0 &&
		    key_of_column(all[other.column]->report, all[other.column]->name))
			return request_other_key(request, "filter", all[other.column]);
		snprintf(request->message, sizeof(request->message),
			 "--filter: %s; prof-report %s --help lists the columns", message,
			 report_infos[options->report].name);
		return STATUS_USAGE;
	}
	request->arrangement.condition = request->condition;
	request->arrangement.row_filter_count = count;
	return STATUS_OK;
}

/* A missing directory is reported before minutes are spent on reading. */
static int request_check_output(struct report_request *request)
{
	const char *path = request->options->output, *slash = path ? strrchr(path, '/') : NULL;
	char directory[4096];
	struct stat status;

	if (!slash || slash == path || (size_t)(slash - path) >= sizeof(directory))
		return STATUS_OK;
	snprintf(directory, sizeof(directory), "%.*s", (int)(slash - path), path);
	if (!stat(directory, &status) && S_ISDIR(status.st_mode))
		return STATUS_OK;
	snprintf(request->message, sizeof(request->message),
		 "--output: there is no directory '%.400s': make it, or name another", directory);
	return STATUS_USAGE;
}

int request_prepare(struct report_request *request, const struct table *table)
{
	const struct options *options = request->options;
	bool for_people = options->format == FORMAT_TABLE || options->format == FORMAT_MARKDOWN;
	int status = request_parse_sort(request, table);

	if (!status)
		status = request_parse_columns(request, table);
	if (!status)
		status = request_parse_filters(request, table);
	if (!status)
		status = request_check_output(request);
	request->arrangement.limit = options->limit != LIMIT_DEFAULT ? options->limit
				     : for_people                    ? LIMIT_OF_TABLES
								     : 0;
	return status;
}

void request_release(struct report_request *request)
{
	free(request->condition);
}

static bool source_has_thread(struct source *source, uint64_t tid)
{
	struct source_thread *const *thread;
	size_t count = source_threads(source, &thread);

	for (size_t i = 0; i < count; i++)
		if (thread[i]->tid == tid)
			return true;
	return false;
}

static bool source_has_process(struct source *source, uint64_t pid)
{
	struct source_process *const *process;
	size_t count = source_processes(source, &process);

	for (size_t i = 0; i < count; i++)
		if (process[i]->pid == pid)
			return true;
	return false;
}

static bool source_has_rank(struct source *source, const struct filter_settings *scope)
{
	struct source_process *const *process;
	size_t count = source_processes(source, &process);

	for (size_t i = 0; i < count; i++) {
		uint64_t rank = source_rank(source, process[i]);

		if (rank != UINT64_MAX && rank >= scope->rank_from && rank <= scope->rank_to)
			return true;
	}
	return false;
}

void request_read(struct report_request *request, struct run *run)
{
	const struct filter_settings *scope = &request->options->scope;
	struct coverage_text why;

	run_read(run, true);
	if (scope->pid != FILTER_NO_ID && !source_has_process(request->source, scope->pid))
		snprintf(request->message, sizeof(request->message),
			 "--process %" PRIu64
			 ": the recording has no such process; prof-report processes lists them",
			 scope->pid);
	else if (scope->has_rank && !source_has_rank(request->source, scope))
		snprintf(request->message, sizeof(request->message),
			 "--rank: there is none of these; prof-report processes lists them");
	else if (scope->tid != FILTER_NO_ID && !source_has_thread(request->source, scope->tid))
		snprintf(request->message, sizeof(request->message),
			 "--thread %" PRIu64
			 ": the recording has no such thread; prof-report threads lists them",
			 scope->tid);
	else if (scope->range && !run_filters(run)->seen)
		snprintf(request->message, sizeof(request->message), "--%s '%.200s': %s",
			 scope->during ? "during" : "range", scope->range,
			 coverage_no_range(run, &why));
}

/*
 * Looked up once, because an export of many ranks writes many files. Returns false if the file is
 * gone.
 */
static bool input_find(struct source_file *file)
{
	struct stat input;

	if (!file->place.is_known && !stat(file->path, &input)) {
		file->place.is_known = true;
		file->place.device = input.st_dev;
		file->place.inode = input.st_ino;
	}
	return file->place.is_known;
}

/* Overwriting one of the files that were read would destroy the recording. */
static bool output_is_input(struct report_request *request, int descriptor)
{
	struct source_file *const *file;
	size_t count = source_files(request->source, &file);
	struct stat output;

	if (fstat(descriptor, &output))
		return false;
	for (size_t i = 0; i < count; i++)
		if (input_find(file[i]) && file[i]->place.device == output.st_dev &&
		    file[i]->place.inode == output.st_ino)
			return true;
	return false;
}

/*
 * Several sessions follow each other: each under the name of its file, in JSON a list of documents.
 */
static void session_begin(const struct screen *screen, enum export_format format)
{
	const char *name = screen->session.name;
	size_t room = name ? text_escape_room(strlen(name)) : 1;
	char *escaped = memory_grow(NULL, room, 1);

	if (name)
		text_escape(escaped, room, name, strlen(name));
	if (name && format == FORMAT_TABLE) {
		fputs(screen->session.is_first ? "" : "\n", screen->out);
		screen_print(screen, SCREEN_BOLD, "==> %s", escaped);
		putc('\n', screen->out);
	} else if (name && format == FORMAT_MARKDOWN) {
		fprintf(screen->out, "%s## %s\n\n", screen->session.is_first ? "" : "\n", escaped);
	} else if (name && format == FORMAT_JSON) {
		fputs(screen->session.is_first ? "[\n" : ",\n", screen->out);
	}
	free(escaped);
}

static void session_end(const struct screen *screen, enum export_format format)
{
	if (screen->session.name && screen->session.is_last && format == FORMAT_JSON)
		fputs("]\n", screen->out);
}

int request_open_file(struct report_request *request, const char *path, bool appends)
{
	int descriptor = open(
		path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | (appends ? O_APPEND : 0), 0666);

	if (descriptor >= 0 && output_is_input(request, descriptor)) {
		snprintf(request->message, sizeof(request->message),
			 "--output '%s' is a file that was read; choose another name", path);
		close(descriptor);
		return -1;
	}
	if (descriptor >= 0 && (appends || !ftruncate(descriptor, 0) || errno == EINVAL))
		return descriptor;
	snprintf(request->message, sizeof(request->message),
		 "cannot write '%s': %s; name another file with --output", path, strerror(errno));
	if (descriptor >= 0)
		close(descriptor);
	return -1;
}

static FILE *request_open_output(struct report_request *request)
{
	bool more = request->screen.session.name && !request->screen.session.is_first;
	int descriptor = request_open_file(request, request->options->output, more);
	FILE *out = descriptor < 0 ? NULL : fdopen(descriptor, "w");

	if (!out && descriptor >= 0) {
		snprintf(request->message, sizeof(request->message),
			 "cannot write '%s': %s; name another file with --output",
			 request->options->output, strerror(errno));
		close(descriptor);
	}
	return out;
}

/* Returns the first column of the key of --by, + 1; 0: --by was not given. */
static size_t request_key_column(const struct report_request *request, const struct table *table)
{
	const char *columns = key_list[request->options->by].columns;
	int column = request->options->given & TAKES_BY
			     ? columns_find(table->column, table->column_count, columns,
					    strcspn(columns, " "))
			     : -1;

	return column < 0 ? 0 : (size_t)column + 1;
}

/*
 * Output for programs is written as it is made. People get a table whose columns are as wide as
 * their longest cell, so it must be complete first.
 */
static bool is_streamed(const struct report_request *request, const struct table *table)
{
	enum export_format format = request->options->format;

	return (format == FORMAT_CSV || format == FORMAT_JSON) &&
	       table_can_stream(table, &request->arrangement);
}

int request_write(struct report_request *request, struct document *document, struct table *table)
{
	struct screen screen = request->screen;
	bool failed;

	request->arrangement.writes_by_row = true;
	document->arrangement = &request->arrangement;
	document->streamed = is_streamed(request, table) ? table : NULL;
	if (!document->streamed)
		table_arrange(table, &request->arrangement);
	document->report = report_infos[request->options->report].name;
	document->source = request->source;
	document->table = table;
	document->shown_count = request->shown_count;
	document->raw = request->options->raw;
	document->shown_chosen = request->options->columns != NULL;
	if (request->options->sort && request->arrangement.sort >= 0)
		document->kept = (size_t)request->arrangement.sort + 1;
	document->key = request_key_column(request, table);
	memcpy(document->shown, request->shown, sizeof(document->shown));
	if (request->options->output) {
		screen.out = request_open_output(request);
		screen.color = false;
		if (!screen.out)
			return STATUS_INPUT;
	}
	session_begin(&screen, request->options->format);
	exporters[request->options->format](document, &screen);
	session_end(&screen, request->options->format);
	if (!request->options->output)
		return STATUS_OK; /* main() checks stdout */
	failed = ferror(screen.out) != 0;
	if (fclose(screen.out) || failed) {
		snprintf(request->message, sizeof(request->message),
			 "cannot write '%s': %s; it is incomplete", request->options->output,
			 strerror(errno));
		return STATUS_INPUT;
	}
	return STATUS_OK;
}
