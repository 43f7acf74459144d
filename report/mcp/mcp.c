/* SPDX-License-Identifier: MIT */
/*
 * JSON-RPC 2.0 as the Model Context Protocol uses it: requests have an id and get an answer,
 * notifications have none and get none, batches are refused as its versions from 2025-06-18 on say.
 */
#include "report/mcp/mcp.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/json.h"
#include "report/base/memory.h"
#include "report/mcp/mcp_tools.h"

#ifndef INTERCEPT_VERSION
#define INTERCEPT_VERSION "unknown"
#endif

/* The newest first: that is offered to a client with a version that is not here. */
static const char *const versions[] = { "2025-11-25", "2025-06-18", "2024-11-05" };

static const char instructions[] =
	"Recordings of programs (PyTorch, CUDA, Python) made by intercept. Call list_recordings, "
	"then "
	"first_screen of one; report for tables, explain_column for what a column means, compare "
	"for "
	"two runs. Times are in ns, sizes in bytes. An empty answer says what was not recorded.";

enum rpc_error {
	RPC_PARSE = -32700,
	RPC_REQUEST = -32600,
	RPC_METHOD = -32601,
	RPC_PARAMS = -32602,
};

/* An answer that is being made; json.h ends lines inside of it, which must be one line. */
struct answer {
	struct json json;
	char *text;
	size_t length;
};

static const char *text_of(const struct value *of, const char *name)
{
	return value_text(value_member(of, name), NULL);
}

/* `id` NULL: it is not known. */
static void answer_begin(struct answer *answer, const struct value *id)
{
	int64_t number = 0;
	size_t length;

	*answer = (struct answer){ .text = NULL };
	answer->json.out = open_memstream(&answer->text, &answer->length);
	if (!answer->json.out)
		memory_give_up(1, 1);
	json_open(&answer->json, NULL, '{');
	json_string(&answer->json, "jsonrpc", "2.0");
	if (value_text(id, &length))
		json_text(&answer->json, "id", value_text(id, NULL), length);
	else if (value_integer(id, &number))
		json_signed(&answer->json, "id", number);
	else
		json_null(&answer->json, "id");
}

/* Texts have no line ends of their own: these are escaped. */
static void answer_end(struct answer *answer, FILE *out)
{
	json_close(&answer->json, '}');
	fclose(answer->json.out);
	for (size_t i = 0; i + 1 < answer->length; i++)
		if (answer->text[i] == '\n')
			answer->text[i] = ' ';
	fwrite(answer->text, 1, answer->length, out);
	free(answer->text);
}

static void put_error(FILE *out, const struct value *id, enum rpc_error code, const char *why)
{
	struct answer answer;

	answer_begin(&answer, id);
	json_open(&answer.json, "error", '{');
	json_signed(&answer.json, "code", code);
	json_string(&answer.json, "message", why);
	json_close(&answer.json, '}');
	answer_end(&answer, out);
}

void mcp_refuse_long_line(FILE *out)
{
	char why[96];

	snprintf(why, sizeof(why), "a message of more than %u bytes is not read", MCP_LINE_MAX);
	put_error(out, NULL, RPC_REQUEST, why);
}

static void initialize(struct mcp *mcp, const struct value *params, struct json *json)
{
	const char *asked = text_of(params, "protocolVersion"), *version = versions[0];

	for (size_t i = 0; asked && i < sizeof(versions) / sizeof(versions[0]); i++)
		if (!strcmp(asked, versions[i]))
			version = versions[i];
	mcp->is_initialized = true;
	json_open(json, "result", '{');
	json_string(json, "protocolVersion", version);
	json_open(json, "capabilities", '{');
	json_open(json, "tools", '{');
	json_close(json, '}');
	json_close(json, '}');
	json_open(json, "serverInfo", '{');
	json_string(json, "name", "intercept");
	json_string(json, "version", INTERCEPT_VERSION);
	json_close(json, '}');
	json_string(json, "instructions", instructions);
	json_close(json, '}');
}

