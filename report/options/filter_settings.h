/* SPDX-License-Identifier: MIT */
/*
 * Which part of a recording a command line selects: --process, --rank, --thread, --time, --step,
 * --range and --during. report/core/selection.h decides what that means for an event.
 *
 * Times from the end and numbers of steps can be resolved only after the recording has been read:
 * report/core/lookahead.h translates them into from_ns, to_ns and windows.
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
	const char *range;     /* NULL: any */
	bool during;           /* the range may be open on any thread of the event's process */
	bool from_end, to_end; /* the times count backwards from the end of the recording */
	bool by_step;          /* only steps step_first to step_last */
	bool by_capture;       /* these are numbers of captures; with by_step */
	bool by_request;       /* these are numbers of requests; with by_step */
	uint64_t step_first, step_last;
	const struct windows *windows; /* of these steps, settled; NULL: any time. Borrowed */
	bool has_rank;                 /* only these ranks, both included */
	uint64_t rank_from, rank_to;
	bool gave_back; /* the older part of the recording is gone: INTERCEPT_KEEP_LAST */
};

/* What the numbers of by_step are numbers of, and the option's name. */
static inline const char *filter_step_word(const struct filter_settings *settings)
{
	return settings->by_capture ? "capture" : settings->by_request ? "request" : "step";
}

/* Returns whether only a part of the time is selected. */
static inline bool filter_cuts_time(const struct filter_settings *settings)
{
	return settings->from_ns || settings->to_ns != UINT64_MAX || settings->from_end ||
	       settings->by_step || settings->range;
}

/*
 * Returns whether only a part of the time counts. Then figures of whole processes do not hold (CPU
 * time, context switches, peaks that the kernel keeps).
 */
static inline bool filter_cuts_lives(const struct filter_settings *settings)
{
	return filter_cuts_time(settings) || settings->gave_back;
}

/* Returns whether any filter is set. */
static inline bool filter_is_set(const struct filter_settings *settings)
{
	return settings->pid != FILTER_NO_ID || settings->has_rank ||
	       settings->tid != FILTER_NO_ID || filter_cuts_time(settings);
}

#endif
