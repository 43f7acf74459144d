/* SPDX-License-Identifier: MIT */
/* Events of the collector about itself and the machine: cost and meta. */
#ifndef COLLECTOR_TURN_SELF_H
#define COLLECTOR_TURN_SELF_H

#include <stdint.h>

#include "collector/core/common.h"

struct self_cost {
	uint64_t records;
	uint64_t file_bytes;
	uint64_t waits;
};

void self_tell_cost(struct common *common, uint64_t now_ns, const struct self_cost *cost);

/* Records the machine and the settings, once, at the start. */
void self_tell_session(struct common *common, const char *host);

/* Records one fact of the session; an empty value is left out. */
void self_tell_meta(struct common *common, uint64_t now_ns, const char *key, const char *value);

/* CLOCK_MONOTONIC in ns, for the collector's own pauses. */
uint64_t self_steady_ns(void);

#endif
