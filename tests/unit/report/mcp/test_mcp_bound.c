/* SPDX-License-Identifier: MIT */
/* links: report format */
/* Documents and texts that are cut to a number of rows and bytes, in pieces of any length. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "report/mcp/mcp_bound.h"
#include "report/mcp/value.h"

static const char document[] =
	"{\n \"report\": \"x\",\n \"rows\": [\n  {\"a\": 18446744073709551615},\n"
	"  {\"a\": 2},\n  {\"a\": 3}\n ],\n \"totals\": {\n  \"n\": 3\n }\n}\n";

static void check(size_t rows, size_t bytes, size_t piece, size_t kept)
{
	struct mcp_bound bound = { .most_bytes = bytes, .most_rows = rows, .is_json = true };
	char why[VALUE_WHY_BYTES], wanted[64];
	struct value *value;
	const char *text;

	for (size_t at = 0; at < sizeof(document) - 1; at += piece)
		mcp_bound_take(&bound, document + at,
			       at + piece < sizeof(document) ? piece : sizeof(document) - 1 - at);
	text = mcp_bound_finish(&bound);
	assert_non_null(text);
	value = value_read(text, strlen(text) - 1, why);
	assert_int_equal(value_count(value_member(value, "rows")), kept);
	snprintf(wanted, sizeof(wanted), "\"left_out\":{\"rows\":%zu,\"of\":3", 3 - kept);
	assert_non_null(strstr(text, wanted));
	assert_non_null(value_member(value, "totals"));
	/* numbers stay as they are written */
	assert_int_equal(!!strstr(text, "18446744073709551615"), kept > 0);
	value_free(value);
	mcp_bound_release(&bound);
}

TEST(rows_are_left_out_and_counted)
{
	for (size_t piece = 1; piece < sizeof(document); piece += 7) {
		check(10, 1000, piece, 3);
		check(2, 1000, piece, 2);
		check(1, 1000, piece, 1);
		check(0, 1000, piece, 0);
		/* the totals stay, and rows give way */
		check(10, 278, piece, 2);
		check(10, 256, piece, 0);
	}
}

TEST(a_head_that_does_not_fit)
{
	struct mcp_bound bound = { .most_bytes = 12, .most_rows = 10, .is_json = true };

	mcp_bound_take(&bound, document, sizeof(document) - 1);
	assert_null(mcp_bound_finish(&bound));
	mcp_bound_release(&bound);
	bound = (struct mcp_bound){ .most_bytes = 100, .most_rows = 10, .is_json = true };
	assert_null(mcp_bound_finish(&bound));
	mcp_bound_release(&bound);
}

/* As a job of many ranks has them. */
TEST(what_an_assistant_need_not_read)
{
	static const char job[] =
		"{\n \"report\": \"x\",\n \"files\": [\n  {\"path\": \"1\"},\n  {\"path\": "
		"\"2\"},\n"
		"  {\"path\": \"3\"},\n  {\"path\": \"4\"},\n  {\"path\": \"5\"},\n  {\"path\": "
		"\"6\"}\n ],\n"
		" \"session\": {\n  \"id\": \"y\",\n  \"meta\": {}\n },\n \"columns\": [\n"
		"  {\"name\": \"a\"},\n  {\"name\": \"b\"}\n ],\n \"rows\": [\n"
		"  {\"a\": null, \"b\": \"x, null : y\", \"c\": null},\n"
		"  {\"a\": -1.5, \"b\": null}\n ],\n"
		" \"totals\": {\n  \"n\": null,\n  \"m\": [null, 1]\n }\n}\n";
	struct mcp_bound bound = { .most_bytes = 1000, .most_rows = 10, .is_json = true };

	mcp_bound_take(&bound, job, sizeof(job) - 1);
	assert_string_equal(
		mcp_bound_finish(&bound),
		"{\"report\":\"x\",\"files\":[{\"path\":\"1\"},{\"path\":\"2\"},{\"path\":\"3\"},"
		"{\"path\":\"4\"}],\"rows\":[\n{\"b\":\"x, null : y\"},\n{\"a\":-1.5}],"
		"\"totals\":{\"m\":[null,1]},\n\"left_out\":{\"rows\":0,\"of\":2,\"files\":2}}\n");
	mcp_bound_release(&bound);
}

TEST(a_document_without_rows)
{
	static const char none[] = "{\n \"rows\": [],\n \"totals\": {}\n}\n";
	struct mcp_bound bound = { .most_bytes = 300, .most_rows = 10, .is_json = true };

	mcp_bound_take(&bound, none, sizeof(none) - 1);
	assert_non_null(strstr(mcp_bound_finish(&bound), "\"of\":0"));
	mcp_bound_release(&bound);
}

TEST(text_is_cut_at_lines)
{
	static const char text[] = "first\nsecond\nthird, without an end";
	struct mcp_bound bound = { .most_bytes = 14 };

	mcp_bound_take(&bound, text, sizeof(text) - 1);
	assert_string_equal(mcp_bound_finish(&bound),
			    "first\nsecond\n(1 line left out: raise max_bytes)\n");
	mcp_bound_release(&bound);
	bound = (struct mcp_bound){ .most_bytes = 14 };
	assert_string_equal(mcp_bound_finish(&bound), "");
	mcp_bound_release(&bound);
}
