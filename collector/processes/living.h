/* SPDX-License-Identifier: MIT */
/*
 * Which sessions still have a process, as far as /proc shows: by INTERCEPT_SESSION in the environment that a
 * process was started with, or because it has begun the session itself (collector/region/session_id.h).
 * Other users' processes and those of other containers are not seen.
 *
 * One thread: what was read is kept.
 */
#ifndef COLLECTOR_PROCESSES_LIVING_H
#define COLLECTOR_PROCESSES_LIVING_H

#include <stdbool.h>

/* `afresh`: by /proc as it is now, not as it was at the last question. */
bool living_has(const char *session, bool afresh);

#endif
