/* SPDX-License-Identifier: MIT */
/*
 * Reports as pieces of a page: runs all reports on one reading and writes their documents as JSON.
 */
#include "report/page/page_tables.h"

#include <stdlib.h>
#include <string.h>

#include "report/core/report_batch.h"

#define TABLE_BYTES_MAX 400000u /* per table in the file */
#define ANSWER_WIDTH 4096u      /* sentences are not broken */
#define ROWS_MIN 20u
#define ID_BYTES 96u

/* On the page, trees of stacks are flame graphs instead. */
static bool page_tables_is_shown(enum report_id id)
{
	const struct report_kind *kind = report_kind_of(id);

	return kind->want && report_infos[id].takes & TAKES_FORMAT &&
	       !(report_infos[id].takes & TAKES_of);
}

/* What the overview and the advice are made of: written first, and never left out. */
static bool is_first(const struct page_table *table)
{
	return table->options.report == REPORT_summary ||
	       table->options.report == REPORT_bottleneck;
}

int page_tables_want(struct page_tables *tables, struct page *page)
{
	int status = STATUS_OK;

	*tables = (struct page_tables){ .table = memory_zero(REPORT_LIMIT,
							     sizeof(*tables->table)) };
	for (unsigned int id = 0; id < REPORT_LIMIT && !status; id++) {
		struct page_table *table = &tables->table[tables->count];
		enum key_id by = batch_key((enum report_id)id, NULL);

		if (!page_tables_is_shown((enum report_id)id))
			continue;
		tables->count++;
		table->options = *page->request->options;
		table->options.report = (enum report_id)id;
		table->options.format = FORMAT_JSON;
		table->options.limit = PAGE_ROWS_MAX;
		table->options.output = NULL;
		table->options.by = by == KEY_ID_LIMIT ? (enum key_id)0 : by;
		table->request = *page->request;
		table->request.options = &table->options;
		status = report_job_open(&table->job, report_kind_of((enum report_id)id),
					 &table->request);
		if (status)
			snprintf(page->request->message, sizeof(page->request->message), "%s",
				 table->request.message);
		else
			report_job_want(&table->job, page->run);
	}
	return status;
}

void page_tables_release(struct page_tables *tables)
{
	for (size_t i = 0; i < tables->count; i++) {
		report_job_release(&tables->table[i].job);
		request_release(&tables->table[i].request);
	}
	free(tables->table);
}

/* --- the piece of a table --- */

/* Writes what a report prints before its table, or after it. */
static void page_tables_put_text(struct json *json, const char *key, const struct page *page,
				 const struct document *document,
				 void (*print)(const struct document *document,
					       const struct screen *screen))
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = page_text_open(&text, &length);
	struct screen screen = page_screen(page, out);

	if (print)
		print(document, &screen);
	if (fclose(out) || !length)
		json_null(json, key);
	else
		json_text(json, key, text, length);
	free(text);
}

/* Writes the first paragraph of the summary, one line per sentence. */
static void page_tables_put_answer(struct json *json, const struct page *page,
				   const struct document *document)
{
	char *text = NULL, *end;
	size_t length = 0;
	FILE *out = page_text_open(&text, &length);
	struct screen screen = page_screen(page, out);

	screen.width = ANSWER_WIDTH;
	document->head(document, &screen);
	fclose(out);
	end = strstr(text, "\n\n");
	json_text(json, "answer", text, end ? (size_t)(end - text) : length);
	free(text);
}

