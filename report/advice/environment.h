/* SPDX-License-Identifier: MIT */
/*
 * What processes told of their environment: versions, threads, variables (event `fact`). A few of each
 * process; of the first ENVIRONMENT_MAX in all. Names belong to the source.
 */
#ifndef REPORT_ADVICE_ENVIRONMENT_H
#define REPORT_ADVICE_ENVIRONMENT_H

#include "report/core/analysis.h"

#define ENVIRONMENT_MAX 4096u

struct environment_row {
	const struct source_name *key, *value;
	uint64_t time_ns; /* since when it is so */
	uint32_t process; /* index */
};

struct environment {
	struct source *source;
	struct environment_row *row;
	size_t count, room;
};
struct environment_options {
	uint32_t none;
};
ANALYSIS(environment, struct environment)

/* The last one with that key of the process, NULL when there is none. */
const struct environment_row *environment_find(const struct environment *environment,
					       uint32_t process, const char *key);

#endif
