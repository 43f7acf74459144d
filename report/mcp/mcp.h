/* SPDX-License-Identifier: MIT */
/*
 * A server of the Model Context Protocol: takes messages of JSON-RPC 2.0, one a line, and answers
 * them. What it does not do: read stdin (report_mcp.c), run reports (mcp_run.c). One thread. Input
 * may be anything; each message has at most one answer.
 */
#ifndef REPORT_MCP_MCP_H
#define REPORT_MCP_MCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define MCP_LINE_MAX (1u << 20) /* bytes of a message */
#define MCP_WORDS_MAX 256u      /* of a command */

/* Takes each piece of a report's output; false: enough, the rest is not needed. */
typedef bool mcp_take(void *context, const char *bytes, size_t length);

struct mcp {
	const char *folder; /* absolute, without links */
	/*
	 * Runs `prof-report WORD...`, words end with NULL, in the folder; passes on its stdout.
	 * Returns its exit status, -1: it could not be started, or was ended. `error` gets what
	 * it said on stderr.
	 */
	int (*run)(const struct mcp *mcp, const char *const *word, mcp_take *take, void *context,
		   char *error, size_t error_bytes);
	bool is_initialized;
};

/*
 * Writes the answer to `out` as one line, or nothing if the message wants none. line[length] must
 * be 0.
 */
void mcp_take_line(struct mcp *mcp, const char *line, size_t length, FILE *out);
/* Writes the answer to a message that was too long to be read. */
void mcp_refuse_long_line(FILE *out);

/* The function that starts prof-report itself (mcp_run.c). */
int mcp_run_report(const struct mcp *mcp, const char *const *word, mcp_take *take, void *context,
		   char *error, size_t error_bytes);

#endif
