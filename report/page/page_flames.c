/* SPDX-License-Identifier: MIT */
/* Stacks as pieces of a page: a tree of functions for each family and value. */
#include "report/page/page_flames.h"

#include <stdlib.h>
#include <string.h>

#define NODES_MAX 30000u       /* per tree */
#define SHARE_MIN_OF_ALL 4000u /* a smaller share of the whole is half a pixel on a wide screen */
#define ID_BYTES 96u
#define TITLE_BYTES 256u

static const struct stack_source *const sources[] = {
#define STACK_SOURCE(name) &stack_source_##name,
#include "report/families.def"
};
#define SOURCES (sizeof(sources) / sizeof(sources[0]))

static void page_flames_flame_want(struct page_flame *flame, struct page *page,
				   const struct stack_source *source, enum stack_value value)
{
	flame->options = *page->request->options;
	flame->options.of_report[REPORT_OPTION_of] = (struct report_option_value){ source->name,
										   0 };
	flame->options.of_report[REPORT_OPTION_value] = (struct report_option_value){
		"", (unsigned int)value
	};
	if (source == &stack_source_samples) {
		/* many Python functions share one name, so they are shown with files and lines */
		flame->options.report = REPORT_flame;
		flame->options.by = BY_flame_line;
	}
	flame->request = *page->request;
	flame->request.options = &flame->options;
	flame->report = (struct report){ .kind = &report_kind_flame,
					 .request = &flame->request,
					 .run = page->run };
	stack_report_want(&flame->state, &flame->report);
}

void page_flames_want(struct page_flames *flames, struct page *page)
{
	*flames = (struct page_flames){ .flame = memory_zero(SOURCES * STACK_VALUES,
							     sizeof(*flames->flame)) };
	for (size_t i = 0; i < SOURCES; i++)
		for (unsigned int value = 0; value < STACK_VALUES; value++)
			if (sources[i]->values & 1u << value)
				page_flames_flame_want(&flames->flame[flames->count++], page,
						       sources[i], (enum stack_value)value);
}

void page_flames_release(struct page_flames *flames)
{
	free(flames->flame);
}

/* --- the piece of a tree --- */

struct drawing {
	const struct stack_tree *tree;
	uint32_t *order; /* its nodes without the root */
	uint64_t least;  /* smaller nodes are left out */
	size_t left_out;
};

static bool page_flames_is_drawn(const struct drawing *drawing, size_t at)
{
	return drawing->tree->node[drawing->order[at]].total >= drawing->least;
}

/* A node is never smaller than what is below it, so every drawn node has its parents. */
static void count_left_out(struct drawing *drawing)
{
	size_t nodes = drawing->tree->count - 1;

	drawing->left_out = 0;
	for (size_t i = 0; i < nodes; i++)
		drawing->left_out += !page_flames_is_drawn(drawing, i);
}

static void draw_fewer(struct drawing *drawing)
{
	drawing->least = drawing->least > UINT64_MAX / 2 ? UINT64_MAX : drawing->least * 2;
	count_left_out(drawing);
}

static size_t drawn(const struct drawing *drawing)
{
	return drawing->tree->count - 1 - drawing->left_out;
}

static void choose_least(struct drawing *drawing)
{
	drawing->least = drawing->tree->node[TREE_ROOT].total / SHARE_MIN_OF_ALL;
	drawing->least += !drawing->least;
	count_left_out(drawing);
	while (drawn(drawing) > NODES_MAX)
		draw_fewer(drawing);
}

/* Names are numbered in the order of their first use, and written afterwards. */
static void page_flames_put_names(struct json *json, const struct drawing *drawing)
{
	const struct stack_tree *tree = drawing->tree;
	const char **names = NULL;
	size_t count = 0, room = 0;
	struct map known;

	map_init(&known);
	json_open(json, "name", '[');
	for (size_t i = 0; i + 1 < tree->count; i++) {
		const char *name = tree_name(tree, drawing->order[i]);
		struct map_entry *entry;
		bool added;

		if (!page_flames_is_drawn(drawing, i))
			continue;
		entry = map_put(&known, map_hash_bytes(name, strlen(name), 0), &added);
		if (added) {
			names = memory_room(names, count, &room, sizeof(*names));
			entry->value = count;
			names[count++] = name;
		}
		json_number(json, NULL, entry->value);
	}
	json_close(json, ']');
	json_open(json, "names", '[');
	for (size_t i = 0; i < count; i++)
		json_string(json, NULL, names[i]);
	json_close(json, ']');
	map_release(&known);
	free(names);
}

