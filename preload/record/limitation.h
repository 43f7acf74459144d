/* SPDX-License-Identifier: MIT */
/*
 * Notes what of this process cannot be recorded, and why, for the file
 * (collector/format/limitations.def). It applies to forked children too. Any thread; no lock, no
 * allocation.
 */
#ifndef PRELOAD_RECORD_LIMITATION_H
#define PRELOAD_RECORD_LIMITATION_H

#include "collector/format/limitations.h"

/* `subject`: what the sentence is about, NULL where it has none; cut at REGION_TEXT_BYTES. */
void limitation_note(enum limitation what, const char *subject);
/* The same, and one line on stderr: for what the user can change. */
void limitation_say(enum limitation what, const char *subject);

/* In a region that is new: what was noted before is in it, too. After entry_begin(). */
void limitations_renew(void);

#endif