static void put_columns(struct json *json, const struct document *document)
{
	json_open(json, "columns", '[');
	for (size_t i = 0; i < document->shown_count; i++) {
		const struct column *column = document->table->column[document->shown[i]];
		const struct cell *first = document->table->shown
						   ? table_cell(document->table,
								document->table->order[0],
								document->shown[i])
						   : NULL;
		bool is_amount = first && first->kind == CELL_NUMBER && first->length;

		json_open(json, NULL, '{');
		json_string(json, "name", column->name);
		json_string(json, "header", column->header);
		json_string(json, "unit",
			    unit_name(is_amount ? (enum unit)(first->length - 1) : column->unit));
		json_number(json, "priority", column->priority);
		json_bool(json, "descends", column->order == COLUMN_ORDER_DESC);
		json_string(json, "doc", column->doc);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void put_about(FILE *out, const struct page *page, const struct page_table *table)
{
	const struct report_info *info = &report_infos[table->options.report];
	const struct document *document = &table->job.document;
	struct json json = { .out = out };

	json_open(&json, NULL, '{');
	json_string(&json, "title", info->doc);
	json_string(&json, "more", info->more);
	json_string(&json, "by", info->takes & TAKES_BY ? key_list[table->options.by].name : NULL);
	json_string(&json, "sort", info->sort);
	json_number(&json, "rows", document->table->passed);
	json_bool(&json, "is_text", document->head_only);
	json_string(&json, "recorded", document->scope);
	json_string(&json, "empty", document->table->row_count ? NULL : document->empty);
	if (table->options.report == REPORT_summary)
		page_tables_put_answer(&json, page, document);
	page_tables_put_text(&json, "head", page, document, document->head);
	page_tables_put_text(&json, "foot", page, document, document->foot);
	put_columns(&json, document);
	json_close(&json, '}');
}

/* {"about": ..., "document": ...}; the document is that of the report's own --format json. */
static char *table_json(const struct page *page, struct page_table *table, size_t *ret_length)
{
	char *text = NULL;
	FILE *out = page_text_open(&text, ret_length);

	table->request.screen = page_screen(page, out);
	fputs("{\"document\": ", out);
	report_job_write(&table->job);
	fputs(", \"about\": ", out);
	put_about(out, page, table);
	fputs("}\n", out);
	fclose(out);
	return text;
}

/*
 * If the table's rows are long, or the page has no room, there are fewer rows: those with the
 * lowest values are left out.
 */
static char *table_json_that_fits(const struct page *page, struct page_table *table, uint64_t room,
				  size_t *ret_length)
{
	size_t *limit = &table->request.arrangement.limit;
	char *text = table_json(page, table, ret_length);
	uint64_t bytes = page_file_weigh(text, *ret_length);

	while (*limit > 1 &&
	       (bytes > room || (bytes > TABLE_BYTES_MAX && *limit / 4 >= ROWS_MIN))) {
		*limit = *limit > 4 ? *limit / 4 : 1;
		free(text);
		text = table_json(page, table, ret_length);
		bytes = page_file_weigh(text, *ret_length);
	}
	table->is_left_out = bytes > room && !is_first(table);
	return text;
}

static void put_table(struct page *page, struct page_table *table, size_t pieces)
{
	char id[ID_BYTES], *text;
	size_t length;

	text = table_json_that_fits(page, table, page_budget_room(&page->file.budget, pieces),
				    &length);
	snprintf(id, sizeof(id), "table-%s", report_infos[table->options.report].name);
	if (!table->is_left_out)
		page_file_put(&page->file, id, text, length);
	free(text);
}

static void page_tables_put_entry(struct page *page, const struct page_table *table)
{
	const struct report_info *info = &report_infos[table->options.report];
	char id[ID_BYTES];
	struct json *entry;

	snprintf(id, sizeof(id), "table-%s", info->name);
	entry = table->is_left_out ? page_file_leave_out(&page->file, id, "table")
				   : page_file_entry(&page->file, id, "table");
	json_string(entry, "name", info->name);
	json_string(entry, "title", info->doc);
	json_number(entry, "rows", table->job.table.passed);
	json_number(entry, "shown", table->is_left_out ? 0 : table->job.table.shown);
	json_string(entry, "empty", table->job.table.row_count ? NULL : table->job.document.empty);
	json_close(entry, '}');
}

void page_tables_put(struct page_tables *tables, struct page *page)
{
	size_t pieces = tables->count;

	/*
	 * the text around a report's table may finish rows that others share, so all tables come
	 * first
	 */
	for (size_t i = 0; i < tables->count; i++)
		report_job_fill(&tables->table[i].job);
	page_budget_begin(&page->file.budget, PAGE_TABLES);
	for (unsigned int later = 0; later < 2; later++)
		for (size_t i = 0; i < tables->count; i++)
			if (is_first(&tables->table[i]) != later)
				put_table(page, &tables->table[i], pieces--);
	for (size_t i = 0; i < tables->count; i++)
		page_tables_put_entry(page, &tables->table[i]);
}
