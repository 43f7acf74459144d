/* SPDX-License-Identifier: MIT */
/*
 * How long bytes waited in the kernel: before the program received them, as while its event loop
 * was blocked; and after it had sent them, as small pieces of an answer do without TCP_NODELAY
 * until the client has acknowledged those before them. No lock, no allocation; one or two system
 * calls each. errno may change.
 */
#ifndef PRELOAD_REQUESTS_ARRIVAL_H
#define PRELOAD_REQUESTS_ARRIVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"

#define HELD_BYTES_MAX 14000u /* of an answer: the network takes ten full packets at once */

/* At least so long; 0: no time worth mentioning, or not known (no TCP). */
struct arrival {
	uint64_t waited_ns; /* the last bytes, before they were received */
	uint64_t held_ns;   /* the end of the answer before them, before it was sent */
};

/*
 * Call after bytes were received from the descriptor. `held_since_ns`: CLOCK_MONOTONIC when
 * arrival_is_held() said so of the answer before; 0: it did not.
 */
PRELOAD_HIDDEN struct arrival arrival_look(int fd, uint64_t held_since_ns);
/*
 * Call after the last piece of a small answer that was sent by several calls. Returns whether the
 * kernel keeps some of it back for the sake of fewer packets.
 */
PRELOAD_HIDDEN bool arrival_is_held(int fd);

#endif
