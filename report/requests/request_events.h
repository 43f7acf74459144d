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
#include "report/requests/request_looks.h"
#include "report/requests/request_tail.h"

enum request_ending {
	REQUEST_ANSWERED,
	REQUEST_CLIENT_LEFT,
	REQUEST_UNANSWERED,
	REQUEST_UPGRADED,
	REQUEST_UNKNOWN,
	REQUEST_OPEN, /* not in files: its end was not seen */
};

#define REQUEST_GRPC_STATUS 1000u /* of a call of gRPC that failed: the first of its statuses */

/* What a row shows of itself; what its key does not have is 0. */
/* It began in a segment that was given back. */
#define REQUEST_NUMBER_UNKNOWN UINT64_MAX

struct request_key {
	uint64_t number;           /* of a single request, from 0 in its process */
	uint64_t start_ns;         /* when the program received it */
	uint32_t method, endpoint; /* indices of names */
	uint32_t path;             /* likewise; where it was not recorded, the endpoint */
	uint32_t status, ending;
	uint32_t worker, thread; /* indices */
};

struct request_row {
	struct request_key key;
	struct timing time;
	struct timing answer; /* from the first byte of the answer to its last */
	struct timing first;  /* to the first byte of the body, of answers with one */
	uint64_t pieces;      /* calls that sent some of a body */
	uint64_t pieces_ns;   /* from the first of several pieces to the answer's end */
	uint64_t errors, unanswered, open, alone;
	uint64_t bytes_in, bytes_out;
	uint64_t queue_ns; /* in the kernel before the program received them, at least */
	uint64_t alone_ns; /* handling of those that were alone */
	struct cpu_span cpu;
	uint64_t gc_ns;
	uint64_t model_ns, model_shared_ns, gpu_ns; /* request_model.h */
	uint64_t gpu_wait_ns;                       /* of their threads, those that were alone */
	struct look_counts looks;                   /* of those that were alone */
	struct look_counts shared;                  /* of the others: their thread's */
	struct request_tail tail;                   /* of all; not of rows of single requests */
};

struct requests {
	struct request_row *row;
	size_t count, room;
	/* the first request was received, which may have waited for start-up; the last one ended */
	uint64_t first_ns, last_ns;
	bool has_model, has_gpu; /* operators, and work of the GPU, were recorded */
	bool has_gpu_waits;      /* calls of CUDA that wait were */
	uint64_t *answered;      /* requests that have ended, by process */
	size_t answered_room;
	uint64_t connections;   /* on which requests with an answer were the first ones */
	uint64_t held, held_ns; /* answers whose end the kernel kept back, and how long */
};

/* Looks that a row must have before shares of them say anything. */
#define REQUEST_LOOKS_MIN 10u

/* Returns how long the requests that were alone waited for that, by looks; false: too few looks. */
bool request_row_waited(const struct request_row *row, enum look_of of, uint64_t *ret_ns);

/*
 * Divides the time of those that were not alone by what their thread, as an event loop, did
 * meanwhile: it had nothing to do, so none of them went on; or it was busy, with any of them or
 * with something else. False: too few looks.
 */
bool request_row_shared(const struct request_row *row, uint64_t *ret_awaited_ns,
			uint64_t *ret_busy_ns);

/* Returns the part of `cpu_ns` in which the thread did not only wait for the GPU. */
uint64_t request_row_computed(const struct request_row *row, uint64_t cpu_ns);

/* Of all rows together; to be released. */
struct timing requests_time(const struct requests *requests);
uint64_t requests_ended(const struct requests *requests);
uint64_t requests_total_ns(const struct requests *requests);
/* Whether the process has answered requests that count. */
static inline bool requests_answered_by(const struct requests *requests, uint32_t process)
{
	return process < requests->answered_room && requests->answered[process];
}
/* Whether the answers of a row came in pieces over time, as those of a model that streams do. */
bool request_row_streams(const struct request_row *row);
/* The mean time from one piece of a body to the next; 0: none had two. */
uint64_t request_row_piece_ns(const struct request_row *row);
/* From the first request to the last end of one: what requests a second are counted by. */
uint64_t requests_span_ns(const struct requests *requests);

/* A request that counts has ended. Its key has all that is known of it. */
typedef void request_take(void *context, const struct request_key *key,
			  const struct source_thread *thread, uint64_t end_ns);

struct requests_options {
	enum key_id by;     /* a key of report requests */
	request_take *take; /* NULL: nobody wants to know */
	void *context;
};
ANALYSIS(requests, struct requests)

#endif
