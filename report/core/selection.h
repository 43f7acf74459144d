/* SPDX-License-Identifier: MIT */
/*
 * Decides which events count: --process, --rank, --thread, --time, --step, --range and --during,
 * for one event after the other. A range is an NVTX range, a label of PyTorch or an action of
 * Lightning, whichever has the name. It holds for its own thread. It holds for all threads of its
 * process with --during, and always if it is a start/end range or a label that may end on another
 * thread. Memory is needed only for open ranges, and only with --range.
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
	/* some filter is set, or only the newest part of the recording is left */
	bool any;
	struct open_ranges ranges;
	struct owners *
		/*
		 * with --range: work of a thread for the thread that has the range open is in the
		 * range; otherwise NULL
		 */
		owners;
	uint32_t *thread; /* by thread: open ranges of that name that hold for it */
	size_t thread_room;
	struct filter_process *process; /* by index */
	size_t process_room;
	bool seen; /* a range of that name has opened */
	struct map started
		/* open ranges of processes with that name, to the number of cuts before them */
		[EVT_SCOPE_KIND_LIMIT];
};

enum filter_verdict {
	FILTER_COUNTS,
	FILTER_PASSES_BY, /* does not count, but scopes that it begins or ends are followed */
	FILTER_BEYOND, /* after the selected time: only matters for scopes that began before it */
	FILTER_OUT,    /* treated as if it had not happened */
};

/* The object must not be moved afterwards. */
void selection_init(struct selection *filters, const struct filter_settings *settings);
void selection_release(struct selection *filters);

/* Ranges that are open on the thread end here, because their own ends are not recorded. */
void selection_cut(struct selection *filters, struct nest_place place);
/* The same for the process's start/end ranges. */
void selection_cut_started(struct selection *filters, uint32_t process);

/*
 * Returns the verdict on an event. Must get every program event exactly once, in order. `source`:
 * to look up names.
 */
enum filter_verdict selection_judge(struct selection *filters, struct source *source,
				    const struct source_event *event);

#endif
