/* SPDX-License-Identifier: MIT */
/*
 * Requests as an analysis: each one from its begin to its end, and rows of them by endpoint and so
 * on.
 *
 * A request was alone if the thread that received it had no other request before it ended, and
 * ended it. What that thread did meanwhile is the request's; of requests that take turns on a
 * thread, that is not known. Memory grows with rows, threads and open requests.
 */
#ifndef REPORT_REQUESTS_REQUEST_EVENTS_H
#define REPORT_REQUESTS_REQUEST_EVENTS_H

#include "report/base/cpu_clock.h"
#include "report/base/map.h"
#include "report/base/timing.h"
#include "report/core/analysis.h"
#include "report/options/keys.h"

enum request_ending {
	REQUEST_ANSWERED,
	REQUEST_CLIENT_LEFT,
	REQUEST_UNANSWERED,
	REQUEST_UPGRADED,
	REQUEST_UNKNOWN,
	REQUEST_OPEN, /* not in files: its end was not seen */
};

/* What a row shows of itself; what its key does not have is 0. */
struct request_key {
	uint64_t number; /* of a single request */
	uint64_t start_ns;
	uint32_t method, endpoint; /* indices of names */
	uint32_t status, ending;
	uint32_t worker, thread; /* indices */
};

struct request_row {
	struct request_key key;
	struct timing time;
	struct timing answer; /* from the first byte of the answer to its last */
	uint64_t errors, unanswered, open, alone;
	uint64_t bytes_in, bytes_out;
	uint64_t alone_ns; /* time of those that were alone */
	struct cpu_span cpu;
	uint64_t gc_ns;
};

struct requests {
	struct request_row *row;
	size_t count, room;
	uint64_t first_ns, last_ns; /* begin of the first request, end of the last one */
};

struct requests_options {
	enum key_id by; /* a key of report requests */
};
ANALYSIS(requests, struct requests)

#endif
