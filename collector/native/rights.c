/* SPDX-License-Identifier: MIT */
/*
 * Parses /proc/self/status, /proc/self/uid_map and perf_event_paranoid. The reason follows from
 * these and from the error. EPERM under a seccomp filter is attributed to the filter.
 */
#include "collector/native/rights.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/processes/proc.h"

#define TEXT_BYTES 4096u /* limit for each file, which is shorter */
#define CAPABILITIES_LINE "\nCapEff:\t"
#define MODE_LINE "\nSeccomp:\t"
#define MODE_FILTER 2
#define PERFMON 38 /* numbers of linux/capability.h, which has them since Linux 5.8 */
#define SYS_ADMIN 21
#define PARANOID_MAX 2 /* allows everybody to sample his own processes, without the kernel */

static uint64_t number_after(const char *text, const char *line, int base)
{
	const char *at = strstr(text, line);

	return at ? strtoull(at + strlen(line), NULL, base) : 0;
}

/*
 * True if capabilities count outside of the namespace too, because users have the same ids there.
 */
static bool namespace_is_first(const char *uid_map)
{
	char *end;
	bool is_first = *uid_map && !strtoull(uid_map, &end, 10) && !strtoull(end, &end, 10);

	return is_first && strtoull(end, NULL, 10) == UINT32_MAX;
}

struct rights rights_of(const char *status, const char *uid_map, const char *paranoid)
{
	uint64_t capabilities = number_after(status, CAPABILITIES_LINE, 16);
	struct rights rights = { .paranoid = RIGHTS_PARANOID_UNKNOWN };
	char *end;
	long value = strtol(paranoid, &end, 10);

	rights.is_filtered = number_after(status, MODE_LINE, 10) == MODE_FILTER;
	rights.is_capable = (capabilities >> PERFMON | capabilities >> SYS_ADMIN) & 1 &&
			    namespace_is_first(uid_map);
	if (end != paranoid && value >= -1 && value <= INT_MAX)
		rights.paranoid = (int)value;
	return rights;
}

static void file_read(const char *path, char text[TEXT_BYTES])
{
	text[proc_read_file(path, text, TEXT_BYTES - 1)] = 0;
}

struct rights rights_read(void)
{
	char status[TEXT_BYTES], uid_map[TEXT_BYTES], paranoid[TEXT_BYTES];

	file_read("/proc/self/status", status);
	file_read("/proc/self/uid_map", uid_map);
	file_read("/proc/sys/kernel/perf_event_paranoid", paranoid);
	return rights_of(status, uid_map, paranoid);
}

/*
 * The kernel itself returns EACCES if perf_event_paranoid forbids it. EPERM comes from a seccomp
 * filter, if there is one.
 */
enum evt_native_off rights_why_refused(const struct rights *rights, int error)
{
	if (error == -EPERM && rights->is_filtered)
		return EVT_NATIVE_OFF_FILTERED;
	if (rights->is_capable)
		return EVT_NATIVE_OFF_BARRED;
	if (rights->paranoid == RIGHTS_PARANOID_UNKNOWN)
		return EVT_NATIVE_OFF_REFUSED;
	return rights->paranoid > PARANOID_MAX ? EVT_NATIVE_OFF_PARANOID : EVT_NATIVE_OFF_BARRED;
}
