/* SPDX-License-Identifier: MIT */
/*
 * The recordings below the server's folder: which there are, and whether a path that somebody names
 * is one of them. Opens files only to read their headers. Folders that are links are not entered.
 */
#ifndef REPORT_MCP_MCP_FILES_H
#define REPORT_MCP_MCP_FILES_H

#include <stddef.h>

#include "report/base/json.h"

#define MCP_FILES_MAX 500u
#define MCP_DEPTH_MAX 8u

/* Writes {"recordings": [...], "left_out": {...}}. */
void mcp_files_list(const char *folder, struct json *json);
/*
 * Returns the path as a word of a command, "./" in front, which the caller frees; or NULL, with one
 * line in `why`.
 */
char *mcp_files_word(const char *folder, const char *path, char *why, size_t why_bytes);

#endif
