/* SPDX-License-Identifier: MIT */
/*
 * A map by a hash of names; names with the same hash follow each other. A row's value in the window
 * is its total minus its total at the window's begin.
 */
#include "report/watch/board_list.h"

#include <stdlib.h>
#include <string.h>

void board_list_init(struct board_list *list)
{
	*list = (struct board_list){ .row = NULL };
	map_init(&list->names);
}

void board_list_release(struct board_list *list)
{
	free(list->row);
	map_release(&list->names);
	text_store_release(&list->texts);
}

static struct board_row *list_row(struct board_list *list, const char *name)
{
	uint64_t hash = map_hash_bytes(name, strlen(name), 0);
	struct map_entry *entry;
	bool added;

	for (;; hash = hash + 1 ? hash + 1 : 1) { /* two with one hash follow each other */
		entry = map_put(&list->names, hash, &added);
		if (added)
			break;
		if (!strcmp(list->row[entry->value].name, name))
			return &list->row[entry->value];
	}
	list->row = memory_room(list->row, list->count, &list->room, sizeof(*list->row));
	list->row[list->count] = (struct board_row){ .name = name };
	entry->value = list->count++;
	return &list->row[entry->value];
}

/* The part of `total` that was added since the window began. */
static void window_take(const struct follower_window *window, enum watch_kind_id kind, size_t row,
			const uint64_t total[WATCH_VALUES], uint64_t ret_value[WATCH_VALUES])
{
	const struct follower_mark *from = window->from;
	const uint64_t *before = from && row < from->rows[kind]
					 ? &from->value[kind][WATCH_VALUES * row]
					 : NULL;

	for (unsigned int i = 0; i < WATCH_VALUES; i++)
		ret_value[i] = total[i] - (before ? before[i] : 0);
}

static void list_add_row(struct board_list *list, const char *name,
			 const uint64_t value[WATCH_VALUES], const uint64_t total[WATCH_VALUES])
{
	struct board_row *row = list_row(list, name);

	for (unsigned int i = 0; i < WATCH_VALUES; i++) {
		row->window[i] += value[i];
		row->total[i] += total[i];
	}
	list->window_sum += value[0];
	list->total_sum += total[0];
}

void board_list_add(struct board_list *list, const struct follower *follower,
		    const struct follower_window *window, enum watch_kind_id kind)
{
	const struct watch_kind *what = &watch_kinds[kind];
	const void *state = follower->state[kind];
	size_t rows = what->count(state);

	for (size_t row = 0; row < rows; row++) {
		uint64_t total[WATCH_VALUES], value[WATCH_VALUES];
		const char *name;

		what->values(state, row, total);
		if (!total[0] && !total[1])
			continue;
		name = what->name(state, follower->source, row, &list->texts);
		if (!name)
			continue;
		window_take(window, kind, row, total, value);
		list_add_row(list, name, value, total);
	}
}

static int board_list_row_compare(const void *left, const void *right)
{
	const struct board_row *one = left, *other = right;

	for (unsigned int i = 0; i < WATCH_VALUES; i++)
		if (one->window[i] != other->window[i])
			return one->window[i] < other->window[i] ? 1 : -1;
	if (one->total[0] != other->total[0])
		return one->total[0] < other->total[0] ? 1 : -1;
	return strcmp(one->name, other->name);
}

void board_list_sort(struct board_list *list)
{
	if (list->count)
		qsort(list->row, list->count, sizeof(*list->row), board_list_row_compare);
}
