/* SPDX-License-Identifier: MIT */
/*
 * How long bytes waited in the kernel before the program received them, as while its event loop
 * was blocked. One system call; no lock, no allocation. errno may change.
 */
#ifndef PRELOAD_REQUESTS_ARRIVAL_H
#define PRELOAD_REQUESTS_ARRIVAL_H

#include <stdint.h>

#include "preload/base/hidden.h"

/*
 * Call after bytes were received from the descriptor. Returns for how long at least the last bytes
 * had been there; 0: no time worth mentioning, or not known (no TCP).
 */
PRELOAD_HIDDEN uint64_t arrival_waited_ns(int fd);

#endif
