/* SPDX-License-Identifier: MIT */
/*
 * Requests of a connection are answered in the order in which they came (RFC 9112), also when
 * several are under way (pipelining). So a connection needs only two counters and a ring of what is
 * known of the requests between them.
 */
#include "preload/requests/connections.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/record/limitation.h"
#include "preload/record/recorder.h"
#include "preload/requests/http.h"
#include "preload/requests/requests.h"
#include "preload/settings/settings.h"

/* Requests that may wait for their answers on one connection. */
#define PIPELINE 64u

struct connection {
	_Atomic uint32_t state; /* enum connection_state */
	_Atomic bool is_busy;
	bool peer_left;    /* it has closed the connection, or its side of it */
	bool is_head_open; /* a head is arriving whose request has begun */
	uint32_t status;   /* of the answer under way; 0: none */
	uint64_t id;
	uint64_t begun, ended;   /* requests */
	uint64_t received, sent; /* bytes of the message under way */
	uint64_t answered_ticks; /* when the answer under way began */
	uint64_t sent_ticks;     /* when the last call that sent some of it began */
	struct http_stream in, out;
	struct pipelined {
		uint64_t bytes;
		bool is_head, is_connect;
	} request[PIPELINE];
};

struct connection_table *_Atomic connection_table;

/* --- the table --- */

static void *connection_memory(size_t bytes)
{
	/* not mmap(), which is hooked */
	long at = syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at < 0 && at >= -4095 ? NULL : (void *)at;
}

/* Several threads may come at once: the first one's memory is taken. */
static struct connection_table *connection_table_make(void)
{
	struct connection_table *table = atomic_load(&connection_table), *none = NULL;

	if (table)
		return table;
	table = connection_memory(sizeof(*table));
	if (table && !atomic_compare_exchange_strong(&connection_table, &none, table)) {
		(void)syscall(SYS_munmap, table, sizeof(*table));
		table = none;
	}
	return table;
}

static struct connection *connection_chunk_make(struct connection_table *table, unsigned int number)
{
	size_t bytes = CONNECTION_CHUNK * sizeof(struct connection);
	struct connection *chunk = atomic_load(&table->chunk[number]), *none = NULL;

	if (chunk)
		return chunk;
	chunk = connection_memory(bytes);
	if (chunk && !atomic_compare_exchange_strong(&table->chunk[number], &none, chunk)) {
		(void)syscall(SYS_munmap, chunk, bytes);
		chunk = none;
	}
	return chunk;
}

/* Returns NULL if there is no memory for it. */
static struct connection *connection_at(int fd)
{
	struct connection_table *table = atomic_load(&connection_table);
	struct connection *chunk = NULL;
	unsigned int number = (unsigned int)fd / CONNECTION_CHUNK;

	if (table && fd >= 0 && number < CONNECTION_CHUNKS)
		chunk = atomic_load_explicit(&table->chunk[number], memory_order_acquire);
	return chunk ? &chunk[(unsigned int)fd % CONNECTION_CHUNK] : NULL;
}

bool connection_is_open(int fd)
{
	struct connection *connection = connection_at(fd);

	return connection && atomic_load_explicit(&connection->state, memory_order_relaxed);
}

void connection_accepted(int fd)
{
	unsigned int number = (unsigned int)fd / CONNECTION_CHUNK;
	struct connection_table *table;
	struct connection *connection;

	if (!(settings.trace & 1u << SETTINGS_FAMILY_requests) || !recorder_is_open())
		return;
	table = number < CONNECTION_CHUNKS ? connection_table_make() : NULL;
	if (!table || !connection_chunk_make(table, number)) {
		limitation_note(LIMITATION_requests_memory, NULL);
		return;
	}
	connection = connection_at(fd);
	memset(connection, 0, sizeof(*connection));
	connection->id = requests_next_connection();
	atomic_store_explicit(&connection->state, CONNECTION_OPEN, memory_order_release);
}

/* --- who uses it --- */

/* Returns NULL if it is not followed. Pairs with connection_leave(). */
static struct connection *connection_enter(int fd)
{
	struct connection *connection = connection_at(fd);

