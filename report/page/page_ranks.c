/* SPDX-License-Identifier: MIT */
/* Writes the map of ranks by steps; how it is drawn is ranks.js. */
#include "report/page/page_ranks.h"

#include <stdlib.h>

#include "report/steps/step_events.h"

#define US_NS 1000u

void page_ranks_want(struct page_ranks *ranks, struct page *page)
{
	ranks->steps = steps_want(page->run, &(struct steps_options){ .wants_rows = true });
	ranks->collectives = collectives_want(page->run, &(struct collectives_options){ 0 });
}

static void page_ranks_put_spans(struct json *json, const char *key,
				 const struct rank_heat_span *span, size_t count)
{
	json_open(json, key, '[');
	for (size_t i = 0; i < count; i++) {
		json_open(json, NULL, '[');
		json_number(json, NULL, span[i].from);
		json_number(json, NULL, span[i].to);
		json_close(json, ']');
	}
	json_close(json, ']');
}

static void page_ranks_put_cells(struct json *json, const char *key, const struct rank_heat *heat,
				 bool is_rank)
{
	json_open(json, key, '[');
	for (size_t i = 0; i < heat->rows * heat->columns; i++) {
		const struct rank_heat_cell *cell = &heat->cell[i];

		if (cell->is_known)
			json_number(json, NULL, is_rank ? cell->rank : cell->own_ns / US_NS);
		else
			json_null(json, NULL);
	}
	json_close(json, ']');
}

static char *page_ranks_json(const struct rank_heat *heat, size_t *ret_length)
{
	char *text = NULL;
	struct json json = { .out = page_text_open(&text, ret_length) };

	json_open(&json, NULL, '{');
	page_ranks_put_spans(&json, "ranks", heat->rank, heat->rows);
	page_ranks_put_spans(&json, "steps", heat->step, heat->columns);
	json_number(&json, "median_us", heat->median_ns / US_NS);
	page_ranks_put_cells(&json, "own_us", heat, false);
	page_ranks_put_cells(&json, "slowest", heat, true);
	json_close(&json, '}');
	fclose(json.out);
	return text;
}

static void page_ranks_put_heat(struct page *page, const struct rank_heat *heat)
{
	size_t length;
	char *text = page_ranks_json(heat, &length);
	bool fits;

	page_budget_begin(&page->file.budget, PAGE_RANKS);
	fits = page_file_weigh(text, length) <= page_budget_room(&page->file.budget, 1);
	if (fits)
		page_file_put(&page->file, "ranks", text, length);
	json_close(fits ? page_file_entry(&page->file, "ranks", "ranks")
			: page_file_leave_out(&page->file, "ranks", "ranks"),
		   '}');
	free(text);
}

void page_ranks_put(const struct page_ranks *ranks, struct page *page)
{
	struct rank_rows rows = { 0 };
	struct rank_heat heat;

	rank_rows_make(&rows, page->request->source, ranks->steps, ranks->collectives);
	rank_heat_make(&heat, &rows);
	if (rows.count > 1 && heat.columns)
		page_ranks_put_heat(page, &heat);
	rank_heat_release(&heat);
	rank_rows_release(&rows);
}
