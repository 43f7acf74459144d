/* SPDX-License-Identifier: MIT */
/*
 * Requests of HTTP/1 are answered in the order in which they came (RFC 9112), also when several are
 * under way (pipelining). So they need only two counters, one of each side, and a ring of what is
 * known of the requests between them.
 */
#include "preload/requests/exchange.h"

#include <errno.h>
#include <string.h>

#include "preload/base/clock.h"
#include "preload/record/limitation.h"
#include "preload/record/recorder.h"
#include "preload/requests/arrival.h"
#include "preload/requests/requests.h"
#include "preload/requests/tls.h"

void exchange_begin(struct exchange *exchange, int fd, struct paths *paths)
{
	struct h2 *h2 = atomic_load(&exchange->h2);

	memset(exchange, 0, sizeof(*exchange));
	if (h2)
		h2_reset(h2);
	atomic_store(&exchange->h2, h2);
	exchange->id = requests_next_connection();
	exchange->fd = fd;
	exchange->paths = paths;
	atomic_store_explicit(&exchange->is_followed, true, memory_order_release);
}

/* What is no HTTP, or no longer, is not looked at again. */
static void exchange_drop(struct exchange *exchange)
{
	atomic_store_explicit(&exchange->is_followed, false, memory_order_relaxed);
}

/* Returns false if it is not followed. Pairs with exchange_leave(). */
static bool exchange_enter(struct exchange *exchange, enum h2_side_of side)
{
	if (!atomic_load_explicit(&exchange->is_followed, memory_order_acquire))
		return false;
	if (!atomic_exchange_explicit(&exchange->is_busy[side], true, memory_order_acquire))
		return true;
	exchange_drop(exchange);
	limitation_note(LIMITATION_requests_shared, NULL);
	return false;
}

static void exchange_leave(struct exchange *exchange, enum h2_side_of side)
{
	atomic_store_explicit(&exchange->is_busy[side], false, memory_order_release);
}

/* --- HTTP/2 --- */

/* Both sides may come first. */
static struct h2 *exchange_h2(struct exchange *exchange)
{
	struct h2 *h2 = atomic_load_explicit(&exchange->h2, memory_order_acquire), *none = NULL;

	if (h2)
		return h2;
	h2 = h2_make();
	if (h2 && !atomic_compare_exchange_strong(&exchange->h2, &none, h2)) {
		h2_free(h2);
		h2 = none;
	}
	if (!h2)
		limitation_note(LIMITATION_requests_memory, NULL);
	return h2;
}

static struct h2_call exchange_call(const struct exchange *exchange, uint64_t started)
{
	return (struct h2_call){ .connection = exchange->id,
				 .fd = exchange->fd,
				 .paths = exchange->paths,
				 .started = started };
}

static void exchange_take_h2(struct exchange *exchange, enum h2_side_of side,
			     const struct http_piece *piece, uint64_t started)
{
	struct h2 *h2 = exchange_h2(exchange);
	struct h2_call call = exchange_call(exchange, started);

	if (!h2 || !h2_take(h2, side, &call, piece->bytes, piece->length))
		exchange_drop(exchange);
}

/* --- requests --- */

static struct exchange_request *exchange_request(struct exchange *exchange, uint64_t number)
{
	return &exchange->request[number % EXCHANGE_PIPELINE];
}

static bool exchange_awaits(const struct exchange *exchange)
{
	return atomic_load_explicit(&exchange->begun, memory_order_acquire) !=
	       atomic_load_explicit(&exchange->ended, memory_order_acquire);
}