	if (!connection || !atomic_load_explicit(&connection->state, memory_order_acquire))
		return NULL;
	if (!atomic_exchange_explicit(&connection->is_busy, true, memory_order_acquire))
		return connection;
	atomic_store(&connection->state, CONNECTION_NONE);
	limitation_note(LIMITATION_requests_shared, NULL);
	return NULL;
}

static void connection_leave(struct connection *connection)
{
	atomic_store_explicit(&connection->is_busy, false, memory_order_release);
}

/* --- requests --- */

static struct pipelined *connection_request(struct connection *connection, uint64_t number)
{
	return &connection->request[number % PIPELINE];
}

static bool connection_awaits(const struct connection *connection)
{
	return connection->begun != connection->ended;
}

/* What is no HTTP/1, or no longer, is not looked at again. */
static void connection_drop(struct connection *connection)
{
	atomic_store_explicit(&connection->state, CONNECTION_NONE, memory_order_relaxed);
}

static bool connection_begin_request(struct connection *connection, const struct http_piece *piece,
				     int fd)
{
	struct http_request_line line;
	struct pipelined *request;

	if (!http_request_line_read(piece, &line))
		return false;
	if (connection->begun - connection->ended == PIPELINE) {
		limitation_note(LIMITATION_requests_pipelined, NULL);
		return false;
	}
	request = connection_request(connection, connection->begun);
	request->is_head = line.method_length == 4 && memcmp(line.method, "HEAD", 4) == 0;
	request->is_connect = line.method_length == 7 && memcmp(line.method, "CONNECT", 7) == 0;
	request->bytes = 0;
	requests_record_begin(&(struct request_begun){ .connection = connection->id,
						       .number = connection->begun,
						       .fd = fd,
						       .paths = &connection_table->paths,
						       .line = line });
	connection->begun++;
	return true;
}

static void connection_end_request(struct connection *connection, enum request_ending ending,
				   uint64_t started)
{
	requests_record_end(&(struct request_ended){
		.connection = connection->id,
		.number = connection->ended,
		.status = connection->status,
		.bytes_in = connection_request(connection, connection->ended)->bytes,
		.bytes_out = connection->sent,
		.answered_ticks = connection->answered_ticks,
		.started_ticks = started,
		.ending = ending });
	connection->ended++;
	connection->status = 0;
	connection->sent = 0;
	connection->answered_ticks = 0;
}

/* --- what arrives --- */

/* Bytes of a head count for its request, which begins with the first line. */
static void connection_count_in(struct connection *connection, size_t used)
{
	connection->received += used;
	if (connection->is_head_open)
		connection_request(connection, connection->begun - 1)->bytes = connection->received;
}

static void connection_take_in(struct connection *connection, const char *bytes, size_t length,
			       int fd)
{
	struct http_piece piece = { .bytes = bytes, .length = length };

	while (piece.length && connection->in.state != HTTP_OPAQUE) {
		size_t before = piece.length;
		enum http_seen seen = http_feed(&connection->in, &piece);

		if (seen == HTTP_SEEN_FIRST) {
			connection->is_head_open = connection_begin_request(connection, &piece, fd);
			if (!connection->is_head_open)
				http_make_opaque(&connection->in);
		}
		connection_count_in(connection, before - piece.length);
		if (seen == HTTP_SEEN_END ||
		    (seen == HTTP_SEEN_HEAD &&
		     http_begin_body(&connection->in, HTTP_REST_AS_SAID))) {
			connection->is_head_open = false;
			connection->received = 0;
		}
	}
}

/* The peer is gone, or sends nothing more. */
static bool connection_is_lost(ssize_t result)
{
	return result == 0 || (result < 0 && (errno == ECONNRESET || errno == EPIPE));
}

void connection_received(int fd, const struct iovec *piece, size_t pieces, ssize_t result)
{
	struct connection *connection = connection_enter(fd);
	size_t left = result > 0 ? (size_t)result : 0;

	if (!connection)
		return;
	if (connection_is_lost(result))
		connection->peer_left = true;
	for (size_t i = 0; i < pieces && left; i++) {
		size_t length = piece[i].iov_len < left ? piece[i].iov_len : left;

		connection_take_in(connection, piece[i].iov_base, length, fd);
		left -= length;
	}
	if (connection->in.state == HTTP_OPAQUE && !connection_awaits(connection))
		connection_drop(connection);
	connection_leave(connection);
}

