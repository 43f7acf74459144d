/* SPDX-License-Identifier: MIT */
/*
 * The file of a page under way: its source, then pieces of data, each a JSON document that is deflated and base64, so that
 * nothing of a recording is ever markup. The last piece, `manifest`, lists the others:
 *
 *   {"pieces": [{"id": "table-ops", "kind": "table", ...}, ...], ...}
 *
 * A piece is written at once and kept nowhere. One thread.
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
	struct json manifest; /* open in its array "pieces" */
	char *manifest_text;  /* what it has written */
	size_t manifest_bytes;
	uint64_t bytes; /* of pieces so far, as they stand in the file */
	size_t pieces;
	struct page_budget budget;
};

/* 0, or -1 with the request's message. PROF_REPORT_PAGE_BYTES, for tests, is another limit of the file than PAGE_BYTES_MAX. */
int page_file_open(struct page_file *file, struct report_request *request);
/* What the piece would take of the file. */
size_t page_file_weigh(const char *json, size_t length);
/* An entry of a piece that is not in the page, for lack of room. To be closed as others. */
struct json *page_file_leave_out(struct page_file *file, const char *id, const char *kind);
/* Writes the piece; its line of the manifest is the caller's, between page_file_entry() and json_close(). */
void page_file_put(struct page_file *file, const char *id, const char *json, size_t length);
/* Opens the object of a piece in the manifest, with its id and kind. */
struct json *page_file_entry(struct page_file *file, const char *id, const char *kind);
/* The manifest's array ends; its other members may follow. */
struct json *page_file_end_pieces(struct page_file *file);
/* 0, or -1 with the request's message. Frees all. */
int page_file_close(struct page_file *file, struct report_request *request);

#endif
