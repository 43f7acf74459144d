/* SPDX-License-Identifier: MIT */
/*
 * Connections that the program has accepted, and the requests on them. What the program receives
 * and sends is followed as HTTP/1 (http.h), whatever framework, language or event loop it uses. A
 * request is recorded when its first line has arrived, and when its answer has been sent.
 *
 * A program that accepts no connection has no table: a hook that might see a connection reads one
 * pointer. Memory is taken when a connection is accepted, 256 descriptors at a time.
 *
 * A connection belongs to the thread that uses it. If two threads use one at the same time, it is
 * followed no further, and that is noted (limitation requests_shared). Any thread, signal handlers
 * too; no lock; the only system call is mmap() in connection_accepted(). errno may change.
 */
#ifndef PRELOAD_REQUESTS_CONNECTIONS_H
#define PRELOAD_REQUESTS_CONNECTIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "preload/base/hidden.h"
#include "preload/requests/paths.h"

#define CONNECTION_CHUNK 256u  /* descriptors whose connections lie together */
#define CONNECTION_CHUNKS 256u /* descriptors above 65535 are not followed */

enum connection_state {
	CONNECTION_NONE,
	CONNECTION_OPEN,
};

struct connection;

struct connection_table {
	struct connection *_Atomic chunk[CONNECTION_CHUNKS];
	struct paths paths; /* of their requests */
};

/* NULL: nothing was accepted. */
PRELOAD_HIDDEN extern struct connection_table *_Atomic connection_table;

PRELOAD_HIDDEN bool connection_is_open(int fd);

/* True if the descriptor is an accepted connection that is followed. */
static inline __attribute__((always_inline)) bool connection_is_followed(int fd)
{
	return __builtin_expect(
		       atomic_load_explicit(&connection_table, memory_order_relaxed) != NULL, 0) &&
	       connection_is_open(fd);
}

/* After accept(). Does nothing if requests are not recorded. */
PRELOAD_HIDDEN void connection_accepted(int fd);
/* After a call that received `result` bytes into these pieces; -1: it failed. */
PRELOAD_HIDDEN void connection_received(int fd, const struct iovec *piece, size_t pieces,
					ssize_t result);
/* After a call that sent `result` bytes and began at `started` ticks. */
PRELOAD_HIDDEN void connection_sent(int fd, const struct iovec *piece, size_t pieces,
				    ssize_t result, uint64_t started);
/* The same for bytes of a file (sendfile()). */
PRELOAD_HIDDEN void connection_sent_file(int fd, ssize_t result, uint64_t started);
/* Before the descriptor is closed. */
PRELOAD_HIDDEN void connection_closes(int fd);

#endif
