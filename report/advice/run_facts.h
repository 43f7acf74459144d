/* SPDX-License-Identifier: MIT */
/*
 * What processes told of their environment: versions, threads, variables (event `fact`). A few of
 * each process; of the first ENVIRONMENT_MAX in all. Names belong to the source.
 */
#ifndef REPORT_ADVICE_RUN_FACTS_H
#define REPORT_ADVICE_RUN_FACTS_H

#include "report/core/analysis.h"

#define ENVIRONMENT_MAX 4096u

struct run_facts_row {
	const struct source_name *key, *value;
	uint64_t time_ns; /* since when it is so */
	uint32_t process; /* index */
};

struct run_facts {
	struct source *source;
	struct run_facts_row *row;
	size_t count, room;
};
struct run_facts_options {
	uint32_t none;
};
ANALYSIS(run_facts, struct run_facts)

/* The last one with that key of the process, NULL when there is none. */
const struct run_facts_row *run_facts_find(const struct run_facts *environment, uint32_t process,
					   const char *key);

#endif
