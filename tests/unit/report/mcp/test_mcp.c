/* SPDX-License-Identifier: MIT */
/* links: report format */
/* Messages and their answers: the protocol's errors, ids, and the words that a call becomes. */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "report/mcp/mcp.h"

static char words[2048]; /* of the last report that was run, with a space between */
static const char *prints = "";
static int ends_with;

static int run(const struct mcp *mcp, const char *const *word, mcp_take *take, void *context,
	       char *error, size_t error_bytes)
{
	(void)mcp;
	words[0] = '\0';
	for (size_t i = 0; word[i]; i++) {
		strncat(words, i ? " " : "", sizeof(words) - strlen(words) - 1);
		strncat(words, word[i], sizeof(words) - strlen(words) - 1);
	}
	snprintf(error, error_bytes, "%s", ends_with ? "prof-report: it went wrong" : "");
	take(context, prints, strlen(prints));
	return ends_with;
}

static struct mcp server(const char *folder)
{
	return (struct mcp){ .folder = folder, .run = run, .is_initialized = true };
}

static const char *answer_to(struct mcp *mcp, const char *line)
{
	static char *text;
	size_t length;
	FILE *out;

	free(text);
	text = NULL;
	out = open_memstream(&text, &length);
	mcp_take_line(mcp, line, strlen(line), out);
	fclose(out);
	return text;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' does not contain '%s'", text, part);
}

TEST(requests_and_notifications)
{
	struct mcp mcp = server("/");

	mcp.is_initialized = false;
	assert_has(answer_to(&mcp, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"),
		   "initialize comes first");
	assert_has(answer_to(&mcp, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"),
		   "\"result\": {}");
	assert_has(answer_to(&mcp, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
				   "\"params\":{\"protocolVersion\":\"2024-11-05\"}}"),
		   "\"protocolVersion\": \"2024-11-05\"");
	assert_has(answer_to(&mcp, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
				   "\"params\":{\"protocolVersion\":\"1.0\"}}"),
		   "\"protocolVersion\": \"2025-11-25\"");
	assert_has(answer_to(&mcp, "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"tools/list\"}"),
		   "\"id\": \"x\"");
	assert_string_equal(answer_to(&mcp, "{\"jsonrpc\":\"2.0\",\"method\":\"no/such\"}"), "");
	assert_string_equal(answer_to(&mcp, "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}"), "");
	assert_string_equal(answer_to(&mcp, " \t\r"), "");
}

TEST(what_is_wrong_has_the_protocols_number)
{
	static const char *const wrong[][2] = {
		{ "{", "-32700" },
		{ "{} {}", "-32700" },
		{ "\xff", "-32700" },
		{ "[]", "-32600" },
		{ "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", "batches are not taken" },
		{ "1", "-32600" },
		{ "{}", "-32600" },
		{ "{\"id\":1,\"method\":\"ping\"}", "-32600" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", "-32600" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":[],\"method\":\"ping\"}", "\"id\": null" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\"}", "-32601" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}", "-32602" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}", "-32602" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
		  "\"params\":{\"name\":\"rm\"}}",
		  "-32602" },
	};
	struct mcp mcp = server("/");
	char deep[200];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_has(answer_to(&mcp, wrong[i][0]), wrong[i][1]);
	memset(deep, '[', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	assert_has(answer_to(&mcp, deep), "-32700");
}

static const char *call(struct mcp *mcp, const char *tool, const char *arguments)
{
	char line[1024];

	snprintf(line, sizeof(line),
		 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
		 "\"%s\",\"arguments\":%s}}",
		 tool, arguments);
	return answer_to(mcp, line);
}

TEST(arguments_become_words)
{
	char folder[] = "/tmp/test_mcp.XXXXXX", path[64];
	struct mcp mcp;
	FILE *file;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/-o.evt", folder);
	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	mcp = server(folder);
	prints = "{\n \"rows\": [\n  {\"a\": 1},\n  {\"a\": 2},\n  {\"a\": 3}\n ]\n}\n";
	assert_has(call(&mcp, "report",
			"{\"recording\":\"-o.evt\",\"report\":\"ops\",\"by\":\"op --output x\","
			"\"filter\":[\"a>1\",\"b=2\"],\"limit\":2}"),
		   "left_out\\\":{\\\"rows\\\":1,\\\"of\\\":3");
	assert_string_equal(words, "prof-report ops --live --no-color --format=json "
				   "--by=op --output x --filter=a>1 --filter=b=2 ./-o.evt");
	ends_with = 2;
	assert_has(call(&mcp, "report", "{\"recording\":\"-o.evt\",\"report\":\"ops\"}"),
		   "it went wrong");
	ends_with = 0;
	assert_has(call(&mcp, "report", "{\"recording\":\"../x\",\"report\":\"ops\"}"),
		   "without ..");
	assert_has(call(&mcp, "report", "{\"recording\":\"-o.evt\",\"report\":\"dump\"}"),
		   "makes a table");
	assert_has(call(&mcp, "report", "{\"recording\":\"-o.evt\"}"), "'report' is missing");
	assert_has(call(&mcp, "report", "{\"recording\":\"-o.evt\",\"report\":7}"), "wrong type");
	assert_has(call(&mcp, "report",
			"{\"recording\":\"-o.evt\",\"report\":\"ops\",\"output\":"
			"\"x\"}"),
		   "no argument 'output'");
	assert_has(call(&mcp, "report", "{\"recording\":\"-o.evt\\u0000x\",\"report\":\"ops\"}"),
		   "wrong type");
	remove(path);
	remove(folder);
}
