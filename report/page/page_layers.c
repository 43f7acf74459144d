/* SPDX-License-Identifier: MIT */
/*
 * What memory consisted of over time: names the rows of layers.h and thins moments and parts until
 * a piece fits.
 */
#include "report/page/page_layers.h"

#include <stdlib.h>
#include <string.h>

#include "report/core/known.h"
#include "report/options/keys.h"
#include "report/stacks/stack_rows.h"
#include "report/tensors/rows_tensors.h"

#define PARTS_MAX 48u /* per moment in the page; fewer if there is no room */
#define PARTS_MIN 6u
#define PIECES 4u /* pieces made in this file */

/* Which part of the layers is written: the largest parts of one in so many moments. */
struct thinning {
	size_t parts, step;
};

void page_layers_want(struct page_layers *layers, struct page *page)
{
	layers->heap = heap_want(page->run, &(struct heap_options){ BY_alloc_stack, HEAP_OF_C });
	layers->tensors = tensors_want(page->run, &(struct tensors_options){ .by = BY_tensors_op });
	layers->categories = categories_want(page->run, NULL);
	heap_keep_layers(layers->heap);
	tensors_keep_layers(layers->tensors);
}

/* Rows as names: rows with one name are one part. */
struct naming {
	uint32_t *name; /* by row, plus 1; 0: not known yet */
	const char **text;
	size_t count, room;
	struct map known;
	struct text_store texts;
};

static void naming_init(struct naming *naming, size_t rows)
{
	*naming = (struct naming){ .name = memory_zero(rows + 1, sizeof(*naming->name)) };
	map_init(&naming->known);
}

static void page_layers_naming_release(struct naming *naming)
{
	map_release(&naming->known);
	text_store_release(&naming->texts);
	free(naming->name);
	free(naming->text);
}

static void naming_set(struct naming *naming, size_t row, const char *text)
{
	bool added;
	struct map_entry *entry = map_put(&naming->known, map_hash_bytes(text, strlen(text), 0),
					  &added);

	if (added) {
		naming->text = memory_room(naming->text, naming->count, &naming->room,
					   sizeof(char *));
		entry->value = naming->count;
		naming->text[naming->count++] = text_store_put(&naming->texts, text, strlen(text));
	}
	naming->name[row] = (uint32_t)entry->value + 1;
}

/* --- a piece --- */

static int page_layers_compare_parts(const void *first, const void *second)
{
	const struct layers_part *a = first, *b = second;

	if (a->value != b->value)
		return a->value < b->value ? 1 : -1;
	return (a->row > b->row) - (a->row < b->row);
}

/* Joins the moment's parts by name: `row` becomes the name's number. Returns their number. */
static size_t moment_join(const struct layers_moment *moment, const struct naming *naming,
			  struct layers_part *parts, uint32_t *at, size_t most)
{
	size_t count = 0;

	for (uint32_t i = 0; i < moment->count; i++) {
		uint32_t name = naming->name[moment->part[i].row] - 1;

		if (!at[name]) {
			parts[count] = (struct layers_part){ .row = name };
			at[name] = (uint32_t)++count;
		}
		parts[at[name] - 1].value += moment->part[i].value;
	}
	for (size_t i = 0; i < count; i++)
		at[parts[i].row] = 0;
	qsort(parts, count, sizeof(*parts), page_layers_compare_parts);
	return count < most ? count : most;
}

static void page_layers_put_moment(struct json *json, const struct layers_part *part, size_t count)
{
	json_open(json, NULL, '[');
	json_open(json, NULL, '[');
	for (size_t i = 0; i < count; i++)
		json_number(json, NULL, part[i].row);
	json_close(json, ']');
	json_open(json, NULL, '[');
	for (size_t i = 0; i < count; i++)
		json_number(json, NULL, part[i].value);
	json_close(json, ']');
	json_close(json, ']');
}

/*
 * Names are numbered in the order of their first use, so only names that are used are in the piece.
 */
static void put_parts(struct json *json, const struct layers *layers, const struct naming *naming,
		      const struct thinning *thinning)
{
	struct layers_part *parts = memory_zero(LAYERS_PARTS, sizeof(*parts));
	uint32_t *at = memory_zero(naming->count + 1, sizeof(*at)),
		 *shown = memory_zero(naming->count + 1, sizeof(*shown)),
		 *used = memory_zero(naming->count + 1, sizeof(*used)), names = 0;

	json_open(json, "parts", '[');
	for (size_t i = 0; i < layers->count; i += thinning->step) {
		size_t count = moment_join(&layers->moment[i], naming, parts, at, thinning->parts);

		for (size_t k = 0; k < count; k++) {
			uint32_t name = parts[k].row;

			if (!shown[name]) {
				used[names] = name;
				shown[name] = ++names;
			}
			parts[k].row = shown[name] - 1;
		}
		page_layers_put_moment(json, parts, count);
	}
	json_close(json, ']');
	json_open(json, "names", '[');
	for (uint32_t i = 0; i < names; i++)
		json_string(json, NULL, naming->text[used[i]]);
	json_close(json, ']');
	free(parts);
	free(at);
	free(shown);
	free(used);
}

