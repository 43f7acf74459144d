/* SPDX-License-Identifier: MIT */
/*
 * Follows a connection of HTTP/2 (RFC 9113): each stream that a client opens is a request, which
 * begins when its head has arrived and ends with the last frame of its answer. Bodies are skipped,
 * never read. gRPC is HTTP/2, and its method is the path.
 *
 * One thread at a time for each direction; both at once may. No lock, no allocation; the only
 * system call is mmap() in h2_make().
 */
#ifndef PRELOAD_REQUESTS_H2_H
#define PRELOAD_REQUESTS_H2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/requests/paths.h"

struct h2;

enum h2_side_of {
	H2_IN,  /* what the program receives */
	H2_OUT, /* what it sends */
};

/* The call that received or sent, and on which connection. */
struct h2_call {
	uint64_t connection;
	int fd;              /* -1: not known */
	struct paths *paths; /* of the process */
	uint64_t started;    /* ticks when a call began that sends; else, of now */
};

/* Returns zeros, which is a fresh connection, or NULL if there is no memory for it. */
PRELOAD_HIDDEN struct h2 *h2_make(void);
PRELOAD_HIDDEN void h2_free(struct h2 *h2);
/* Makes it a fresh connection. A thread that still uses it touches no other memory. */
PRELOAD_HIDDEN void h2_reset(struct h2 *h2);

/* Whether a connection's first bytes are the first line of HTTP/2's preface; without its end. */
PRELOAD_HIDDEN bool h2_is_preface(const char *line, size_t length);
/* Whether the first bytes that a server sends are HTTP/2, which may be before it received any. */
PRELOAD_HIDDEN bool h2_is_settings(const char *bytes, size_t length);

/* Behind h2_is_preface(): the rest of the preface comes first. */
PRELOAD_HIDDEN void h2_begin(struct h2 *h2);
/*
 * Bytes of one direction, of any number; NULL: of a file (sendfile()). Returns false if they
 * cannot be followed: nothing later can, either.
 */
PRELOAD_HIDDEN bool h2_take(struct h2 *h2, enum h2_side_of side, const struct h2_call *call,
			    const char *bytes, size_t length);
/* Nothing more comes: requests that are open end. `peer_left`: because the client closed it. */
PRELOAD_HIDDEN void h2_close(struct h2 *h2, const struct h2_call *call, bool peer_left);

#endif
