/* SPDX-License-Identifier: MIT */
/* What the rows of a report are by, where that is told from the event and from where its thread is. */
#ifndef REPORT_CORE_KEY_H
#define REPORT_CORE_KEY_H

#include <stdint.h>

#include "report/session/source.h"

/* All zeros: no key is asked for. */
struct run_key {
	uint64_t (*of)(const void *state, const struct source_event *event);
	const void *state; /* of an analysis that the run has */
};

static inline uint64_t key_of(const struct run_key *key, const struct source_event *event)
{
	return key->of ? key->of(key->state, event) : 0;
}

#endif
