/* SPDX-License-Identifier: MIT */
/*
 * Wakes a dormant program, one that has touched CUDA, NVTX or torch and is not recorded yet.
 * Hooks know only this; life/, which stands above them, sets what happens.
 *
 * Any thread, not from within a function of the heap: the region is made and the collector
 * started.
 */
#ifndef PRELOAD_RECORD_WAKE_H
#define PRELOAD_RECORD_WAKE_H

#include <stdbool.h>

#include "preload/base/hidden.h"

/*
 * True when the process records now. Cheap when it already does. Never NULL; set once, in the
 * constructor.
 */
PRELOAD_HIDDEN extern bool (*wake_program)(void);

#endif
