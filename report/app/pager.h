/* SPDX-License-Identifier: MIT */
/*
 * A pager for output longer than the screen, if stdout is a terminal. The output is held back until
 * the end. Then it goes to the terminal, or through $PAGER (less if that is not set). One at a
 * time.
 */
#ifndef REPORT_APP_PAGER_H
#define REPORT_APP_PAGER_H

#include <stdbool.h>

struct pager {
	int terminal; /* the original stdout; -1: nothing is held back */
	int kept;     /* the output */
};

/* Does nothing if stdout is no terminal, if PAGER is empty or cat, or if there is no memory. */
void pager_begin(struct pager *pager);
/* Returns the final target of stdout. */
int pager_terminal(const struct pager *pager);
/* Shows what was held back. */
void pager_end(struct pager *pager);

#endif