/* What is wrong with a request; NULL: nothing that shows before it is answered. */
static const char *wrong_request(const struct mcp *mcp, const char *method,
				 const struct value *params, enum rpc_error *ret_code)
{
	const struct value *arguments = value_member(params, "arguments");

	*ret_code = RPC_PARAMS;
	if (params && value_kind_of(params) != VALUE_OBJECT)
		return "params is an object";
	if (!strcmp(method, "ping") || !strcmp(method, "initialize"))
		return NULL;
	*ret_code = RPC_METHOD;
	if (strcmp(method, "tools/list") != 0 && strcmp(method, "tools/call") != 0)
		return "there is no such method; this server has initialize, ping, tools/list and "
		       "tools/call";
	*ret_code = RPC_REQUEST;
	if (!mcp->is_initialized)
		return "initialize comes first";
	*ret_code = RPC_PARAMS;
	if (!strcmp(method, "tools/list"))
		return value_member(params, "cursor")
			       ? "there is one page of tools: leave out cursor"
			       : NULL;
	if (!text_of(params, "name") || (arguments && value_kind_of(arguments) != VALUE_OBJECT))
		return "tools/call needs a name and an object of arguments";
	return NULL;
}

static void answer_request(struct mcp *mcp, const struct value *id, const char *method,
			   const struct value *params, FILE *out)
{
	enum rpc_error code;
	const char *wrong = wrong_request(mcp, method, params, &code);
	struct answer answer;

	if (wrong) {
		put_error(out, id, code, wrong);
		return;
	}
	answer_begin(&answer, id);
	if (!strcmp(method, "initialize")) {
		initialize(mcp, params, &answer.json);
	} else if (!strcmp(method, "tools/list")) {
		mcp_tools_list(&answer.json, "result");
	} else if (!strcmp(method, "ping")) {
		json_open(&answer.json, "result", '{');
		json_close(&answer.json, '}');
	} else if (!mcp_tools_call(mcp, text_of(params, "name"), value_member(params, "arguments"),
				   &answer.json, "result")) {
		json_open(&answer.json, "error", '{');
		json_signed(&answer.json, "code", RPC_PARAMS);
		json_string(&answer.json, "message",
			    "there is no such tool; tools/list names them");
		json_close(&answer.json, '}');
	}
	answer_end(&answer, out);
}

static bool is_id(const struct value *id)
{
	int64_t number;

	return value_text(id, NULL) || value_integer(id, &number);
}

static void take_message(struct mcp *mcp, const struct value *message, FILE *out)
{
	const char *method = text_of(message, "method"), *version = text_of(message, "jsonrpc");
	struct value *id;
	bool has_id = value_has(message, "id", &id);

	if (!value_member(message, "method") &&
	    (value_member(message, "result") || value_member(message, "error")))
		return; /* an answer, but this server asks for nothing */
	if (has_id && !is_id(id))
		put_error(out, NULL, RPC_REQUEST, "an id is a text or a whole number");
	else if (!method || !version || strcmp(version, "2.0") != 0)
		put_error(out, id, RPC_REQUEST, "a message has jsonrpc 2.0 and a method");
	else if (has_id)
		answer_request(mcp, id, method, value_member(message, "params"), out);
}

void mcp_take_line(struct mcp *mcp, const char *line, size_t length, FILE *out)
{
	char why[VALUE_WHY_BYTES];
	struct value *message;

	if (strspn(line, " \t\r") >= length)
		return;
	message = value_read(line, length, why);
	if (why[0])
		put_error(out, NULL, RPC_PARSE, why);
	else if (value_kind_of(message) == VALUE_OBJECT)
		take_message(mcp, message, out);
	else
		put_error(out, NULL, RPC_REQUEST,
			  value_kind_of(message) == VALUE_LIST
				  ? "batches are not taken: one message a line"
				  : "a message is an object");
	value_free(message);
}
