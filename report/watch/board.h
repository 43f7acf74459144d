/* SPDX-License-Identifier: MIT */
/*
 * What watch shows of a session: some lines of figures, and a list for each thing that time goes to, made to fit
 * `width` columns and `rows` lines. Writes; decides nothing about terminals.
 */
#ifndef REPORT_WATCH_BOARD_H
#define REPORT_WATCH_BOARD_H

#include "report/table/export.h"
#include "report/watch/follower.h"

struct board {
	const char *name;                 /* what is watched, as the user called it */
	struct follower *const *follower; /* those there are; none before the program has started */
	size_t count;
	size_t rows; /* 0: a list has as many as is usual */
	bool has_ended;
	bool is_live; /* q ends it */
};

/* At most `rows` lines. Lists are joined over all files by the names of their rows. */
void board_print(const struct board *board, const struct screen *screen);

#endif
