/* SPDX-License-Identifier: MIT */
/* Report `mcp`: reads messages from stdin, a line each, until it ends. */
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "report/base/memory.h"
#include "report/core/report_kind.h"
#include "report/mcp/mcp.h"

/* Returns false at the end. A line that is too long is passed over. */
static bool read_line(char *line, size_t *ret_length, bool *ret_is_long)
{
	size_t length = 0;
	bool is_long = false;
	int byte;

	while ((byte = getc_unlocked(stdin)) != EOF && byte != '\n') {
		is_long = is_long || length == MCP_LINE_MAX;
		if (!is_long)
			line[length++] = (char)byte;
	}
	line[length] = '\0';
	*ret_length = length;
	*ret_is_long = is_long;
	return byte != EOF || length;
}

static void mcp_serve(struct mcp *mcp)
{
	char *line = memory_zero(MCP_LINE_MAX + 1, 1);
	bool is_long;
	size_t length;

	while (read_line(line, &length, &is_long)) {
		if (is_long)
			mcp_refuse_long_line(stdout);
		else
			mcp_take_line(mcp, line, length, stdout);
		if (fflush(stdout))
			break; /* nobody reads any more */
	}
	free(line);
}

static int mcp_files(struct report_request *request)
{
	struct mcp mcp = { .run = mcp_run_report };
	char folder[PATH_MAX];

	if (request->options->file_count) {
		snprintf(request->message, sizeof(request->message),
			 "mcp takes no files: it reads those below the folder that it is started "
			 "in");
		return STATUS_USAGE;
	}
	if (!getcwd(folder, sizeof(folder)) || folder[0] != '/') {
		snprintf(request->message, sizeof(request->message),
			 "mcp: the current folder has no name; start it in a folder that exists");
		return STATUS_INPUT;
	}
	mcp.folder = folder;
	mcp_serve(&mcp);
	return STATUS_OK;
}

const struct report_kind report_kind_mcp = { .read_files = mcp_files };
