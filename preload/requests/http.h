/* SPDX-License-Identifier: MIT */
/*
 * Follows one direction of an HTTP/1 connection: where messages begin, where their heads and bodies
 * end. Bytes come in pieces of any size. Only the first line and three fields of a head are read;
 * bodies are skipped. What is no HTTP/1 (TLS, HTTP/2, WebSocket frames) makes the stream opaque,
 * and it stays so.
 *
 * A stream of zeros is a fresh one. One thread at a time; no lock, no allocation, no system call.
 */
#ifndef PRELOAD_REQUESTS_HTTP_H
#define PRELOAD_REQUESTS_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/base/hidden.h"

/* A line that arrives in several pieces is kept up to this length; the rest of it is dropped. */
#define HTTP_LINE_BYTES 232u
/* More bytes of head than any server accepts: the stream is no HTTP. */
#define HTTP_HEAD_BYTES (1u << 20)

enum http_state {
	HTTP_FIRST,      /* in front of, or in, the first line */
	HTTP_FIELDS,     /* in the lines below it */
	HTTP_BODY,       /* `left` bytes of body */
	HTTP_CHUNK,      /* in the line with the size of a chunk */
	HTTP_CHUNK_DATA, /* `left` bytes of a chunk and of the line's end behind it */
	HTTP_TRAILERS,   /* in the lines behind the last chunk */
	HTTP_TO_CLOSE,   /* in a body that ends with the connection */
	HTTP_OPAQUE,     /* no HTTP/1, or no longer */
};

struct http_stream {
	uint8_t state; /* enum http_state */
	bool is_chunked, has_length;
	bool is_cut; /* `line` lacks what did not fit */
	uint16_t held;
	uint32_t head_bytes;
	uint64_t left; /* until the head has ended: the content length */
	char line[HTTP_LINE_BYTES];
};

enum http_seen {
	HTTP_SEEN_NOTHING, /* all bytes are used */
	HTTP_SEEN_FIRST,   /* the first line, in `line` of struct http_piece */
	HTTP_SEEN_HEAD,    /* the head has ended: call http_begin_body() */
	HTTP_SEEN_END,     /* the message has ended */
};

/* Bytes of one direction. `bytes` NULL: the kernel has sent them from a file (sendfile()). */
struct http_piece {
	const char *bytes;
	size_t length;
	bool has_body; /* set where some of what was used is of a body; never cleared */
	/* set with HTTP_SEEN_FIRST: without the end of the line; valid until the next call */
	const char *line;
	size_t line_length;
	bool is_cut; /* the line's end is missing */
};

/* Uses bytes of the piece, up to the first that makes something of enum http_seen. */
PRELOAD_HIDDEN enum http_seen http_feed(struct http_stream *stream, struct http_piece *piece);

enum http_rest {
	HTTP_REST_AS_SAID,  /* a request: no body unless its fields say so */
	HTTP_REST_OR_CLOSE, /* a response: up to the connection's end unless its fields say so */
	HTTP_REST_NONE,     /* no body, whatever its fields say */
};

/* Returns true if the message has ended with its head. */
PRELOAD_HIDDEN bool http_begin_body(struct http_stream *stream, enum http_rest rest);

static inline void http_make_opaque(struct http_stream *stream)
{
	stream->state = HTTP_OPAQUE;
}

struct http_request_line {
	const char *method, *target;
	size_t method_length, target_length;
};

/* Returns false if the piece's line is not the first line of an HTTP/1 request. */
PRELOAD_HIDDEN bool http_request_line_read(const struct http_piece *piece,
					   struct http_request_line *ret_line);
/* Returns the status; 0 if the piece's line is not the first line of an HTTP/1 response. */
PRELOAD_HIDDEN unsigned int http_status_read(const struct http_piece *piece);

#endif
