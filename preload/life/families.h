/* SPDX-License-Identifier: MIT */
/*
 * Calls the families of families.def, in that order. record/family.h says when, and what each
 * function may do.
 */
#ifndef PRELOAD_LIFE_FAMILIES_H
#define PRELOAD_LIFE_FAMILIES_H

#include <stdbool.h>

void families_loaded(void);
void families_start(void);
void families_opened(void);
void families_forked(void);
void families_driver_starts(bool is_late);
/* Takes at most FAMILY_FLUSH_NS. A family whose turn comes later is skipped. */
void families_flush(void);
void families_leave(void);

#endif