/* --- what is sent --- */

/* Interim answers (100 Continue) have no body and end nothing. */
static void connection_end_head(struct connection *connection, uint64_t started)
{
	const struct pipelined *request = connection_request(connection, connection->ended);
	uint32_t status = connection->status;
	bool is_tunnel = status == 101 || (request->is_connect && status / 100 == 2);
	bool has_none = request->is_head || status / 100 == 1 || status == 204 || status == 304;

	if (is_tunnel) {
		http_make_opaque(&connection->in);
		http_make_opaque(&connection->out);
		connection_end_request(connection, REQUEST_UPGRADED, started);
	} else if (http_begin_body(&connection->out,
				   has_none ? HTTP_REST_NONE : HTTP_REST_OR_CLOSE) &&
		   status / 100 != 1) {
		connection_end_request(connection, REQUEST_ANSWERED, started);
	}
}

/* An answer that nobody asked for, as 408 of an idle connection, is followed and not recorded. */
static void connection_take_out(struct connection *connection, struct http_piece *piece,
				uint64_t started)
{
	while (piece->length && connection->out.state != HTTP_OPAQUE) {
		size_t before = piece->length;
		enum http_seen seen = http_feed(&connection->out, piece);

		if (seen == HTTP_SEEN_FIRST) {
			connection->status = http_status_read(piece);
			if (!connection->status)
				http_make_opaque(&connection->out);
		}
		if (!connection_awaits(connection)) {
			connection_drop(connection);
			return;
		}
		if (!connection->answered_ticks)
			connection->answered_ticks = started;
		connection->sent_ticks = started;
		connection->sent += before - piece->length;
		if (seen == HTTP_SEEN_HEAD)
			connection_end_head(connection, started);
		else if (seen == HTTP_SEEN_END)
			connection_end_request(connection, REQUEST_ANSWERED, started);
	}
}

static void connection_settle(struct connection *connection)
{
	if (connection->out.state != HTTP_OPAQUE)
		return;
	while (connection_awaits(connection))
		connection_end_request(connection, REQUEST_UNKNOWN, recorder_now());
	connection_drop(connection);
}

void connection_sent(int fd, const struct iovec *piece, size_t pieces, ssize_t result,
		     uint64_t started)
{
	struct connection *connection = connection_enter(fd);
	size_t left = result > 0 ? (size_t)result : 0;

	if (!connection)
		return;
	if (result < 0 && connection_is_lost(result))
		connection->peer_left = true;
	for (size_t i = 0; i < pieces && left; i++) {
		struct http_piece bytes = { .bytes = piece[i].iov_base,
					    .length = piece[i].iov_len < left ? piece[i].iov_len
									      : left };

		left -= bytes.length;
		connection_take_out(connection, &bytes, started);
	}
	connection_settle(connection);
	connection_leave(connection);
}

void connection_sent_file(int fd, ssize_t result, uint64_t started)
{
	struct connection *connection = connection_enter(fd);
	struct http_piece piece = { .length = result > 0 ? (size_t)result : 0 };

	if (!connection)
		return;
	if (result < 0 && connection_is_lost(result))
		connection->peer_left = true;
	connection_take_out(connection, &piece, started);
	connection_settle(connection);
	connection_leave(connection);
}

/* --- the end --- */

static enum request_ending connection_ending(const struct connection *connection)
{
	if (connection->out.state == HTTP_TO_CLOSE && !connection->peer_left)
		return REQUEST_ANSWERED;
	return connection->peer_left ? REQUEST_CLIENT_LEFT : REQUEST_UNANSWERED;
}

/*
 * A request that was not answered in full ends with its connection. An answer that lasts until the
 * close has ended with the last call that sent some of it: the client may have seen its end before
 * the close, by shutdown().
 */
void connection_closes(int fd)
{
	struct connection *connection = connection_enter(fd);

	if (!connection)
		return;
	while (connection_awaits(connection)) {
		enum request_ending ending = connection_ending(connection);

		connection_end_request(connection, ending,
				       ending == REQUEST_ANSWERED ? connection->sent_ticks
								  : recorder_now());
		connection->out.state = HTTP_FIRST;
	}
	connection_drop(connection);
	connection_leave(connection);
}
