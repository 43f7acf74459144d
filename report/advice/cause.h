/* SPDX-License-Identifier: MIT */
/*
 * Advice as a cause: what is wrong in a few words (causes.def), at which line, and how much it is a
 * part of. For the first screen and the page, which have no room for the sentences of report
 * bottleneck.
 */
#ifndef REPORT_ADVICE_CAUSE_H
#define REPORT_ADVICE_CAUSE_H

#include "report/advice/advice.h"

#define CAUSE_TITLE_BYTES 128

/*
 * "The loop waits for the DataLoader"; of an id that the list does not have the id in words.
 * Returns `title`.
 */
const char *cause_title(const struct advice *advice, char title[CAUSE_TITLE_BYTES]);
/*
 * The same in the middle of a sentence: a small first letter, unless it begins with a name. Returns
 * `title`.
 */
const char *cause_title_inside(const struct advice *advice, char title[CAUSE_TITLE_BYTES]);
/* Returns whether the advice is about the program, and not about what the recording cannot tell. */
bool cause_is_of_program(const struct advice *advice);
/* The same for at least one advice of the list, so that a screen has causes to show. */
bool causes_are_of_program(const struct bottleneck *bottleneck);

#define CAUSE_PLACE_BYTES (760 + LIBRARY_PLACE_BYTES)
/*
 * "tokenizer.py:15 (wordpiece), called from train.py:25, mostly in regex/core.py:40 (sub)", without
 * folders of the user's; "pool.py:11 waits while others are in pool.py:6 (count)"; the function
 * alone where it has no line; "" where nothing is known. Returns `place`.
 */
const char *cause_place(const struct advice *advice, char place[CAUSE_PLACE_BYTES]);

/*
 * The first sentence of the figures, which begins with a capital unless with a name that has none.
 * Returns `text`.
 */
const char *cause_figures(const struct advice *advice, char text[ADVICE_BYTES]);

#endif
