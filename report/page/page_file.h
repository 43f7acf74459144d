/* SPDX-License-Identifier: MIT */
/*
 * The file of a page: its source, then pieces of data. Each piece is a JSON document that is
 * deflated and encoded in base64, so that nothing of a recording can be interpreted as markup. The
 * last piece, `manifest`, lists the others:
 *
 *   {"pieces": [{"id": "table-ops", "kind": "table", ...}, ...], ...}
 *
 * A piece is written at once and not kept. One thread.
 */
#ifndef REPORT_PAGE_PAGE_FILE_H
#define REPORT_PAGE_PAGE_FILE_H

#include <stdio.h>

#include "report/base/json.h"
#include "report/export/sink.h"
#include "report/page/page_budget.h"

#define PAGE_TAG_BYTES 64u /* around a piece, without its id */

struct page_file {
	struct sink *sink;    /* owned */
	struct json manifest; /* its array "pieces" is open */
	char *manifest_text;  /* what it has written */
	size_t manifest_bytes;
	uint64_t bytes; /* of the pieces so far, as they are in the file */
	size_t pieces;
	struct page_budget budget;
};

/*
 * Returns 0, or -1 with the request's message. For tests, PROF_REPORT_PAGE_BYTES lowers the limit
 * PAGE_BYTES_MAX.
 */
int page_file_open(struct page_file *file, struct report_request *request);
/* Returns how many bytes the piece would take in the file. */
size_t page_file_weigh(const char *json, size_t length);
/* Opens an entry for a piece that is not in the page for lack of room. Close it like others. */
struct json *page_file_leave_out(struct page_file *file, const char *id, const char *kind);
/*
 * Writes the piece. The caller writes its entry in the manifest, between page_file_entry() and
 * json_close().
 */
void page_file_put(struct page_file *file, const char *id, const char *json, size_t length);
/* Opens the object of a piece in the manifest, with its id and kind. */
struct json *page_file_entry(struct page_file *file, const char *id, const char *kind);
/* Ends the manifest's array; its other members may follow. */
struct json *page_file_end_pieces(struct page_file *file);
/* Returns 0, or -1 with the request's message. Frees everything. */
int page_file_close(struct page_file *file, struct report_request *request);

#endif
