/* SPDX-License-Identifier: MIT */
/*
 * Connections that the program has accepted: what it receives and sends on each is followed
 * (exchange.h), whatever framework, language or event loop it uses.
 *
 * A program that accepts no connection has no table: a hook that might see a connection reads one
 * pointer. Memory is taken when a connection is accepted, 256 descriptors at a time.
 *
 * Any thread, signal handlers too; no lock; the only system calls are mmap(), where a connection is
 * accepted and where HTTP/2 begins. errno may change.
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

struct exchange;

struct connection_table {
	struct exchange *_Atomic chunk[CONNECTION_CHUNKS];
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

/* Which paths of requests this process has recorded. NULL: no memory. */
PRELOAD_HIDDEN struct paths *connection_paths(void);

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
/*
 * Whether this SSL object decrypts the connection: the first one that asks for it does, while the
 * connection is open.
 */
PRELOAD_HIDDEN bool connection_is_read_by(int fd, const void *ssl);
/* Before the descriptor is closed. */
PRELOAD_HIDDEN void connection_closes(int fd);

#endif
