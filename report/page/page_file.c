/* SPDX-License-Identifier: MIT */
/*
 * The file of a page: compresses each piece, writes it at once, and collects the manifest in
 * memory.
 */
#include "report/page/page_file.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/base64.h"
#include "report/base/memory.h"
#include "report/page/page_source.h"

/*
 * The tests' own limit, or the general one. A value that is no number, or is greater, means the
 * general limit.
 */
static uint64_t bytes_max(void)
{
	const char *own = getenv("PROF_REPORT_PAGE_BYTES");
	uint64_t bytes = own ? strtoull(own, NULL, 10) : 0;

	return bytes && bytes < PAGE_BYTES_MAX ? bytes : PAGE_BYTES_MAX;
}

int page_file_open(struct page_file *file, struct report_request *request)
{
	*file = (struct page_file){ .sink = memory_zero(1, sizeof(*file->sink)) };
	page_budget_init(&file->budget, bytes_max(), request->options->base_count > 0);
	if (sink_open(file->sink, request, request->options->output, false)) {
		free(file->sink);
		file->sink = NULL;
		return -1;
	}
	file->manifest.out = open_memstream(&file->manifest_text, &file->manifest_bytes);
	if (!file->manifest.out)
		memory_grow(NULL, SIZE_MAX, 1); /* ends the program with the usual message */
	json_open(&file->manifest, NULL, '{');
	json_string(&file->manifest, "version", INTERCEPT_VERSION);
	json_open(&file->manifest, "pieces", '[');
	page_source_begin(file->sink);
	return 0;
}

size_t page_file_weigh(const char *json, size_t length)
{
	size_t packed = 0;

	free(sink_deflate(json, length, &packed));
	return base64_length(packed) + PAGE_TAG_BYTES;
}

void page_file_put(struct page_file *file, const char *id, const char *json, size_t length)
{
	size_t packed = 0;
	char *bytes = sink_deflate(json, length, &packed);
	char *text = memory_grow(NULL, base64_length(packed) + 1, 1);

	base64_encode(text, bytes, packed);
	sink_print(file->sink, "<script type=\"text/plain\" id=\"data-%s\">", id);
	sink_put(file->sink, text, base64_length(packed));
	sink_text(file->sink, "</script>\n");
	file->bytes += base64_length(packed);
	page_budget_use(&file->budget, base64_length(packed) + PAGE_TAG_BYTES + strlen(id));
	file->pieces++;
	free(text);
	free(bytes);
}

struct json *page_file_entry(struct page_file *file, const char *id, const char *kind)
{
	json_open(&file->manifest, NULL, '{');
	json_string(&file->manifest, "id", id);
	json_string(&file->manifest, "kind", kind);
	return &file->manifest;
}

struct json *page_file_leave_out(struct page_file *file, const char *id, const char *kind)
{
	struct json *entry = page_file_entry(file, id, kind);

	json_bool(entry, "left_out", true);
	return entry;
}

struct json *page_file_end_pieces(struct page_file *file)
{
	json_close(&file->manifest, ']');
	return &file->manifest;
}

int page_file_close(struct page_file *file, struct report_request *request)
{
	int result;

	json_close(&file->manifest, '}');
	if (!fclose(file->manifest.out))
		page_file_put(file, "manifest", file->manifest_text, file->manifest_bytes);
	page_source_end(file->sink);
	result = sink_close(file->sink, request);
	free(file->manifest_text);
	free(file->sink);
	return result;
}
