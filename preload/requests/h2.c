/* SPDX-License-Identifier: MIT */
/*
 * The side that receives puts a stream into its slot, the side that sends takes it out; whoever
 * sets the slot's id to 0 ends the request. A header block is gathered, since it may come in
 * several frames and each in several pieces.
 */
#include "preload/requests/h2.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/record/limitation.h"
#include "preload/requests/hpack.h"
#include "preload/requests/requests.h"

#define STREAMS 256u /* requests under way on one connection */
#define PROBES 32u
#define BLOCK_BYTES 65536u
#define FRAME_HEAD_BYTES 9u
#define PROMISED_BYTES 4u /* the stream that a PUSH_PROMISE promises */
#define PRIORITY_BYTES 5u

enum frame_type {
	FRAME_DATA = 0,
	FRAME_HEADERS = 1,
	FRAME_RST_STREAM = 3,
	FRAME_SETTINGS = 4,
	FRAME_PUSH_PROMISE = 5,
	FRAME_CONTINUATION = 9,
};

enum frame_flag {
	FRAME_END_STREAM = 0x1,
	FRAME_END_HEADERS = 0x4,
	FRAME_PADDED = 0x8,
	FRAME_PRIORITY = 0x20,
};

static const char preface[] = "PRI * HTTP/2.0";
#define PREFACE_REST "\r\nSM\r\n\r\n" /* behind that line and its end */

struct h2_side {
	uint32_t skips;        /* bytes of the preface that are still to come */
	uint32_t head_bytes;   /* of the frame's head that have come */
	uint32_t left;         /* bytes of its payload that have not */
	uint32_t block_bytes;  /* in `block` */
	uint32_t payload;      /* where the frame's payload begins there */
	uint32_t block_frames; /* bytes of the frames that it came in */
	uint32_t block_id;     /* stream whose block is open; 0: none */
	bool block_ends;       /* and the stream with it */
	bool is_promise;       /* the block is no request or answer */
	uint8_t head[FRAME_HEAD_BYTES];
	struct hpack_table table; /* last of what h2_reset() clears, in part */
	uint8_t block[BLOCK_BYTES];
};

struct h2_stream {
	_Atomic uint32_t id; /* 0: free */
	_Atomic uint64_t bytes_in;
	uint64_t number;
	/* of the side that sends */
	uint64_t bytes_out, answered_ticks;
	struct request_body body;
	uint32_t status;
};

struct h2 {
	uint32_t last_id; /* of the requests that have begun */
	uint64_t begun;
	struct h2_stream stream[STREAMS];
	struct h2_side side[2];
};

struct h2 *h2_make(void)
{
	/* not mmap(), which is hooked */
	long at = syscall(SYS_mmap, NULL, sizeof(struct h2), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at < 0 && at >= -4095 ? NULL : (struct h2 *)at;
}

void h2_free(struct h2 *h2)
{
	(void)syscall(SYS_munmap, h2, sizeof(*h2));
}

/* What lies behind the counts of a side is not read before it is written. */
void h2_reset(struct h2 *h2)
{
	h2->last_id = 0;
	h2->begun = 0;
	memset(h2->stream, 0, sizeof(h2->stream));
	for (int i = 0; i < 2; i++)
		memset(&h2->side[i], 0,
		       offsetof(struct h2_side, table) + offsetof(struct hpack_table, field));
}

bool h2_is_preface(const char *line, size_t length)
{
	return length == sizeof(preface) - 1 && !memcmp(line, preface, length);
}

/* Six bytes a setting, no flags, stream 0. */
bool h2_is_settings(const char *bytes, size_t length)
{
	static const char rest[] = { FRAME_SETTINGS, 0, 0, 0, 0, 0 };

	return length >= FRAME_HEAD_BYTES && !bytes[0] && !bytes[1] && (uint8_t)bytes[2] % 6 == 0 &&
	       !memcmp(bytes + 3, rest, sizeof(rest));
}

void h2_begin(struct h2 *h2)
{
	h2->side[H2_IN].skips = sizeof(PREFACE_REST) - 1;
}

/* --- streams --- */

static struct h2_stream *h2_slot(struct h2 *h2, uint32_t id, uint32_t wanted)
{
	for (uint32_t i = 0; i < PROBES; i++) {
		struct h2_stream *stream = &h2->stream[(id / 2 + i) % STREAMS];

		if (atomic_load_explicit(&stream->id, memory_order_acquire) == wanted)
			return stream;
	}
	return NULL;
}

/* NULL: there is no such request, or it has ended. */
static struct h2_stream *h2_stream(struct h2 *h2, uint32_t id)
{
	return id ? h2_slot(h2, id, id) : NULL;
}

static void h2_stream_begin(struct h2 *h2, const struct h2_call *call, uint32_t id,
			    const struct hpack_head *head)
{
	const struct hpack_value *method = &head->value[HPACK_METHOD],
				 *path = &head->value[HPACK_PATH];
	struct h2_stream *stream = h2_slot(h2, id, 0);

	h2->last_id = id;
	if (!method->length || !path->length)
		return;
	if (!stream) {
		limitation_note(LIMITATION_requests_streams, NULL);
		return;
	}
	stream->number = h2->begun++;
	stream->status = 0;
	stream->bytes_out = stream->answered_ticks = 0;
	stream->body = (struct request_body){ 0 };
	atomic_store_explicit(&stream->bytes_in, h2->side[H2_IN].block_frames,
			      memory_order_relaxed);
	requests_record_begin(&(struct request_begun){ .connection = call->connection,
						       .number = stream->number,
						       .fd = call->fd,
						       .paths = call->paths,
						       .line = { .method = method->text,
								 .method_length = method->length,
								 .target = path->text,
								 .target_length = path->length } });
	atomic_store_explicit(&stream->id, id, memory_order_release);
}

/*
 * The other side may end it at the same time, and put the next one into its slot: an id is never
 * used again, so what was read belongs to this stream if the slot still has its id.
 */
static void h2_stream_end(struct h2_stream *stream, uint32_t id, const struct h2_call *call,
			  enum request_ending ending)
{
	struct request_ended ended = {
		.connection = call->connection,
		.number = stream->number,
		.bytes_in = atomic_load_explicit(&stream->bytes_in, memory_order_relaxed),
		.bytes_out = stream->bytes_out,
		.answered_ticks = stream->answered_ticks,
		.started_ticks = call->started,
		.body = stream->body,
		.status = stream->status,
		.ending = ending,
	};