static void put_numbers(struct json *json, const struct drawing *drawing, const char *key,
			uint64_t (*of)(const struct tree_node *node))
{
	json_open(json, key, '[');
	for (size_t i = 0; i + 1 < drawing->tree->count; i++)
		if (page_flames_is_drawn(drawing, i))
			json_number(json, NULL, of(&drawing->tree->node[drawing->order[i]]));
	json_close(json, ']');
}

static uint64_t page_flames_depth_of(const struct tree_node *node)
{
	return node->depth;
}

static uint64_t self_of(const struct tree_node *node)
{
	return node->self;
}

static uint64_t page_flames_total_of(const struct tree_node *node)
{
	return node->total;
}

static char *flame_json(const struct page_flame *flame, struct drawing *drawing, size_t *ret_length)
{
	char *text = NULL, title[TITLE_BYTES];
	struct json json = { .out = page_text_open(&text, ret_length) };

	stack_report_describe(&flame->state, title, sizeof(title));
	json_open(&json, NULL, '{');
	json_string(&json, "title", title);
	json_string(&json, "unit", unit_name(stack_report_unit(&flame->state)));
	json_number(&json, "all", flame->state.all);
	json_number(&json, "left_out", drawing->left_out);
	put_numbers(&json, drawing, "depth", page_flames_depth_of);
	put_numbers(&json, drawing, "self", self_of);
	put_numbers(&json, drawing, "total", page_flames_total_of);
	page_flames_put_names(&json, drawing);
	json_close(&json, '}');
	fclose(json.out);
	return text;
}

static void page_flames_put_entry(struct page *page, const struct page_flame *flame, const char *id,
				  const char *value, const char *empty)
{
	struct json *entry = page_file_entry(&page->file, id, "flame");
	char title[TITLE_BYTES];

	stack_report_describe(&flame->state, title, sizeof(title));
	json_string(entry, "of", flame->state.from->name);
	json_string(entry, "value", value);
	json_string(entry, "title", title);
	json_number(entry, "all", flame->state.all);
	json_string(entry, "empty", empty);
	json_close(entry, '}');
}

/*
 * The smallest functions are joined to those around them until the rest fits. An empty tree always
 * fits.
 */
static void page_flames_put_tree(struct page *page, const struct page_flame *flame, const char *id,
				 uint64_t room)
{
	struct stack_tree tree;
	struct drawing drawing = { .tree = &tree };
	size_t length;
	char *text;

	stack_report_tree(&flame->state, &tree, false, TREE_BY_NAME);
	drawing.order = stack_tree_order(&tree);
	choose_least(&drawing);
	text = flame_json(flame, &drawing, &length);
	while (drawn(&drawing) && page_file_weigh(text, length) > room) {
		draw_fewer(&drawing);
		free(text);
		text = flame_json(flame, &drawing, &length);
	}
	page_file_put(&page->file, id, text, length);
	free(text);
	free(drawing.order);
	stack_tree_release(&tree);
}

static void put_flame(struct page *page, struct page_flame *flame, size_t pieces)
{
	struct facts facts = { .count = 0 };
	struct why_empty absence;
	const char *value, *empty = NULL;
	char id[ID_BYTES];

	stack_report_read(&flame->state, &flame->report);
	stack_report_total(&flame->state, &facts);
	value = facts.fact[1].cell.text;
	snprintf(id, sizeof(id), "flame-%s-%s", flame->state.from->name, value);
	if (flame->state.all)
		page_flames_put_tree(page, flame, id, page_budget_room(&page->file.budget, pieces));
	else
		empty = stack_report_explain(&flame->state, &flame->report, &absence);
	page_flames_put_entry(page, flame, id, value, empty);
	facts_release(&facts);
	stack_report_release(&flame->state);
}

void page_flames_put(struct page_flames *flames, struct page *page)
{
	page_budget_begin(&page->file.budget, PAGE_FLAMES);
	for (size_t i = 0; i < flames->count; i++)
		put_flame(page, &flames->flame[i], flames->count - i);
}
