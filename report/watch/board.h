/* SPDX-License-Identifier: MIT */
/*
 * What watch shows of a session: some lines of figures, and a list for each thing that time is
 * spent on, made to fit `width` columns and `rows` lines. Only writes; knows nothing about
 * terminals.
 */
#ifndef REPORT_WATCH_BOARD_H
#define REPORT_WATCH_BOARD_H

#include "report/table/export.h"
#include "report/watch/follower.h"

struct board {
	const char *name;                 /* what is watched, as the user called it */
	struct follower *const *follower; /* existing ones; none before the program has started */
	size_t count;
	size_t rows; /* 0: lists have their usual length */
	bool has_ended;
	bool is_live;        /* the q key ends it */
	const char *verdict; /* what is stuck, in sentences; NULL: nothing, as far as is known */
};

/* Prints at most `rows` lines. Lists are joined over all files by the names of their rows. */
void board_print(const struct board *board, const struct screen *screen);

#endif
