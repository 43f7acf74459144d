/* SPDX-License-Identifier: MIT */
/* Input and output as an analysis of a run. */
#ifndef REPORT_IO_IO_EVENTS_H
#define REPORT_IO_IO_EVENTS_H

#include "report/core/analysis.h"
#include "report/core/key.h"
#include "report/io/io.h"

struct io_options {
	enum key_id by;
};

/* The input and output of a run, and what the rows are by. */
struct io_reading {
	struct io io;
	struct run_key key; /* of IO_BY_KEY */
	struct source *source;
	uint64_t unfinished; /* calls that count and had not returned when their process ended */
	/* calls below INTERCEPT_IO_MIN (`least_ns`), which are in no row: the sum says no file */
	uint64_t short_calls, short_ns, least_ns;
};

ANALYSIS(io, struct io_reading)

#endif