static bool exchange_begin_request(struct exchange *exchange, const struct http_piece *piece)
{
	uint64_t number = atomic_load_explicit(&exchange->begun, memory_order_relaxed);
	struct exchange_request *request = exchange_request(exchange, number);
	struct http_request_line line;

	if (!http_request_line_read(piece, &line))
		return false;
	if (number - atomic_load_explicit(&exchange->ended, memory_order_acquire) ==
	    EXCHANGE_PIPELINE) {
		limitation_note(LIMITATION_requests_pipelined, NULL);
		return false;
	}
	request->is_head = line.method_length == 4 && memcmp(line.method, "HEAD", 4) == 0;
	request->is_connect = line.method_length == 7 && memcmp(line.method, "CONNECT", 7) == 0;
	atomic_store_explicit(&request->bytes, 0, memory_order_relaxed);
	requests_record_begin(&(struct request_begun){
		.connection = exchange->id,
		.number = number,
		.fd = exchange->fd,
		.paths = exchange->paths,
		.held_since_ns = atomic_exchange(&exchange->held_since_ns, 0),
		.line = line });
	atomic_store_explicit(&exchange->begun, number + 1, memory_order_release);
	return true;
}

/* Small answers only: of a large one, more may be unsent than the network takes at once. */
static void exchange_look_held(struct exchange *exchange)
{
	if (exchange->out.calls > 1 && exchange->out.bytes <= HELD_BYTES_MAX &&
	    arrival_is_held(exchange->fd))
		atomic_store(&exchange->held_since_ns, clock_ns(CLOCK_MONOTONIC));
}

static void exchange_end_request(struct exchange *exchange, enum request_ending ending,
				 uint64_t started)
{
	uint64_t number = atomic_load_explicit(&exchange->ended, memory_order_relaxed);

	if (ending == REQUEST_ANSWERED)
		exchange_look_held(exchange);
	requests_record_end(&(struct request_ended){
		.connection = exchange->id,
		.number = number,
		.status = exchange->out.status,
		.bytes_in = atomic_load_explicit(&exchange_request(exchange, number)->bytes,
						 memory_order_relaxed),
		.bytes_out = exchange->out.bytes,
		.answered_ticks = exchange->out.answered_ticks,
		.started_ticks = started,
		.body = exchange->out.body,
		.ending = ending });
	exchange->out.status = 0;
	exchange->out.bytes = 0;
	exchange->out.answered_ticks = 0;
	exchange->out.sent_ticks = 0;
	exchange->out.calls = 0;
	exchange->out.body = (struct request_body){ 0 };
	atomic_store_explicit(&exchange->ended, number + 1, memory_order_release);
}

/* --- what arrives --- */

/* Bytes of a head count for its request, which begins with the first line. */
static void exchange_count_in(struct exchange *exchange, size_t used)
{
	uint64_t newest = atomic_load_explicit(&exchange->begun, memory_order_relaxed) - 1;

	exchange->in.bytes += used;
	if (exchange->in.is_head_open)
		atomic_store_explicit(&exchange_request(exchange, newest)->bytes,
				      exchange->in.bytes, memory_order_relaxed);
}

/* Nothing has been received yet. */
static bool exchange_is_fresh(const struct exchange *exchange)
{
	return !exchange->in.bytes && !atomic_load_explicit(&exchange->begun, memory_order_relaxed);
}

/* A first line has come. Of HTTP/2 it is the beginning of the preface. */
static void exchange_take_first(struct exchange *exchange, const struct http_piece *piece)
{
	struct h2 *h2;

	if (exchange_is_fresh(exchange) && h2_is_preface(piece->line, piece->line_length)) {
		h2 = exchange_h2(exchange);
		if (h2)
			h2_begin(h2);
		exchange->in.is_h2 = h2 != NULL;
		return;
	}
	exchange->in.is_head_open = exchange_begin_request(exchange, piece);
	if (!exchange->in.is_head_open)
		http_make_opaque(&exchange->in.stream);
}

