/* SPDX-License-Identifier: MIT */
/*
 * Shortens JSON for assistants, who pay for each word: without the blanks between its parts, and
 * without members of objects that are null. Numbers and texts stay as they are written.
 *
 * No memory is kept. To be used by any thread.
 */
#ifndef REPORT_MCP_MCP_COMPACT_H
#define REPORT_MCP_MCP_COMPACT_H

#include <stddef.h>

/*
 * Shortens the text where it is, which may be a part of a document: lines of json.h. Returns its
 * new length. Of bytes that are no JSON it makes others, but never more.
 */
size_t mcp_compact(char *text, size_t length);

#endif
