/* SPDX-License-Identifier: MIT */
/*
 * Records requests that the program answers: family requests. Any thread, signal handlers too; no
 * lock, no allocation. errno is preserved.
 */
#ifndef PRELOAD_REQUESTS_REQUESTS_H
#define PRELOAD_REQUESTS_REQUESTS_H

#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/requests/http.h"

/* As in the file: collector/format/events/requests.def. */
enum request_ending {
	REQUEST_ANSWERED,
	REQUEST_CLIENT_LEFT,
	REQUEST_UNANSWERED,
	REQUEST_UPGRADED,
	REQUEST_UNKNOWN,
};

struct request_begun {
	uint64_t connection, number;
	struct http_request_line line;
};

struct request_ended {
	uint64_t connection, number;
	uint64_t bytes_in, bytes_out;
	uint64_t answered_ticks; /* when the answer began; 0: it did not */
	uint64_t started_ticks;  /* when the call began that ended the request */
	uint32_t status;
	enum request_ending ending;
};

PRELOAD_HIDDEN void requests_record_begin(const struct request_begun *begun);
PRELOAD_HIDDEN void requests_record_end(const struct request_ended *ended);

#endif
