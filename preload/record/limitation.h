/* SPDX-License-Identifier: MIT */
/*
 * Notes what of this process cannot be recorded, and why, for the file
 * (collector/format/limitations.def). It applies to forked children too. Any thread; no lock, no
 * allocation.
 */
#ifndef PRELOAD_RECORD_LIMITATION_H
#define PRELOAD_RECORD_LIMITATION_H

#include "collector/format/limitations.h"

/*
 * `subject` is what the sentence is about; NULL if it needs none. It is cut at
 * REGION_TEXT_BYTES.
 */
void limitation_note(enum limitation what, const char *subject);
/* As limitation_note(), and prints a line on stderr: for limitations that the user can remove. */
void limitation_say(enum limitation what, const char *subject);

/* Copies the limitations noted so far into a new region. Call after entry_begin(). */
void limitations_renew(void);

#endif
