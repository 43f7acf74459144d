/* SPDX-License-Identifier: MIT */
/*
 * A pager for what is longer than the screen, where stdout is a terminal. What is printed is kept until the end; then it
 * goes to the terminal, or through $PAGER (less where that is not set). One at a time.
 */
#ifndef REPORT_APP_PAGER_H
#define REPORT_APP_PAGER_H

#include <stdbool.h>

struct pager {
	int terminal; /* stdout as it was; -1: nothing is kept */
	int kept;     /* what was printed */
};

/* Nothing is done where stdout is no terminal, or PAGER is empty or cat, or memory is short. */
void pager_begin(struct pager *pager);
/* Where stdout leads to in the end. */
int pager_terminal(const struct pager *pager);
/* Shows what was kept. */
void pager_end(struct pager *pager);

#endif