static void exchange_take_in(struct exchange *exchange, const char *bytes, size_t length)
{
	struct http_piece piece = { .bytes = bytes, .length = length };

	while (piece.length && exchange->in.stream.state != HTTP_OPAQUE && !exchange->in.is_h2) {
		size_t before = piece.length;
		enum http_seen seen = http_feed(&exchange->in.stream, &piece);

		if (seen == HTTP_SEEN_FIRST)
			exchange_take_first(exchange, &piece);
		exchange_count_in(exchange, before - piece.length);
		if (seen == HTTP_SEEN_END ||
		    (seen == HTTP_SEEN_HEAD &&
		     http_begin_body(&exchange->in.stream, HTTP_REST_AS_SAID))) {
			exchange->in.is_head_open = false;
			exchange->in.bytes = 0;
		}
	}
	if (exchange->in.is_h2)
		exchange_take_h2(exchange, H2_IN, &piece, recorder_now());
}

static bool exchange_is_encrypted(const struct exchange *exchange)
{
	return atomic_load_explicit(&exchange->is_encrypted, memory_order_relaxed);
}

/* The peer is gone, or sends nothing more. */
static bool exchange_is_lost(ssize_t result)
{
	return result == 0 || (result < 0 && (errno == ECONNRESET || errno == EPIPE));
}

void exchange_received(struct exchange *exchange, const struct iovec *piece, size_t pieces,
		       ssize_t result)
{
	bool is_lost = exchange_is_lost(result);
	size_t left = result > 0 ? (size_t)result : 0;

	if (!exchange_enter(exchange, H2_IN))
		return;
	if (is_lost)
		exchange_peer_left(exchange);
	for (size_t i = 0; i < pieces && left; i++) {
		size_t length = piece[i].iov_len < left ? piece[i].iov_len : left;

		if (exchange_is_fresh(exchange) && tls_look(piece[i].iov_base, length))
			atomic_store_explicit(&exchange->is_encrypted, true, memory_order_relaxed);
		if (exchange_is_encrypted(exchange))
			break;
		exchange_take_in(exchange, piece[i].iov_base, length);
		left -= length;
	}
	if (exchange_is_encrypted(exchange))
		tls_took(exchange->fd);
	else if (exchange->in.stream.state == HTTP_OPAQUE && !exchange->in.is_h2 &&
		 !exchange_awaits(exchange))
		exchange_drop(exchange);
	exchange_leave(exchange, H2_IN);
}

/* --- what is sent --- */

/* Interim answers (100 Continue) have no body and end nothing. */
static void exchange_end_head(struct exchange *exchange, uint64_t started)
{
	const struct exchange_request *request = exchange_request(
		exchange, atomic_load_explicit(&exchange->ended, memory_order_relaxed));
	uint32_t status = exchange->out.status;
	bool is_tunnel = status == 101 || (request->is_connect && status / 100 == 2);
	bool has_none = request->is_head || status / 100 == 1 || status == 204 || status == 304;

	if (is_tunnel) {
		http_make_opaque(&exchange->out.stream);
		exchange_end_request(exchange, REQUEST_UPGRADED, started);
	} else if (http_begin_body(&exchange->out.stream,
				   has_none ? HTTP_REST_NONE : HTTP_REST_OR_CLOSE) &&
		   status / 100 != 1) {
		exchange_end_request(exchange, REQUEST_ANSWERED, started);
	}
}

static void exchange_count_out(struct exchange *exchange, size_t used, bool has_body,
			       uint64_t started)
{
	if (!exchange->out.answered_ticks)
		exchange->out.answered_ticks = started;
	exchange->out.calls += exchange->out.sent_ticks != started;
	exchange->out.sent_ticks = started;
	exchange->out.bytes += used;
	if (has_body)
		request_body_sent(&exchange->out.body, started);
}

/* An answer that nobody asked for, as 408 of an idle connection, is followed and not recorded. */
static void exchange_take_out(struct exchange *exchange, struct http_piece *piece, uint64_t started)
{
	while (piece->length && exchange->out.stream.state != HTTP_OPAQUE) {
		size_t before = piece->length;
		enum http_seen seen;

		piece->has_body = false;
		seen = http_feed(&exchange->out.stream, piece);
		if (seen == HTTP_SEEN_FIRST) {
			exchange->out.status = http_status_read(piece);
			if (!exchange->out.status)
				http_make_opaque(&exchange->out.stream);
		}
		if (!exchange_awaits(exchange)) {
			exchange_drop(exchange);
			return;
		}
		exchange_count_out(exchange, before - piece->length, piece->has_body, started);
		if (seen == HTTP_SEEN_HEAD)
			exchange_end_head(exchange, started);
		else if (seen == HTTP_SEEN_END)
			exchange_end_request(exchange, REQUEST_ANSWERED, started);
	}
}

