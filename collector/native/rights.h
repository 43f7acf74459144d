/* SPDX-License-Identifier: MIT */
/*
 * Finds out why the kernel refuses perf_event_open(). perf_event_paranoid applies only to processes
 * with neither CAP_PERFMON nor CAP_SYS_ADMIN in the kernel's own user namespace. A seccomp filter,
 * as in containers, may return EPERM to anybody.
 */
#ifndef COLLECTOR_NATIVE_RIGHTS_H
#define COLLECTOR_NATIVE_RIGHTS_H

#include <stdbool.h>

#include "collector/format/events.h"

#define RIGHTS_PARANOID_UNKNOWN (-1000)

struct rights {
	bool is_capable;  /* perf_event_paranoid does not apply to it */
	bool is_filtered; /* it has a seccomp filter */
	int paranoid;
};

/* The rights of this process. A right that cannot be read counts as missing. */
struct rights rights_read(void);

/*
 * The same from the texts of /proc/self/status, /proc/self/uid_map and perf_event_paranoid: for
 * tests.
 */
struct rights rights_of(const char *status, const char *uid_map, const char *paranoid);

/* Returns the reason for `error`, -EPERM or -EACCES, with these rights. */
enum evt_native_off rights_why_refused(const struct rights *rights, int error);

#endif
