/* SPDX-License-Identifier: MIT */
/*
 * The tools: their list with the schema of their arguments, and calls of them. mcp_tools.def names
 * them. One thread.
 */
#ifndef REPORT_MCP_MCP_TOOLS_H
#define REPORT_MCP_MCP_TOOLS_H

#include "report/base/json.h"
#include "report/mcp/mcp.h"
#include "report/mcp/value.h"

/* Writes {"tools": [...]} as the value of `key`. */
void mcp_tools_list(struct json *json, const char *key);
/*
 * Writes the result of a call as the value of `key`; what is wrong with its arguments is a result,
 * too, which the caller of the tool sees. False, and nothing is written: there is no such tool.
 * `arguments` is an object, or NULL.
 */
bool mcp_tools_call(struct mcp *mcp, const char *name, const struct value *arguments,
		    struct json *json, const char *key);

#endif
