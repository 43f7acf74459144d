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
	uint64_t
		lost; /* told in the journal since the last epoch, apart from what it asks for itself */
};

/* Time of a TSC reading that the region holds, base not taken off. */
static inline uint64_t common_ns(const struct common *common, uint64_t tsc)
{
	return tsc > common->view.base_tsc
		       ? clockmap_ns(&common->clock, tsc - common->view.base_tsc)
		       : 0;
}

#endif
