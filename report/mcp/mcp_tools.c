/* SPDX-License-Identifier: MIT */
/*
 * Arguments are checked against the list, then become words of a command. A value is one word with
 * its option (--by=VALUE), and a path begins with "./", so that neither can be another option.
 */
#include "report/mcp/mcp_tools.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/core/report_batch.h"
#include "report/mcp/mcp_bound.h"
#include "report/mcp/mcp_compact.h"
#include "report/mcp/mcp_files.h"
#include "report/table/columns.h"

#define ROWS_DEFAULT 20
#define BYTES_DEFAULT 12000
#define BYTES_LEAST 2000
#define BYTES_MOST 1000000
#define VALUES_MAX 64u /* of one argument */
#define WHY_BYTES 512

enum kind { TEXT, NUMBER, PATH, PATHS, TEXTS, NAMES };

enum tool_id {
#define MCP_TOOL(name, doc) TOOL_##name,
#include "report/mcp/mcp_tools.def"
	TOOL_LIMIT,
};

static const struct {
	const char *name, *doc;
} tools[TOOL_LIMIT] = {
#define MCP_TOOL(name, doc) { #name, doc },
#include "report/mcp/mcp_tools.def"
};

struct argument {
	enum tool_id tool;
	const char *name;
	enum kind kind;
	bool is_needed, is_option;
	const char *doc;
};