static void put_layers(struct json *json, const struct layers *layers, const struct naming *naming,
		       const struct thinning *thinning)
{
	json_open(json, "times", '[');
	for (size_t i = 0; i < layers->count; i += thinning->step)
		json_number(json, NULL, layers->moment[i].time_ns);
	json_close(json, ']');
	json_open(json, "all", '[');
	for (size_t i = 0; i < layers->count; i += thinning->step)
		json_number(json, NULL, layers->moment[i].all);
	json_close(json, ']');
	put_parts(json, layers, naming, thinning);
	json_number(json, "moments", layers->count);
	if (thinning->parts < PARTS_MAX)
		json_number(json, "parts_max", thinning->parts);
}

static char *layers_json(const struct layers *layers, const struct naming *naming,
			 const struct thinning *thinning, size_t *ret_length)
{
	char *text = NULL;
	struct json json = { .out = page_text_open(&text, ret_length) };

	json_open(&json, NULL, '{');
	put_layers(&json, layers, naming, thinning);
	json_close(&json, '}');
	fclose(json.out);
	return text;
}

/* Reduces the parts, then the moments. False: nothing more to reduce. */
static bool thin(struct thinning *thinning, const struct layers *layers)
{
	if (thinning->parts > PARTS_MIN) {
		thinning->parts /= 2;
		return true;
	}
	thinning->step *= 2;
	return thinning->step < layers->count;
}

static void page_layers_put_piece(struct page *page, const char *id, const char *of, const char *by,
				  const struct layers *layers, const struct naming *naming)
{
	struct thinning thinning = { PARTS_MAX, 1 };
	uint64_t room = page_budget_room(&page->file.budget, PIECES);
	struct json *entry;
	size_t length;
	char *text = layers_json(layers, naming, &thinning, &length);
	bool fits;

	while (!(fits = page_file_weigh(text, length) <= room) && thin(&thinning, layers)) {
		free(text);
		text = layers_json(layers, naming, &thinning, &length);
	}
	if (fits)
		page_file_put(&page->file, id, text, length);
	free(text);
	entry = fits ? page_file_entry(&page->file, id, "layers")
		     : page_file_leave_out(&page->file, id, "layers");
	json_string(entry, "of", of);
	json_string(entry, "by", by);
	json_close(entry, '}');
}

/* --- names of rows --- */

/* Only when all functions are known is it known which of them need more than a short name. */
static void page_layers_name_stacks(struct naming *naming, const struct layers *layers,
				    const struct heap *heap, struct source *source,
				    struct stack_rows *rows)
{
	size_t *place = memory_zero(heap->row_count + 1, sizeof(*place)); /* plus 1, by row */
	struct source_process *const *process;

	source_processes(source, &process);
	for (size_t i = 0; i < layers->count; i++)
		for (uint32_t j = 0; j < layers->moment[i].count; j++) {
			uint32_t number = layers->moment[i].part[j].row;
			const struct heap_row *row = &heap->row[number];
			struct stack_use use = { process[row->process], (uint32_t)row->key,
						 row->last_ns, 1 };

			if (place[number])
				continue;
			place[number] = stack_rows_place(rows, &use);
			if (place[number] != STACK_LEFT_OUT)
				place[number]++;
		}
	for (size_t i = 0; i < heap->row_count; i++)
		if (place[i])
			naming_set(naming, i,
				   place[i] == STACK_LEFT_OUT
					   ? "(left out by --filter)"
					   : stack_rows_text(rows, place[i] - 1));
	free(place);
}

static void page_layers_put_heap(struct page *page, struct heap *heap, const struct layers *layers,
				 enum stack_by by)
{
	struct source *source = page->request->source;
	bool is_python = by == STACK_BY_PYTHON;
	struct stack_rows rows;
	struct naming naming;

	stack_rows_init(&rows, source, page->request->options, by, STACK_COLUMNS_NONE);
	naming_init(&naming, heap->row_count);
	page_layers_name_stacks(&naming, layers, heap, source, &rows);
	if (!is_python || rows.has_python)
		page_layers_put_piece(
			page, is_python ? "layers-heap-python" : "layers-heap-function", "heap",
			is_python ? "line of Python" : "function", layers, &naming);
	page_layers_naming_release(&naming);
	stack_rows_release(&rows);
}

