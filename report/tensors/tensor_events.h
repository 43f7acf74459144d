/* SPDX-License-Identifier: MIT */
/* Memory of tensors, as an analysis of a run. */
#ifndef REPORT_TENSORS_TENSOR_EVENTS_H
#define REPORT_TENSORS_TENSOR_EVENTS_H

#include "report/core/analysis.h"
#include "report/core/key.h"
#include "report/tensors/tensors.h"

struct tensors_options {
	enum key_id by;   /* of report tensors */
	uint32_t follows; /* 1: continues beyond the end of --time and --step: see run_follows() */
};
ANALYSIS(tensors, struct tensors)

/* Returns the key of the rows, if it is a kind of key. */
const struct run_key *tensors_key(const struct tensors *tensors);

/*
 * For keys that nest: the innermost one, together with the enclosing one if the innermost only
 * allocates for it (aten::empty); otherwise 0.
 */
static inline uint64_t tensor_key_inner(uint64_t key)
{
	return key & UINT32_MAX;
}

static inline uint64_t tensor_key_around(uint64_t key)
{
	return key >> 32;
}

#endif
