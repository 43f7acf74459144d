/* SPDX-License-Identifier: MIT */
/* Events of the collector about itself and the machine: cost and meta. */
#ifndef COLLECTOR_TURN_SELF_H
#define COLLECTOR_TURN_SELF_H

#include <stdint.h>

#include "collector/core/common.h"

/* Adds the CPU time and the memory of this process to what `cost` has, and records all. */
void self_tell_cost(struct common *common, uint64_t now_ns, const struct common_cost *cost);

/* Records the machine and the settings, once, at the start. */
void self_tell_session(struct common *common, const char *host);

/* Records one fact of the session; an empty value is left out. */
void self_tell_meta(struct common *common, uint64_t now_ns, const char *key, const char *value);

/* CLOCK_MONOTONIC in ns, for the collector's own pauses. */
uint64_t self_steady_ns(void);

#endif
