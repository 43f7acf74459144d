/* SPDX-License-Identifier: MIT */
/* CUDA calls as an analysis of a run. */
#ifndef REPORT_CUDA_CUDA_EVENTS_H
#define REPORT_CUDA_CUDA_EVENTS_H

#include "report/core/analysis.h"
#include "report/core/key.h"
#include "report/cuda/cuda.h"

struct cuda_options {
	enum key_id by; /* of the report that asks; the other tables use their first key */
};
ANALYSIS(cuda, struct cuda)

/* A key for reports that show something else: all tables use their first key. */
#define CUDA_BY_FIRST BY_api_name

/* Returns the key of the rows, if it is a kind of key. */
const struct run_key *cuda_key(const struct cuda *cuda);

#endif