/* A server of HTTP/2 may send its settings before it has received anything. */
static void exchange_take_sent(struct exchange *exchange, struct http_piece *piece,
			       uint64_t started)
{
	if (!exchange->out.has_sent)
		exchange->out.is_h2 = piece->bytes && h2_is_settings(piece->bytes, piece->length);
	exchange->out.has_sent = true;
	if (exchange->out.is_h2)
		exchange_take_h2(exchange, H2_OUT, piece, started);
	else
		exchange_take_out(exchange, piece, started);
}

static void exchange_settle(struct exchange *exchange)
{
	if (exchange->out.stream.state != HTTP_OPAQUE)
		return;
	while (exchange_awaits(exchange))
		exchange_end_request(exchange, REQUEST_UNKNOWN, recorder_now());
	exchange_drop(exchange);
}

void exchange_sent(struct exchange *exchange, const struct iovec *piece, size_t pieces,
		   ssize_t result, uint64_t started)
{
	bool is_lost = result < 0 && exchange_is_lost(result);
	size_t left = result > 0 ? (size_t)result : 0;

	if (!exchange_enter(exchange, H2_OUT))
		return;
	if (is_lost)
		exchange_peer_left(exchange);
	if (exchange_is_encrypted(exchange))
		left = 0;
	for (size_t i = 0; i < pieces && left; i++) {
		struct http_piece bytes = { .bytes = piece[i].iov_base,
					    .length = piece[i].iov_len < left ? piece[i].iov_len
									      : left };

		left -= bytes.length;
		if (bytes.length)
			exchange_take_sent(exchange, &bytes, started);
	}
	exchange_settle(exchange);
	exchange_leave(exchange, H2_OUT);
}

void exchange_sent_file(struct exchange *exchange, ssize_t result, uint64_t started)
{
	exchange_sent(exchange, &(struct iovec){ .iov_base = NULL, .iov_len = SIZE_MAX }, 1, result,
		      started);
}

/* --- the end --- */

void exchange_peer_left(struct exchange *exchange)
{
	atomic_store_explicit(&exchange->peer_left, true, memory_order_relaxed);
}

static enum request_ending exchange_ending(const struct exchange *exchange)
{
	bool peer_left = atomic_load_explicit(&exchange->peer_left, memory_order_relaxed);

	if (exchange->out.stream.state == HTTP_TO_CLOSE && !peer_left)
		return REQUEST_ANSWERED;
	return peer_left ? REQUEST_CLIENT_LEFT : REQUEST_UNANSWERED;
}

/*
 * A request that was not answered in full ends with its connection. An answer that lasts until the
 * close has ended with the last call that sent some of it: the client may have seen its end before
 * the close, by shutdown().
 */
void exchange_end(struct exchange *exchange)
{
	struct h2 *h2 = atomic_load_explicit(&exchange->h2, memory_order_acquire);

	if (!exchange_enter(exchange, H2_OUT))
		return;
	if (h2) {
		struct h2_call call = exchange_call(exchange, recorder_now());

		h2_close(h2, &call, atomic_load(&exchange->peer_left));
	}
	while (exchange_awaits(exchange)) {
		enum request_ending ending = exchange_ending(exchange);

		exchange_end_request(exchange, ending,
				     ending == REQUEST_ANSWERED ? exchange->out.sent_ticks
								: recorder_now());
		exchange->out.stream.state = HTTP_FIRST;
	}
	exchange_drop(exchange);
	exchange_leave(exchange, H2_OUT);
}