static const struct argument arguments_of_tools[] = {
#define MCP_ARGUMENT(tool, name, kind, needed, doc) \
	{ TOOL_##tool, #name, kind, needed, false, doc },
#define MCP_OPTION(tool, name, kind, doc) { TOOL_##tool, #name, kind, false, true, doc },
#include "report/mcp/mcp_tools.def"
};
#define ARGUMENTS (sizeof(arguments_of_tools) / sizeof(arguments_of_tools[0]))

/* --- the list --- */

static void put_type(struct json *json, const char *type)
{
	json_open(json, NULL, '{');
	json_string(json, "type", type);
	if (!strcmp(type, "array")) {
		json_open(json, "items", '{');
		json_string(json, "type", "string");
		json_close(json, '}');
	}
	json_close(json, '}');
}

static bool kind_takes_list(enum kind kind)
{
	return kind == PATHS || kind == TEXTS || kind == NAMES;
}

static void mcp_put_schema(struct json *json, const struct argument *one)
{
	json_open(json, one->name, '{');
	if (kind_takes_list(one->kind)) {
		json_open(json, "anyOf", '[');
		put_type(json, "string");
		put_type(json, "array");
		json_close(json, ']');
	} else {
		json_string(json, "type", one->kind == NUMBER ? "integer" : "string");
		if (one->kind == NUMBER)
			json_number(json, "minimum", 0);
	}
	json_string(json, "description", one->doc);
	json_close(json, '}');
}

static void put_schemas(struct json *json, enum tool_id tool)
{
	json_open(json, "inputSchema", '{');
	json_string(json, "type", "object");
	json_open(json, "properties", '{');
	for (size_t i = 0; i < ARGUMENTS; i++)
		if (arguments_of_tools[i].tool == tool)
			mcp_put_schema(json, &arguments_of_tools[i]);
	json_close(json, '}');
	json_open(json, "required", '[');
	for (size_t i = 0; i < ARGUMENTS; i++)
		if (arguments_of_tools[i].tool == tool && arguments_of_tools[i].is_needed)
			json_string(json, NULL, arguments_of_tools[i].name);
	json_close(json, ']');
	json_bool(json, "additionalProperties", false);
	json_close(json, '}');
}

void mcp_tools_list(struct json *json, const char *key)
{
	json_open(json, key, '{');
	json_open(json, "tools", '[');
	for (int tool = 0; tool < TOOL_LIMIT; tool++) {
		json_open(json, NULL, '{');
		json_string(json, "name", tools[tool].name);
		json_string(json, "description", tools[tool].doc);
		put_schemas(json, (enum tool_id)tool);
		json_open(json, "annotations", '{');
		json_bool(json, "readOnlyHint", true);
		json_bool(json, "openWorldHint", false);
		json_close(json, '}');
		json_close(json, '}');
	}
	json_close(json, ']');
	json_close(json, '}');
}

/* --- calls --- */

#define FORMAT_JSON "--format=json"

struct call {
	struct mcp *mcp;
	enum tool_id tool;
	const struct value *arguments; /* NULL: none */
	const char *word[MCP_WORDS_MAX];
	size_t words;
	char *owned[MCP_WORDS_MAX];
	size_t owned_count;
	char *text; /* the answer; owned */
	size_t length;
	char why[WHY_BYTES]; /* what is wrong; "": nothing */
};

static struct value *call_value(const struct call *call, const char *name)
{
	return value_member(call->arguments, name);
}

/* Text of a document of ours, as one string of the answer. */
static FILE *document_begin(struct call *call, struct json *json)
{
	*json = (struct json){ .out = open_memstream(&call->text, &call->length) };
	if (!json->out)
		memory_give_up(1, BYTES_DEFAULT);
	return json->out;
}

static bool document_end(struct call *call, FILE *out)
{
	if (fclose(out))
		return false;
	call->length = mcp_compact(call->text, call->length);
	call->text[call->length] = '\0';
	return true;
}

static bool mcp_tools_fail(struct call *call, const char *format, const char *name)
{
	snprintf(call->why, sizeof(call->why), format, name);
	return false;
}

static bool mcp_call_add(struct call *call, const char *word)
{
	if (call->words + 1 >= MCP_WORDS_MAX)
		return mcp_tools_fail(call, "there are too many arguments%s", "");
	call->word[call->words++] = word;
	return true;
}

static bool call_add_owned(struct call *call, char *word)
{
	if (!word)
		return false;
	if (call->owned_count >= MCP_WORDS_MAX || !mcp_call_add(call, word)) {
		free(word);
		return false;
	}
	call->owned[call->owned_count++] = word;
	return true;
}

static bool call_add_option(struct call *call, const char *name, const char *value)
{
	size_t bytes = strlen(name) + strlen(value) + 4;
	char *word = memory_zero(bytes, 1);

	snprintf(word, bytes, "--%s=%s", name, value);
	return call_add_owned(call, word);
}

static const char *call_text(const struct call *call, const char *name)
{
	return value_text(call_value(call, name), NULL);
}

static size_t call_number(const struct call *call, const char *name, size_t number, size_t least,
			  size_t most)
{
	int64_t given;

	if (!value_integer(call_value(call, name), &given))
		return number;
	return given < (int64_t)least ? least : given > (int64_t)most ? most : (size_t)given;
}

/* Words of a command end at a zero byte. */
static bool is_plain_text(const struct value *value)
{
	size_t length;
	const char *text = value_text(value, &length);

	return text && strlen(text) == length;
}

static bool is_list_of_texts(const struct value *value)
{
	if (value_kind_of(value) != VALUE_LIST || value_count(value) > VALUES_MAX)
		return false;
	for (size_t i = 0; i < value_count(value); i++)
		if (!is_plain_text(value_at(value, i)))
			return false;
	return true;
}

static bool value_fits(enum kind kind, const struct value *value)
{
	int64_t number;

	if (kind == NUMBER)
		return value_integer(value, &number) && number >= 0;
	return is_plain_text(value) || (kind_takes_list(kind) && is_list_of_texts(value));
}

static const struct argument *argument_of(enum tool_id tool, const char *name)
{
	for (size_t i = 0; i < ARGUMENTS; i++)
		if (arguments_of_tools[i].tool == tool && !strcmp(arguments_of_tools[i].name, name))
			return &arguments_of_tools[i];
	return NULL;
}

static bool check_argument(void *context, const char *name, const struct value *value)
{
	struct call *call = context;
	const struct argument *one = argument_of(call->tool, name);

	if (!one)
		return mcp_tools_fail(call, "there is no argument '%.100s'; tools/list has them",
				      name);
	if ((!value && !one->is_needed) || value_fits(one->kind, value))
		return true;
	return mcp_tools_fail(
		call,
		one->kind == NUMBER ? "argument '%.100s' has a wrong type: it is a whole number"
		: kind_takes_list(one->kind)
			? "argument '%.100s' has a wrong type: it is a string or a list of strings"
			: "argument '%.100s' has a wrong type: it is a string",
		name);
}

static bool check_arguments(struct call *call)
{
	if (!value_each(call->arguments, check_argument, call))
		return false;
	for (size_t i = 0; i < ARGUMENTS; i++)
		if (arguments_of_tools[i].tool == call->tool && arguments_of_tools[i].is_needed &&
		    !call_value(call, arguments_of_tools[i].name))
			return mcp_tools_fail(call, "argument '%.100s' is missing",
					      arguments_of_tools[i].name);
	return true;
}

/* One value, or each of a list. */
static bool call_each(struct call *call, const char *name,
		      bool (*add)(struct call *call, const char *name, const char *value))
{
	const struct value *value = call_value(call, name);

	if (value_text(value, NULL))
		return add(call, name, value_text(value, NULL));
	for (size_t i = 0; i < value_count(value); i++)
		if (!add(call, name, value_text(value_at(value, i), NULL)))
			return false;
	return true;
}

static bool call_add_file(struct call *call, const char *name, const char *path)
{
	(void)name;
	return call_add_owned(
		call, mcp_files_word(call->mcp->folder, path, call->why, sizeof(call->why)));
}

/* Names of a list become one option, with commas between. */
static bool call_add_names(struct call *call, const char *name, const struct value *list)
{
	size_t bytes = 1, used = 0;
	bool is_added;
	char *names;

	for (size_t i = 0; i < value_count(list); i++)
		bytes += strlen(value_text(value_at(list, i), NULL)) + 1;
	names = memory_zero(bytes, 1);
	for (size_t i = 0; i < value_count(list); i++)
		used += (size_t)snprintf(names + used, bytes - used, "%s%s", i ? "," : "",
					 value_text(value_at(list, i), NULL));
	is_added = !used || call_add_option(call, name, names);
	free(names);
	return is_added;
}

static bool call_add_options(struct call *call)
{
	for (size_t i = 0; i < ARGUMENTS; i++) {
		const struct argument *one = &arguments_of_tools[i];
		const struct value *value = call_value(call, one->name);

		if (one->tool != call->tool || !one->is_option)
			continue;
		if (one->kind == NAMES && value_kind_of(value) == VALUE_LIST) {
			if (!call_add_names(call, one->name, value))
				return false;
		} else if (!call_each(call, one->name, call_add_option)) {
			return false;
		}
	}
	return true;
}

static int report_named(const char *name)
{
	int id = 0;

	while (id < REPORT_LIMIT && strcmp(report_infos[id].name, name) != 0 &&
	       strcmp(report_infos[id].id, name) != 0)
		id++;
	return id;
}

/* Returns REPORT_LIMIT, and says why, if there is no such table. */
static int call_report(struct call *call)
{
	const char *name = call_text(call, "report");
	int id = report_named(name ? name : "");

	if (id < REPORT_LIMIT && batch_takes((enum report_id)id))
		return id;
	mcp_tools_fail(call, "'%.100s' is no report that makes a table; list_reports names them",
		       name ? name : "");
	return REPORT_LIMIT;
}

/*
 * A document without rows does not say why it has none; the table does. Returns what it prints,
 * which the caller frees; NULL: nothing is said.
 */
static char *call_why_empty(struct call *call)
{
	struct mcp_bound bound = { .most_bytes = BYTES_LEAST };
	char error[256], *why = NULL;
	const char *text;

	for (size_t i = 0; i < call->words; i++)
		if (!strcmp(call->word[i], FORMAT_JSON))
			call->word[i] = "--format=table";
	if (call->mcp->run(call->mcp, call->word, mcp_bound_take, &bound, error, sizeof(error)) ==
	    0) {
		text = mcp_bound_finish(&bound);
		if (*text)
			why = strdup(text);
	}
	for (char *at = why; at && *at; at++)
		if (*at == '\n')
			*at = at[1] ? ' ' : '\0';
	mcp_bound_release(&bound);
	return why;
}

/* Runs what the call's words say. */
static bool call_run(struct call *call, bool is_json)
{
	struct mcp_bound bound = {
		.most_bytes = call_number(call, "max_bytes", BYTES_DEFAULT, BYTES_LEAST,
					  BYTES_MOST),
		.most_rows = call_number(call, "limit", ROWS_DEFAULT, 0, BYTES_MOST),
		.is_json = is_json,
	};
	char error[1024] = "", *why = NULL;
	const char *text;
	int status;

	if (!bound.most_rows) /* as --limit 0 */
		bound.most_rows = BYTES_MOST;
	call->word[call->words] = NULL;
	status = call->mcp->run(call->mcp, call->word, mcp_bound_take, &bound, error,
				sizeof(error));
	for (size_t at = strlen(error); at && error[at - 1] == '\n';)
		error[--at] = '\0';
	if (is_json && status == 0 && !bound.row_count)
		bound.why_empty = why = call_why_empty(call);
	text = mcp_bound_finish(&bound);
	if ((status != 0 && status != 1) || (text && !*text) || (!text && *error))
		mcp_tools_fail(call,
			       strstr(error, " has no column ")
				       ? "%.400s; explain_column names a report's columns"
				       : "%.400s",
			       *error ? error : "the report did not end");
	else if (!text)
		mcp_tools_fail(call, "the answer without rows is larger than max_bytes: raise %s",
			       "it, or choose columns");
	else
		call->text = strdup(text);
	mcp_bound_release(&bound);
	free(why);
	return !*call->why;
}

static void mcp_call_begin(struct call *call, const char *report)
{
	mcp_call_add(call, "prof-report");
	mcp_call_add(call, report);
	mcp_call_add(call, "--live");
	mcp_call_add(call, "--no-color");
}

static bool mcp_list_recordings(struct call *call)
{
	struct json json;
	FILE *out = document_begin(call, &json);

	mcp_files_list(call->mcp->folder, &json);
	return document_end(call, out);
}

static const char *const questions[REPORT_LIMIT] = {
#define MCP_QUESTION(report, question) [REPORT_##report] = question,
#include "report/mcp/questions.def"
};

static void put_report(struct json *json, enum report_id id)
{
	json_open(json, NULL, '{');
	json_string(json, "name", report_infos[id].name);
	json_string(json, "shows", report_infos[id].doc);
	if (questions[id])
		json_string(json, "question", questions[id]);
	json_open(json, "by", '[');
	for (int key = 0; key < KEY_ID_LIMIT; key++)
		if (!strcmp(key_list[key].report, report_infos[id].id))
			json_string(json, NULL, key_list[key].name);
	json_close(json, ']');
	json_string(json, "sorted_by", report_infos[id].sort);
	json_close(json, '}');
}

static bool mcp_list_reports(struct call *call)
{
	struct json json;
	FILE *out = document_begin(call, &json);

	json_open(&json, NULL, '{');
	json_open(&json, "reports", '[');
	for (int id = 0; id < REPORT_LIMIT; id++)
		if (batch_takes((enum report_id)id))
			put_report(&json, (enum report_id)id);
	json_close(&json, ']');
	json_close(&json, '}');
	return document_end(call, out);
}

static bool mcp_first_screen(struct call *call)
{
	mcp_call_begin(call, "summary");
	return call_each(call, "recording", call_add_file) && call_run(call, false);
}

static bool mcp_report(struct call *call)
{
	int id = call_report(call);

	if (id == REPORT_LIMIT)
		return false;
	mcp_call_begin(call, report_infos[id].name);
	return mcp_call_add(call, FORMAT_JSON) && call_add_options(call) &&
	       call_each(call, "recording", call_add_file) && call_run(call, true);
}

static bool mcp_compare(struct call *call)
{
	int id = call_text(call, "report") ? call_report(call) : -1;

	if (id == REPORT_LIMIT)
		return false;
	mcp_call_begin(call, "diff");
	return mcp_call_add(call, FORMAT_JSON) && call_add_options(call) &&
	       call_each(call, "after", call_add_file) && mcp_call_add(call, "--against") &&
	       call_each(call, "before", call_add_file) &&
	       (id < 0 || mcp_call_add(call, report_infos[id].name)) && call_run(call, true);
}

static void put_column(struct json *json, const struct column *column)
{
	json_open(json, NULL, '{');
	json_string(json, "name", column->name);
	json_string(json, "heading", column->header);
	json_string(json, "unit", unit_name(column->unit));
	json_string(json, "meaning", column->doc);
	json_close(json, '}');
}

static bool mcp_explain_column(struct call *call)
{
	const char *name = call_text(call, "column"), *report = call_text(call, "report");
	const struct column *column[COLUMNS_MAX];
	int id = report_named(report);
	size_t count = id < REPORT_LIMIT ? columns_of(report_infos[id].id, column) : 0, found = 0;
	struct json json;
	FILE *out;

	if (!count)
		return mcp_tools_fail(call,
				      "'%.100s' is no report with columns; list_reports names them",
				      report);
	out = document_begin(call, &json);
	json_open(&json, NULL, '{');
	json_string(&json, "report", report_infos[id].name);
	json_open(&json, "columns", '[');
	for (size_t i = 0; i < count; i++) {
		if (name && strcmp(column[i]->name, name) && strcmp(column[i]->header, name))
			continue;
		put_column(&json, column[i]);
		found++;
	}
	json_close(&json, ']');
	json_close(&json, '}');
	document_end(call, out);
	return found || mcp_tools_fail(call,
				       "the report has no column '%.100s'; without column all are "
				       "listed",
				       name);
}

static bool (*const functions[TOOL_LIMIT])(struct call *call) = {
#define MCP_TOOL(name, doc) mcp_##name,
#include "report/mcp/mcp_tools.def"
};

static void put_answer(struct json *json, const char *key, const char *text, bool is_error)
{
	json_open(json, key, '{');
	json_open(json, "content", '[');
	json_open(json, NULL, '{');
	json_string(json, "type", "text");
	json_string(json, "text", text);
	json_close(json, '}');
	json_close(json, ']');
	json_bool(json, "isError", is_error);
	json_close(json, '}');
}

bool mcp_tools_call(struct mcp *mcp, const char *name, const struct value *arguments,
		    struct json *json, const char *key)
{
	struct call *call;
	int tool = 0;
	bool done;

	while (tool < TOOL_LIMIT && strcmp(tools[tool].name, name) != 0)
		tool++;
	if (tool == TOOL_LIMIT)
		return false;
	call = memory_zero(1, sizeof(*call));
	*call = (struct call){ .mcp = mcp, .tool = (enum tool_id)tool, .arguments = arguments };
	done = check_arguments(call) && functions[tool](call);
	put_answer(json, key, done ? call->text : *call->why ? call->why : "no memory", !done);
	for (size_t i = 0; i < call->owned_count; i++)
		free(call->owned[i]);
	free(call->text);
	free(call);
	return true;
}
