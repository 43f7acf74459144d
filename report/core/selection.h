/* SPDX-License-Identifier: MIT */
/*
 * Which events count: --process, --rank, --thread, --time, --step, --range and --during, decided event by event as
 * they come. A range is one of NVTX, a label of PyTorch or an action of Lightning, whichever has the name. It holds
 * for its own thread, with --during for all threads of its process, as start/end ranges and labels that may end on
 * another thread always do.
 * Needs memory only for open ranges, and only with --range.
 */
#ifndef REPORT_CORE_SELECTION_H
#define REPORT_CORE_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "report/base/map.h"
#include "report/options/filter_settings.h"
#include "report/scopes/open_ranges.h"
#include "report/session/source.h"

struct owners; /* report/core/owners.h */

struct selection {
	struct filter_settings settings;
	bool any; /* something is filtered at all */
	struct open_ranges ranges;
	struct owners *
		owners; /* with a range: what threads do for the one that has it open is in it; else NULL */
	uint32_t *thread; /* open ranges of that name that hold for a thread */
	size_t thread_room;
	struct filter_process *process; /* by index */
	size_t process_room;
	bool seen; /* a range of that name opened */
	struct map started
		[EVT_SCOPE_KIND_LIMIT]; /* open ranges of processes of that name to the cuts before them */
};

enum filter_verdict {
	FILTER_COUNTS,
	FILTER_PASSES_BY, /* does not count, but what it begins or ends is to be followed */
	FILTER_BEYOND, /* after the selected time: only what goes on in scopes that began before it */
	FILTER_OUT,    /* as if it had not happened */
};

/* Does not move afterwards. */
void selection_init(struct selection *filters, const struct filter_settings *settings);
void selection_release(struct selection *filters);

/* Ranges that are open on the thread end here: their own ends are not recorded. */
void selection_cut(struct selection *filters, struct nest_place place);
/* The same of the process's start/end ranges. */
void selection_cut_started(struct selection *filters, uint32_t process);

/*
 * The verdict on an event; sees every program event exactly once, in order. `source` to look up names.
 */
enum filter_verdict selection_judge(struct selection *filters, struct source *source,
				    const struct source_event *event);

#endif