static const char *tensor_name(const struct tensors *tensors, const struct tensor_row *row,
			       struct text_store *texts)
{
	const char *text = tensors_row_text(tensors, row, texts);
	char device[TENSOR_DEVICE_BYTES];

	if (tensors->device_count < 2)
		return text;
	return text_store_format(texts, "%s, %s", text,
				 tensor_device_text(tensors->device[row->device].device, device));
}

static void page_layers_put_tensors(struct page *page, const struct tensors *tensors,
				    const struct layers *layers)
{
	struct naming naming;

	naming_init(&naming, tensors->row_count);
	for (size_t i = 0; i < tensors->row_count; i++)
		naming_set(&naming, i, tensor_name(tensors, &tensors->row[i], &naming.texts));
	page_layers_put_piece(page, "layers-tensors-op", "tensors", "operator", layers, &naming);
	page_layers_naming_release(&naming);
}

/* --- tensors by what they are for --- */

/* A moment's rows are categories. */
static void category_moment_make(struct layers_moment *moment, uint64_t time_ns,
				 const uint64_t bytes[CATEGORIES])
{
	moment->part = memory_zero(CATEGORIES, sizeof(*moment->part));
	moment->time_ns = time_ns;
	for (uint32_t k = 0; k < CATEGORIES; k++) {
		if (!bytes[k])
			continue;
		moment->part[moment->count++] = (struct layers_part){ .value = bytes[k], .row = k };
		moment->all += bytes[k];
	}
}

/* Returns whether anything lived at a moment. */
static bool category_layers_make(struct layers *layers, const struct category_device *device,
				 uint64_t end_ns)
{
	uint64_t most = 0;
	uint64_t bytes[CATEGORY_MOMENTS][CATEGORIES];
	size_t count = category_times_make(&device->times, end_ns, bytes);

	layers_init(layers);
	for (size_t i = 0; i < count && i < LAYERS_MOMENTS; i++)
		category_moment_make(&layers->moment[i], (i + 1) * device->times.width_ns,
				     bytes[i]);
	layers->count = count < LAYERS_MOMENTS ? count : LAYERS_MOMENTS;
	for (size_t i = 0; i < layers->count; i++)
		most |= layers->moment[i].all;
	return most;
}

/* The device with most memory of tensors; NULL: what they are for is not known. */
static const struct category_device *category_device_shown(const struct categories *categories)
{
	const struct category_device *most = NULL;

	for (size_t i = 0; i < categories->device_count && categories->is_known; i++)
		if (!most || categories->device[i].peak_bytes > most->peak_bytes)
			most = &categories->device[i];
	return most;
}

static void page_layers_put_categories(struct page *page, const struct categories *categories,
				       uint64_t end_ns)
{
	const struct category_device *device = category_device_shown(categories);
	struct layers *layers;
	struct naming naming;
	bool lived;
	char text[TENSOR_DEVICE_BYTES + 64], name[TENSOR_DEVICE_BYTES];

	if (!device)
		return;
	layers = memory_zero(1, sizeof(*layers));
	lived = category_layers_make(layers, device, end_ns);
	naming_init(&naming, CATEGORIES);
	for (unsigned int k = 0; k < CATEGORIES; k++)
		naming_set(&naming, k, category_name((enum tensor_category)k));
	snprintf(text, sizeof(text), "what they are for, on %s",
		 tensor_device_text(device->device, name));
	if (lived)
		page_layers_put_piece(page, "layers-tensors-category", "tensors", text, layers,
				      &naming);
	page_layers_naming_release(&naming);
	layers_release(layers);
	free(layers);
}

void page_layers_put(const struct page_layers *layers, struct page *page)
{
	uint64_t end_ns = known_until_ns(page->run);
	const struct layers *heap = heap_end_layers(layers->heap, end_ns),
			    *tensors = tensors_end_layers(layers->tensors, end_ns);

	if (layers->heap->totals.allocations) {
		if (!layers->heap->estimate) /* if stacks are sampled, most blocks have no line */
			page_layers_put_heap(page, layers->heap, heap, STACK_BY_PYTHON);
		page_layers_put_heap(page, layers->heap, heap, STACK_BY_FUNCTION);
	}
	if (layers->tensors->flow.allocations) {
		page_layers_put_categories(page, layers->categories, end_ns);
		page_layers_put_tensors(page, layers->tensors, tensors);
	}
}
