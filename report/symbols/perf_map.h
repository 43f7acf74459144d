/* SPDX-License-Identifier: MIT */
/*
 * Functions that a program has made at run time, as it has written them to /tmp/perf-PID.map for
 * perf and others: one line each, "START SIZE NAME", the numbers in hex without 0x. `python -X
 * perf`, `node --perf-basic-prof` and Java with perf-map-agent write this file.
 *
 * The file identifies a process only by its pid, which other processes had before and will have
 * later. So it counts only if it was last written while this process was alive. Anybody may write
 * to /tmp, so it must belong to us or to root. It is used only for names.
 */
#ifndef REPORT_SYMBOLS_PERF_MAP_H
#define REPORT_SYMBOLS_PERF_MAP_H

#include <stdint.h>

#include "report/session/source.h"
#include "report/symbols/object.h"

#define PERF_MAP_BYTES_MAX (256u << 20)

struct perf_map;

enum perf_map_state {
	PERF_MAP_FOUND,
	PERF_MAP_MISSING,    /* there is none: most programs write none */
	PERF_MAP_OTHER_TIME, /* it was written before the process began, or after it ended */
	PERF_MAP_UNREADABLE, /* no file, too large, or another user's */
};

/* For a process of the recording. Returns NULL with a reason. */
struct perf_map *perf_map_open(const struct source_process *process,
			       enum perf_map_state *ret_state);
/* The same for any file; times are of CLOCK_REALTIME. For perf_map_open() and tests. */
struct perf_map *perf_map_read(const char *path, uint64_t from_ns, uint64_t to_ns,
			       enum perf_map_state *ret_state);
/* NULL is allowed. */
void perf_map_close(struct perf_map *map);

/*
 * `address` is one of the process. The function that was written last counts. False: there is none.
 */
bool perf_map_find(const struct perf_map *map, uint64_t address, struct object_place *ret_place);

#endif
