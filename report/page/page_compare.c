/* SPDX-License-Identifier: MIT */
/* The run beside others: reads them with report diff's code and writes one piece per report. */
#include "report/page/page_compare.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report/diff/compare.h"

#define ROWS_MAX 3000u /* per report; the rows that changed most come first */
#define ID_BYTES 96u
/* more than there are reports to compare, so that each later one keeps its minimum */
#define PIECES 32u

static bool is_same_file(const char *path, const char *other)
{
	struct stat one, two;

	return !stat(path, &one) && !stat(other, &two) && one.st_dev == two.st_dev &&
	       one.st_ino == two.st_ino;
}

int page_compare_check(struct page *page)
{
	struct report_request *request = page->request;
	const struct options *options = request->options;

	if (options->base_count && options->of_report[REPORT_OPTION_redact].text) {
		snprintf(request->message, sizeof(request->message),
			 "page takes either --redact or --against: redact the recordings first "
			 "(prof-report redact), then compare the copies");
		return STATUS_USAGE;
	}
	for (size_t i = 0; i < options->base_count && options->output; i++)
		if (is_same_file(options->output, options->base[i])) {
			snprintf(request->message, sizeof(request->message),
				 "cannot write '%.300s': it is a file that is read; choose another "
				 "name",
				 options->output);
			return STATUS_INPUT;
		}
	return STATUS_OK;
}

/* False: there is no room for it. */
static bool page_compare_put_piece(struct page *page, const char *id, const struct compared *one)
{
	char *text = NULL;
	size_t length = 0;
	bool fits;
	struct json json = { .out = page_text_open(&text, &length) };

	if (one->flame) {
		fwrite(one->json, 1, one->length, json.out);
	} else {
		json_open(&json, NULL, '{');
		json_string(&json, "head", one->head);
		json_string(&json, "foot", one->foot);
		fputs(", \"document\": ", json.out);
		fwrite(one->json, 1, one->length, json.out);
		json_close(&json, '}');
	}
	fclose(json.out);
	fits = page_file_weigh(text, length) <= page_budget_room(&page->file.budget, PIECES);
	if (fits)
		page_file_put(&page->file, id, text, length);
	free(text);
	return fits;
}

/* The smallest functions are joined to those around them until the rest fits. */
static size_t take_compared_flame(struct page *page, const struct compared *one)
{
	struct json *entry;
	char id[ID_BYTES];
	bool fits;

	snprintf(id, sizeof(id), "compare-flame-%u", page->compared_flames);
	fits = page_compare_put_piece(page, id, one);
	if (!fits && one->most > 1)
		return one->shown > 4 ? one->shown / 4 : 1;
	page->compared_flames++;
	entry = fits ? page_file_entry(&page->file, id, "compare-flame")
		     : page_file_leave_out(&page->file, id, "compare-flame");
	json_string(entry, "title", one->title);
	json_number(entry, "rows", one->rows);
	json_number(entry, "shown", fits ? one->shown : 0);
	json_close(entry, '}');
	return 0;
}

static size_t take_compared_report(void *context, const struct compared *one)
{
	struct page *page = context;
	char id[ID_BYTES];
	struct json *entry;
	bool fits;

	if (one->flame)
		return take_compared_flame(page, one);
	snprintf(id, sizeof(id), "compare-%s", one->report ? one->report : "all");
	fits = page_compare_put_piece(page, id, one);
	if (!fits && one->most > 1) {
		size_t rows = one->shown < one->most ? one->shown : one->most;

		return rows > 4 ? rows / 4 : 1;
	}
	entry = fits ? page_file_entry(&page->file, id, "compare")
		     : page_file_leave_out(&page->file, id, "compare");
	json_string(entry, "name", one->report);
	json_string(entry, "by", one->by);
	json_string(entry, "metric", one->metric);
	json_number(entry, "rows", one->rows);
	json_number(entry, "shown", fits ? one->shown : 0);
	json_close(entry, '}');
	return 0;
}

int page_compare_put(struct page *page)
{
	const struct options *options = page->request->options;
	struct report_request own = *page->request;
	int status;

	if (!options->base_count)
		return STATUS_OK;
	own.screen = page_screen(page, NULL);
	page_budget_begin(&page->file.budget, PAGE_COMPARE);
	status = compare_put(&own, options->base, options->base_count, ROWS_MAX,
			     take_compared_report, page);
	if (status)
		snprintf(page->request->message, sizeof(page->request->message), "%s", own.message);
	return status;
}
