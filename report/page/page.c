/* SPDX-License-Identifier: MIT */
/*
 * Report `page`: the recording as one file for a browser. All parts of the page are made from one
 * reading.
 */
#include "report/page/page.h"

#include <stdlib.h>
#include <unistd.h>

#include "report/base/talk.h"
#include "report/export/exporter.h"
#include "report/page/page_compare.h"
#include "report/page/page_flames.h"
#include "report/page/page_layers.h"
#include "report/page/page_memory.h"
#include "report/page/page_ranks.h"
#include "report/page/page_tables.h"
#include "report/page/page_timeline.h"
#include "report/session/limitations.h"

FILE *page_text_open(char **text, size_t *length)
{
	FILE *out = open_memstream(text, length);

	if (!out)
		memory_grow(NULL, SIZE_MAX, 1); /* ends the program with the usual message */
	return out;
}

struct screen page_screen(const struct page *page, FILE *out)
{
	struct screen screen = page->request->screen;

	screen.out = out;
	screen.width = PAGE_WIDTH;
	screen.uncut = true;
	screen.color = false;
	return screen;
}

static void page_put_losses(struct page *page)
{
	struct json *json = page_file_end_pieces(&page->file);
	char *text = NULL;
	size_t length = 0;
	FILE *out = page_text_open(&text, &length);
	struct screen screen = page_screen(page, out);

	export_losses(page->request->source, &screen);
	export_limitations(page->request->source, LIMITATION_ALL_FAMILIES, &screen);
	if (!fclose(out) && length)
		json_text(json, "losses", text, length);
	else
		json_null(json, "losses");
	json_string(json, "scope", page->request->message[0] ? page->request->message : NULL);
	free(text);
}

static void say_written(const struct page *page, uint64_t bytes)
{
	char size[UNIT_TEXT_BYTES];

	if (page->request->options->output && page->request->options->report == REPORT_page)
		talk_print("'%s': %s, to be opened with a browser", page->request->options->output,
			   unit_format(size, UNIT_BYTES, bytes));
}

struct page_parts {
	struct page_tables tables;
	struct page_ranks ranks;
	struct page_flames flames;
	struct page_memory memory;
	struct page_layers layers;
	struct page_timeline timeline;
};

static int page_write(struct page *page, struct page_parts *parts)
{
	uint64_t bytes;
	int status;

	if (page_file_open(&page->file, page->request))
		return STATUS_INPUT;
	page_tables_put(&parts->tables, page);
	page_ranks_put(&parts->ranks, page);
	page_flames_put(&parts->flames, page);
	page_memory_put(&parts->memory, page);
	page_layers_put(&parts->layers, page);
	page_timeline_put(&parts->timeline, page);
	status = page_compare_put(page);
	page_put_losses(page);
	bytes = page->file.bytes;
	if (page_file_close(&page->file, page->request))
		return STATUS_INPUT;
	if (status)
		return status;
	say_written(page, bytes);
	export_say_losses(page->request);
	return STATUS_OK;
}

static int page_check(struct report_request *request)
{
	if (request->screen.session.name) {
		snprintf(request->message, sizeof(request->message),
			 "page shows one session at a time: name the files of one only; those to "
			 "compare with stand behind --against");
		return STATUS_USAGE;
	}
	if (!request->options->output && isatty(STDOUT_FILENO)) {
		snprintf(request->message, sizeof(request->message),
			 "page needs a file to write to: add -o FILE.html, or send stdout "
			 "somewhere");
		return STATUS_USAGE;
	}
	return STATUS_OK;
}

static int page_source(struct report_request *request)
{
	struct page page = { .request = request };
	struct page_parts parts;
	int status = page_check(request);

	if (!status)
		status = page_compare_check(&page);
	if (status)
		return status;
	page.run = run_new(request->source, &request->scope);
	run_set_options(page.run, request->options);
	page_ranks_want(&parts.ranks, &page);
	page_flames_want(&parts.flames, &page);
	page_memory_want(&parts.memory, &page);
	page_layers_want(&parts.layers, &page);
	page_timeline_want(&parts.timeline, &page);
	status = page_tables_want(&parts.tables, &page);
	if (!status) {
		request_read(request, page.run);
		status = page_write(&page, &parts);
	}
	page_tables_release(&parts.tables);
	page_flames_release(&parts.flames);
	page_timeline_release(&parts.timeline);
	run_free(page.run);
	return status;
}

const struct report_kind report_kind_page = { .read_source = page_source };
