/* SPDX-License-Identifier: MIT */
/*
 * The rows of one kind in all files of a session, joined by their names and sorted by their value
 * in the window.
 */
#ifndef REPORT_WATCH_BOARD_LIST_H
#define REPORT_WATCH_BOARD_LIST_H

#include "report/base/map.h"
#include "report/watch/follower.h"

struct board_row {
	const char *name; /* not escaped */
	uint64_t window[WATCH_VALUES], total[WATCH_VALUES];
};

struct board_list {
	struct board_row *row;
	size_t count, room;
	struct map names; /* from hash to index */
	struct text_store texts;
	uint64_t window_sum, total_sum; /* of the first values */
};

void board_list_init(struct board_list *list);
void board_list_release(struct board_list *list);
void board_list_add(struct board_list *list, const struct follower *follower,
		    const struct follower_window *window, enum watch_kind_id kind);
/* Sorts by the value in the window, then by the total. */
void board_list_sort(struct board_list *list);

#endif
