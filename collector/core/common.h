/* SPDX-License-Identifier: MIT */
/*
 * What nearly every part of the collector needs: the region, the clock, the journal and the
 * names. One instance, owned by struct collector.
 */
#ifndef COLLECTOR_CORE_COMMON_H
#define COLLECTOR_CORE_COMMON_H

#include "collector/core/clockmap.h"
#include "collector/core/journal.h"
#include "collector/core/names.h"
#include "collector/core/view.h"

struct common {
	struct view view;
	struct clockmap clock;
	struct journal journal;
	struct names names;
	/*
	 * losses added to the journal since the last epoch, other than those that the journal
	 * itself counts
	 */
	uint64_t lost;
};

/* Time of a TSC reading in the region, from which the base was not subtracted. */
static inline uint64_t common_ns(const struct common *common, uint64_t tsc)
{
	return tsc > common->view.base_tsc
		       ? clockmap_ns(&common->clock, tsc - common->view.base_tsc)
		       : 0;
}

#endif