	if (atomic_compare_exchange_strong(&stream->id, &id, 0))
		requests_record_end(&ended);
}

/* --- frames --- */

static uint8_t frame_type(const struct h2_side *side)
{
	return side->head[3];
}

static uint8_t frame_flags(const struct h2_side *side)
{
	return side->head[4];
}

static uint32_t frame_stream(const struct h2_side *side)
{
	const uint8_t *at = side->head + 5;

	return (uint32_t)(at[0] & 0x7f) << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 |
	       at[3];
}

static bool frame_has_fields(const struct h2_side *side)
{
	return frame_type(side) == FRAME_HEADERS || frame_type(side) == FRAME_PUSH_PROMISE ||
	       frame_type(side) == FRAME_CONTINUATION;
}

/* Frames of a block follow each other. */
static bool frame_begins(struct h2_side *side)
{
	side->left = (uint32_t)side->head[0] << 16 | (uint32_t)side->head[1] << 8 | side->head[2];
	side->payload = side->block_bytes;
	if (side->block_id
		    ? frame_type(side) != FRAME_CONTINUATION || frame_stream(side) != side->block_id
		    : frame_type(side) == FRAME_CONTINUATION)
		return false;
	if (!frame_has_fields(side))
		return true;
	side->block_frames += FRAME_HEAD_BYTES + side->left;
	return side->left <= BLOCK_BYTES - side->block_bytes;
}

/* Takes away what stands around the fields. */
static bool frame_strip(struct h2_side *side)
{
	uint8_t *payload = side->block + side->payload;
	uint32_t length = side->block_bytes - side->payload, pad = 0, skip = 0;

	if (side->payload > side->block_bytes)
		return false;
	if (frame_type(side) == FRAME_CONTINUATION)
		return true;
	if (frame_flags(side) & FRAME_PADDED) {
		if (!length)
			return false;
		pad = payload[0];
		skip = 1;
	}
	if (frame_type(side) == FRAME_PUSH_PROMISE)
		skip += PROMISED_BYTES;
	else if (frame_flags(side) & FRAME_PRIORITY)
		skip += PRIORITY_BYTES;
	if (skip + pad > length)
		return false;
	memmove(payload, payload + skip, length - skip - pad);
	side->block_bytes -= skip + pad;
	return true;
}

static uint32_t number_of(const struct hpack_value *value)
{
	uint32_t number = 0;

	for (uint32_t i = 0; i < value->length && i < 3; i++)
		number = number * 10 + (uint32_t)(value->text[i] - '0') % 10;
	return number;
}

/* A call of gRPC that fails is an answer with :status 200, and grpc-status says so at its end. */
static void h2_stream_put_status(struct h2_stream *stream, const struct hpack_head *head)
{
	uint32_t status = number_of(&head->value[HPACK_STATUS]);
	uint32_t grpc = number_of(&head->value[HPACK_GRPC_STATUS]);

	if (status >= 200)
		stream->status = status;
	if (grpc)
		stream->status = REQUEST_GRPC_STATUS + grpc;
}

/* A stream's second block are trailers. Interim answers (100 Continue) end nothing. */
static bool block_ends(struct h2 *h2, enum h2_side_of of, const struct h2_call *call)
{
	struct h2_side *side = &h2->side[of];
	uint32_t id = side->block_id;
	struct h2_stream *stream;
	struct hpack_head head;

	if (!hpack_read(&side->table, side->block, side->block_bytes, &head))
		return false;
	stream = h2_stream(h2, id);
	if (of == H2_IN && !side->is_promise && id > h2->last_id)
		h2_stream_begin(h2, call, id, &head);
	if (of == H2_OUT && !side->is_promise && stream) {
		h2_stream_put_status(stream, &head);
		if (side->block_ends)
			h2_stream_end(stream, id, call, REQUEST_ANSWERED);
	}
	side->block_bytes = side->block_frames = side->block_id = 0;
	return true;
}

static bool fields_end(struct h2 *h2, enum h2_side_of of, const struct h2_call *call)
{
	struct h2_side *side = &h2->side[of];

	if (!frame_strip(side))
		return false;
	if (frame_type(side) != FRAME_CONTINUATION) {
		side->block_id = frame_stream(side);
		side->is_promise = frame_type(side) == FRAME_PUSH_PROMISE;
		side->block_ends = frame_flags(side) & FRAME_END_STREAM && !side->is_promise;
	}
	return !(frame_flags(side) & FRAME_END_HEADERS) || block_ends(h2, of, call);
}

static void frame_counts(struct h2 *h2, enum h2_side_of of, const struct h2_call *call)
{
	const struct h2_side *side = &h2->side[of];
	struct h2_stream *stream = h2_stream(h2, frame_stream(side));
	uint32_t bytes = FRAME_HEAD_BYTES + side->left;

	if (!stream || (frame_type(side) != FRAME_DATA && !frame_has_fields(side)))
		return;
	if (of == H2_IN) {
		atomic_fetch_add_explicit(&stream->bytes_in, bytes, memory_order_relaxed);
		return;
	}
	if (!stream->answered_ticks)
		stream->answered_ticks = call->started;
	stream->bytes_out += bytes;
	if (frame_type(side) == FRAME_DATA && side->left)
		request_body_sent(&stream->body, call->started);
}

static bool frame_ends(struct h2 *h2, enum h2_side_of of, const struct h2_call *call)
{
	struct h2_side *side = &h2->side[of];
	struct h2_stream *stream;
	uint32_t id;

	side->head_bytes = 0;
	if (frame_has_fields(side))
		return fields_end(h2, of, call);
	id = frame_stream(side);
	stream = h2_stream(h2, id);
	if (!stream)
		return true;
	if (frame_type(side) == FRAME_RST_STREAM)
		h2_stream_end(stream, id, call,
			      of == H2_IN ? REQUEST_CLIENT_LEFT : REQUEST_UNANSWERED);
	else if (frame_type(side) == FRAME_DATA && of == H2_OUT &&
		 frame_flags(side) & FRAME_END_STREAM)
		h2_stream_end(stream, id, call, REQUEST_ANSWERED);
	return true;
}

/* Returns how many bytes it used; 0: they cannot be followed. Only a body may be unseen. */
static size_t h2_step(struct h2 *h2, enum h2_side_of of, const struct h2_call *call,
		      const char *bytes, size_t length)
{
	struct h2_side *side = &h2->side[of];
	uint32_t *left = side->skips ? &side->skips : &side->left;
	size_t used;

	if (!side->skips && side->head_bytes < FRAME_HEAD_BYTES) {
		if (!bytes)
			return 0;
		side->head[side->head_bytes++] = (uint8_t)*bytes;
		if (side->head_bytes < FRAME_HEAD_BYTES)
			return 1;
		if (!frame_begins(side))
			return 0;
		frame_counts(h2, of, call);
		return side->left || frame_ends(h2, of, call) ? 1 : 0;
	}
	used = length < *left ? length : *left;
	if (left == &side->left && frame_has_fields(side)) {
		/* the latter where another thread has closed the connection meanwhile */
		if (!bytes || used > BLOCK_BYTES - side->block_bytes)
			return 0;
		memcpy(side->block + side->block_bytes, bytes, used);
		side->block_bytes += (uint32_t)used;
	}
	*left -= (uint32_t)used;
	return *left || left == &side->skips || frame_ends(h2, of, call) ? used : 0;
}

bool h2_take(struct h2 *h2, enum h2_side_of side, const struct h2_call *call, const char *bytes,
	     size_t length)
{
	while (length) {
		size_t used = h2_step(h2, side, call, bytes, length);

		if (!used)
			return false;
		bytes = bytes ? bytes + used : NULL;
		length -= used;
	}
	return true;
}

void h2_close(struct h2 *h2, const struct h2_call *call, bool peer_left)
{
	enum request_ending ending = peer_left ? REQUEST_CLIENT_LEFT : REQUEST_UNANSWERED;

	for (uint32_t i = 0; i < STREAMS; i++) {
		uint32_t id = atomic_load_explicit(&h2->stream[i].id, memory_order_acquire);

		if (id)
			h2_stream_end(&h2->stream[i], id, call, ending);
	}
}
