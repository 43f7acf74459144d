/* SPDX-License-Identifier: MIT */
/*
 * Records requests that the program answers: family requests. Any thread, signal handlers too; no
 * lock, no allocation. errno is preserved.
 */
#ifndef PRELOAD_REQUESTS_REQUESTS_H
#define PRELOAD_REQUESTS_REQUESTS_H

#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/record/strings.h"
#include "preload/requests/endpoint.h"
#include "preload/requests/http.h"
#include "preload/requests/paths.h"
#include "preload/requests/request_body.h"

/* As in the file: collector/format/events/requests.def. */
enum request_ending {
	REQUEST_ANSWERED,
	REQUEST_CLIENT_LEFT,
	REQUEST_UNANSWERED,
	REQUEST_UPGRADED,
	REQUEST_UNKNOWN,
};

#define REQUEST_GRPC_STATUS 1000u /* and a grpc-status other than 0 */

struct request_begun {
	uint64_t connection, number;
	int fd;                 /* of the connection */
	struct paths *paths;    /* of the process */
	uint64_t held_since_ns; /* arrival.h: of the answer before it; 0: was not held */
	struct http_request_line line;
};

struct request_ended {
	uint64_t connection, number;
	uint64_t bytes_in, bytes_out;
	uint64_t answered_ticks; /* when the answer began; 0: it did not */
	uint64_t started_ticks;  /* when the call began that ended the request */
	struct request_body body;
	uint32_t status;
	enum request_ending ending;
};

/* Returns a number for a connection, or for a request without one; from 1. */
PRELOAD_HIDDEN uint64_t requests_next_connection(void);
PRELOAD_HIDDEN void requests_record_begin(const struct request_begun *begun);
/*
 * The name of a request's endpoint: the pattern of its path, in `room`. Where a process has many
 * patterns that differ in the last part already, a further one has {text} there; where it has many
 * in all, it is named by its first part.
 */
PRELOAD_HIDDEN struct string requests_endpoint(struct paths *paths, const char *target,
					       size_t target_length, char room[ENDPOINT_BYTES]);
/* Requests of that method and endpoint may have that route. Returns false if it is not recorded. */
PRELOAD_HIDDEN bool requests_record_route(const struct string *method,
					  const struct string *endpoint,
					  const struct string *route);
/* A request without a connection: number 0 of its own (marks.h). */
PRELOAD_HIDDEN void requests_record_named_begin(uint64_t connection, const struct string *method,
						const struct string *endpoint);
PRELOAD_HIDDEN void requests_record_end(const struct request_ended *ended);

#endif
