/* SPDX-License-Identifier: MIT */
/*
 * The calling thread's name at its end or its process's: a thread or process that ends is gone from
 * /proc before a late collector looks.
 */
#ifndef PRELOAD_RECORD_LAST_NAME_H
#define PRELOAD_RECORD_LAST_NAME_H

#include "preload/base/hidden.h"

/*
 * Writes the name into the thread's rings. Does nothing for a thread that has none. One system
 * call, no lock; errno is preserved.
 */
PRELOAD_HIDDEN void last_name_note(void);

#endif
