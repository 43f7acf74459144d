/* SPDX-License-Identifier: MIT */
/*
 * Which sessions still have a process, according to /proc: a process that was started with their
 * INTERCEPT_SESSION in its environment, or that has begun the session itself
 * (collector/region/session_id.h). Processes of other users and of other containers are not
 * seen.
 *
 * One thread: results are cached.
 */
#ifndef COLLECTOR_PROCESSES_LIVING_H
#define COLLECTOR_PROCESSES_LIVING_H

#include <stdbool.h>

/* `afresh`: by /proc as it is now, not as it was at the last call. */
bool living_has(const char *session, bool afresh);

#endif
