/* SPDX-License-Identifier: MIT */
/*
 * Which part of a recording a command line asks for: --process, --rank, --thread, --time, --step, --range and --during. What
 * that means for an event is decided by report/core/selection.h.
 *
 * Times from the end and steps by number are only known once the recording has been read: report/core/lookahead.h makes
 * from_ns, to_ns and windows of them.
 */
#ifndef REPORT_OPTIONS_FILTER_SETTINGS_H
#define REPORT_OPTIONS_FILTER_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#define FILTER_NO_ID UINT64_MAX

struct windows; /* report/core/windows.h */

struct filter_settings {
	uint64_t pid, tid; /* FILTER_NO_ID: any */
	uint64_t from_ns, to_ns;
	const char *range; /* NULL: any */
	bool during;       /* the range need not be of the event's own thread, but of its process */
	bool from_end, to_end; /* these times lie so long before the end of the recording */
	bool by_step;          /* only steps step_first to step_last */
	uint64_t step_first, step_last;
	const struct windows *windows; /* of these steps, settled; NULL: any time. Borrowed */
	bool has_rank;                 /* only these, both count */
	uint64_t rank_from, rank_to;
};

/* Only a part of the time counts: figures of whole lives (CPU time, context switches, peaks that the kernel kept) do not hold. */
static inline bool filter_cuts_lives(const struct filter_settings *settings)
{
	return settings->from_ns || settings->to_ns != UINT64_MAX || settings->from_end ||
	       settings->by_step || settings->range;
}

/* Something is filtered at all. */
static inline bool filter_is_set(const struct filter_settings *settings)
{
	return settings->pid != FILTER_NO_ID || settings->has_rank ||
	       settings->tid != FILTER_NO_ID || filter_cuts_lives(settings);
}

#endif
