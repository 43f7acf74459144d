/* SPDX-License-Identifier: MIT */
/* How long a run was recorded: see captured.h. */
#include "report/core/recorded_time.h"

#include <stdlib.h>

#include "report/base/memory.h"

void recorded_time_release(struct recorded_time *captured)
{
	free(captured->open);
}

void recorded_time_open(struct recorded_time *captured, uint32_t process, uint64_t time_ns)
{
	captured->open = memory_room(captured->open, process, &captured->room,
				     sizeof(*captured->open));
	if (captured->open[process])
		return;
	captured->open[process] = true;
	captured->windows++;
	if (!captured->open_count++)
		captured->since_ns = time_ns;
}

void recorded_time_close(struct recorded_time *captured, uint32_t process, uint64_t time_ns)
{
	if (process >= captured->room || !captured->open[process])
		return;
	captured->open[process] = false;
	if (!--captured->open_count && time_ns > captured->since_ns)
		captured->total_ns += time_ns - captured->since_ns;
}
