/* SPDX-License-Identifier: MIT */
/*
 * What the two sides of a connection say to each other: HTTP/1 (http.h) or HTTP/2 (h2.h),
 * whichever the first bytes are. A request is recorded when it has arrived, and when its answer
 * has been sent.
 *
 * One thread may receive while another sends. If two threads receive, or two send, at the same
 * time, the exchange is followed no further, and that is noted (limitation requests_shared). Any
 * thread, signal handlers too; no lock, no allocation; a system call only where HTTP/2 begins.
 * errno may change.
 */
#ifndef PRELOAD_REQUESTS_EXCHANGE_H
#define PRELOAD_REQUESTS_EXCHANGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "preload/base/hidden.h"
#include "preload/requests/h2.h"
#include "preload/requests/http.h"
#include "preload/requests/paths.h"
#include "preload/requests/request_body.h"

#define EXCHANGE_PIPELINE 64u /* requests of HTTP/1 that may wait for their answers */

struct exchange {
	_Atomic bool is_followed;
	_Atomic bool is_busy[2];   /* by enum h2_side_of */
	_Atomic bool peer_left;    /* it has closed the connection, or its side of it */
	_Atomic bool is_encrypted; /* what passes is TLS: an exchange of an SSL object has it */
	_Atomic(struct h2 *) h2; /* stays when the exchange ends, for the next one in this memory */
	_Atomic(const void *) reader; /* the first SSL object that was read after bytes of it */
	uint64_t id;
	int fd; /* -1: not known */
	struct paths *paths;
	_Atomic uint64_t begun, ended;  /* requests of HTTP/1 */
	_Atomic uint64_t held_since_ns; /* the end of an answer is kept back (arrival.h); 0: none */

	struct {
		bool is_h2;
		bool is_head_open; /* a head is arriving whose request has begun */
		uint64_t bytes;    /* of the message under way */
		struct http_stream stream;
	} in;

	struct {
		bool is_h2;
		bool has_sent;
		uint32_t status;         /* of the answer under way; 0: none */
		uint64_t bytes;          /* of it */
		uint64_t answered_ticks; /* when it began */
		uint64_t sent_ticks;     /* when the last call that sent some of it began */
		uint64_t calls;          /* that sent some of it */
		struct request_body body;
		struct http_stream stream;
	} out;

	struct exchange_request {
		_Atomic uint64_t bytes;
		bool is_head, is_connect;
	} request[EXCHANGE_PIPELINE];
};

/* A fresh one, in memory that was one before, or zeros. `fd`: -1 if not known. */
PRELOAD_HIDDEN void exchange_begin(struct exchange *exchange, int fd, struct paths *paths);
/* After a call that received `result` bytes into these pieces; -1: it failed. */
PRELOAD_HIDDEN void exchange_received(struct exchange *exchange, const struct iovec *piece,
				      size_t pieces, ssize_t result);
/* After a call that sent `result` bytes and began at `started` ticks. */
PRELOAD_HIDDEN void exchange_sent(struct exchange *exchange, const struct iovec *piece,
				  size_t pieces, ssize_t result, uint64_t started);
/* The same for bytes of a file (sendfile()). */
PRELOAD_HIDDEN void exchange_sent_file(struct exchange *exchange, ssize_t result, uint64_t started);
/* The client sends nothing more, and will read nothing. */
PRELOAD_HIDDEN void exchange_peer_left(struct exchange *exchange);
/* Before the connection is closed. */
PRELOAD_HIDDEN void exchange_end(struct exchange *exchange);

static inline bool exchange_is_followed(const struct exchange *exchange)
{
	return atomic_load_explicit(&exchange->is_followed, memory_order_relaxed);
}

#endif
