/* SPDX-License-Identifier: MIT */
/*
 * What nearly every part of the collector needs: the region, the clock, the journal and the
 * names. One instance, owned by struct collector.
 */
#ifndef COLLECTOR_CORE_COMMON_H
#define COLLECTOR_CORE_COMMON_H

#include "collector/core/clockmap.h"
#include "collector/core/digest.h"
#include "collector/core/journal.h"
#include "collector/core/names.h"
#include "collector/core/view.h"

struct tallies;
struct gpu_sums;
struct gpus;

/* What the collector has used so far, as last recorded (event cost). */
struct common_cost {
	uint64_t cpu_ns, records, file_bytes, memory_bytes, waits, lost;
};

struct common {
	struct view view;
	struct clockmap clock;
	struct journal journal;
	struct names names;
	struct digest digest; /* of the open segment of the file */
	/*
	 * losses added to the journal since the last epoch, other than those that the journal
	 * itself counts
	 */
	uint64_t lost;
	char host[256]; /* as the file may have it */
	struct common_cost cost;
	bool stop_is_new; /* a thread was seen to be stopped, or to go on, since process_cpu */
	/* a rule wants what the file has to be copied (turn/keeping.h); keep_request: its text */
	bool keep_is_wanted;
	uint64_t keep_request;
	struct tallies *tallies;   /* NULL while no metrics are wanted */
	struct gpu_sums *gpu_sums; /* NULL unless INTERCEPT_GPU=sums */
	struct gpus *gpus;         /* NULL unless the family `device` is recorded */
};

/* Time of a TSC reading in the region, from which the base was not subtracted. */
static inline uint64_t common_ns(const struct common *common, uint64_t tsc)
{
	return tsc > common->view.base_tsc
		       ? clockmap_ns(&common->clock, tsc - common->view.base_tsc)
		       : 0;
}

#endif
