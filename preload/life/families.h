/* SPDX-License-Identifier: MIT */
/*
 * Calls the families of families.def, each in turn; record/family.h says when, and what each of them may do.
 */
#ifndef PRELOAD_LIFE_FAMILIES_H
#define PRELOAD_LIFE_FAMILIES_H

void families_loaded(void);
void families_start(void);
void families_opened(void);
void families_forked(void);
/* At most FAMILY_FLUSH_NS: a family whose turn comes later is passed over. */
void families_driver_starts(void);
void families_flush(void);

#endif
