/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * Any bytes as messages to `prof-report mcp`, a line each. What is asked for is answered by one
 * line of JSON that can be read again; no report is run, but its words are looked at: none is an
 * option that nobody meant, and paths stay below the folder.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/mcp/mcp.h"
#include "report/mcp/value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
	if (!holds)
		abort();
}

static void check_path(const char *path)
{
	must(!strncmp(path, "./", 2) && path[2] && path[2] != '/');
	for (const char *at = strstr(path, ".."); at; at = strstr(at + 1, ".."))
		must(at[-1] != '/' || (at[2] != '/' && at[2]));
}

static int run(const struct mcp *mcp, const char *const *word, mcp_take *take, void *context,
	       char *error, size_t error_bytes)
{
	static const char rows[] =
		"{\n \"report\": \"x\",\n \"rows\": [\n  {\"a\": 1},\n  {\"a\": 2}\n"
		" ],\n \"totals\": {}\n}\n";

	(void)mcp;
	must(!strcmp(word[0], "prof-report"));
	for (size_t i = 2; word[i]; i++) {
		must(strncmp(word[i], "--output", 8) != 0 && strncmp(word[i], "-o", 2) != 0);
		if (word[i][0] == '.')
			check_path(word[i]);
	}
	error[error_bytes - 1] = '\0';
	take(context, rows, sizeof(rows) - 1);
	return 0;
}

static void check_answer(const char *text, size_t length)
{
	char why[VALUE_WHY_BYTES];
	struct value *value;

	if (!length)
		return;
	must(text[length - 1] == '\n' && !memchr(text, '\n', length - 1));
	value = value_read(text, length - 1, why);
	must(value_kind_of(value) == VALUE_OBJECT);
	must(value_has(value, "id", NULL) && value_has(value, "jsonrpc", NULL));
	must(value_has(value, "result", NULL) != value_has(value, "error", NULL));
	value_free(value);
}

static void take_line(struct mcp *mcp, const uint8_t *data, size_t length)
{
	char *line = malloc(length + 1), *answer = NULL;
	size_t answer_length = 0;
	FILE *out = open_memstream(&answer, &answer_length);

	must(line && out);
	memcpy(line, data, length);
	line[length] = '\0';
	mcp_take_line(mcp, line, length, out);
	fclose(out);
	if (answer_length) { /* read as a text that ends with 0 in place of its last byte */
		char *copy = malloc(answer_length + 1);

		must(copy != NULL);
		memcpy(copy, answer, answer_length);
		must(copy[answer_length - 1] == '\n');
		copy[answer_length] = '\0';
		check_answer(copy, answer_length);
		free(copy);
	}
	free(answer);
	free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mcp mcp = { .folder = "/nonexistent", .run = run, .is_initialized = size % 2 };

	while (size) {
		const uint8_t *end = memchr(data, '\n', size);
		size_t length = end ? (size_t)(end - data) : size;

		take_line(&mcp, data, length);
		length += end != NULL;
		data += length;
		size -= length;
	}
	return 0;
}
