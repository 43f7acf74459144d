/* SPDX-License-Identifier: MIT */
/*
 * Facts about the environment of processes: versions, threads, variables (event `fact`). A few of
 * each process are kept, of at most ENVIRONMENT_MAX in all. Names belong to the source.
 */
#ifndef REPORT_ADVICE_RUN_FACTS_H
#define REPORT_ADVICE_RUN_FACTS_H

#include "report/core/analysis.h"

#define ENVIRONMENT_MAX 4096u

struct run_facts_row {
	const struct source_name *key, *value;
	uint64_t time_ns; /* the time from which on it holds */
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

/* Returns the latest one of the process with that key; NULL: there is none. */
const struct run_facts_row *run_facts_find(const struct run_facts *environment, uint32_t process,
					   const char *key);

#endif
