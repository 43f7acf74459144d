/* SPDX-License-Identifier: MIT */
/* links: preload:requests/h2.c preload:requests/hpack.c */
/* preload/requests/h2.c: streams of HTTP/2 are requests, in pieces of any size. */
#include "tests/unit/unit.h"

#include "preload/record/limitation.h"
#include "preload/requests/h2.h"
#include "preload/requests/requests.h"

/* What was recorded, in words. */
static char said[4096];
static size_t said_bytes;

static void say(const char *text)
{
	said_bytes += (size_t)snprintf(said + said_bytes, sizeof(said) - said_bytes, "%s\n", text);
}

void requests_record_begin(const struct request_begun *begun)
{
	char text[512];

	snprintf(text, sizeof(text), "begin %d: %.*s %.*s", (int)begun->number,
		 (int)begun->line.method_length, begun->line.method, (int)begun->line.target_length,
		 begun->line.target);
	say(text);
}

void requests_record_end(const struct request_ended *ended)
{
	char text[512];

	snprintf(text, sizeof(text), "end %d: %u, %d, in %d, out %d", (int)ended->number,
		 ended->status, ended->ending, (int)ended->bytes_in, (int)ended->bytes_out);
	say(text);
}

void limitation_note(enum limitation what, const char *subject)
{
	(void)subject;
	say(what == LIMITATION_requests_streams ? "too many streams" : "another limitation");
}

static const struct h2_call call = { .connection = 1, .fd = -1, .started = 100 };

/* --- frames --- */

struct bytes {
	char at[70000];
	size_t length;
};

static void put_frame(struct bytes *to, unsigned int type, unsigned int flags, unsigned int stream,
		      const char *payload, size_t length)
{
	const uint8_t head[] = { (uint8_t)(length >> 16), (uint8_t)(length >> 8),
				 (uint8_t)length,         (uint8_t)type,
				 (uint8_t)flags,          (uint8_t)(stream >> 24),
				 (uint8_t)(stream >> 16), (uint8_t)(stream >> 8),
				 (uint8_t)stream };

	memcpy(to->at + to->length, head, sizeof(head));
	memcpy(to->at + to->length + sizeof(head), payload, length);
	to->length += sizeof(head) + length;
}

#define DATA 0
#define HEADERS 1
#define RST_STREAM 3
#define SETTINGS 4
#define PUSH_PROMISE 5
#define PING 6
#define CONTINUATION 9
#define END_STREAM 1
#define END_HEADERS 4
#define PADDED 8
#define PRIORITY 0x20

/* GET of "/one", which is added to the table; by its place there; status 200 and 404 */
#define GET_ONE "\x82\x44\x04/one", 7
#define GET_IT "\x82\xbe", 2
#define OK_200 "\x88", 1
#define MISSING "\x8d", 1

static const char rest[] = "\r\nSM\r\n\r\n";

/* Both sides one after the other, in pieces of every size. */
static void expect_said(const struct bytes *in, const struct bytes *out, bool may,
			const char *wanted)
{
	size_t longest = in->length > out->length ? in->length : out->length;

	for (size_t step = 1; step <= longest; step += step < 64 ? 1 : step) {
		struct h2 *h2 = h2_make();
		bool followed = true;

		said_bytes = 0;
		said[0] = '\0';
		h2_begin(h2);
		followed = h2_take(h2, H2_IN, &call, rest, sizeof(rest) - 1);
		for (size_t at = 0; at < in->length && followed; at += step)
			followed = h2_take(h2, H2_IN, &call, in->at + at,
					   in->length - at < step ? in->length - at : step);
		for (size_t at = 0; at < out->length && followed; at += step)
			followed = h2_take(h2, H2_OUT, &call, out->at + at,
					   out->length - at < step ? out->length - at : step);
		assert_string_equal(said, wanted);
		assert_int_equal(followed, may);
		h2_free(h2);
	}
}

TEST(streams_are_requests)
{
	struct bytes in = { .length = 0 }, out = { .length = 0 };

	put_frame(&in, SETTINGS, 0, 0, "\0\x3\0\0\0\x64", 6);
	put_frame(&in, HEADERS, END_HEADERS | END_STREAM, 1, GET_ONE);
	put_frame(&in, HEADERS, END_HEADERS, 3, GET_IT);
	put_frame(&in, PING, 0, 0, "12345678", 8);
	put_frame(&in, DATA, 0, 3, "body", 4);
	put_frame(&in, HEADERS, END_HEADERS | END_STREAM, 3, "\x00\x01t\x01t", 5); /* trailers */
	put_frame(&out, SETTINGS, 0, 0, "", 0);
	put_frame(&out, HEADERS, END_HEADERS | END_STREAM, 3, MISSING);
	put_frame(&out, HEADERS, END_HEADERS, 1, OK_200);
	put_frame(&out, DATA, 0, 1, "more", 4);
	put_frame(&out, DATA, END_STREAM, 1, "", 0);
	put_frame(&out, RST_STREAM, 0, 1, "\0\0\0\0", 4); /* of what has ended */
	expect_said(&in, &out, true,
		    "begin 0: GET /one\nbegin 1: GET /one\nend 1: 404, 0, in 38, out 10\nend 0: "
		    "200, 0, in 16, out 32\n");
}

/* The second call takes the field from the table; the third one has the code 0: no failure. */
TEST(calls_of_grpc_have_their_own_status)
{
	static const char failed[] = "\x40\x0bgrpc-status\x01"
				     "5";
	struct bytes in = { .length = 0 }, out = { .length = 0 };

	for (unsigned int id = 1; id <= 5; id += 2)
		put_frame(&in, HEADERS, END_HEADERS | END_STREAM, id, GET_ONE);
	put_frame(&out, HEADERS, END_HEADERS, 1, OK_200);
	put_frame(&out, HEADERS, END_HEADERS | END_STREAM, 1, failed, sizeof(failed) - 1);
	put_frame(&out, HEADERS, END_HEADERS | END_STREAM, 3, "\x88\xbe", 2);
	put_frame(&out, HEADERS, END_HEADERS, 5, OK_200);
	put_frame(&out, HEADERS, END_HEADERS | END_STREAM, 5,
		  "\x00\x0bgrpc-status\x01"
		  "0",
		  15);
	expect_said(
		&in, &out, true,
		"begin 0: GET /one\nbegin 1: GET /one\nbegin 2: GET /one\nend 0: 1005, 0, in 16, "
		"out 34\nend 1: 1005, 0, in 16, out 11\nend 2: 200, 0, in 16, out 34\n");
}

TEST(blocks_may_be_cut_and_padded)
{
	struct bytes in = { .length = 0 }, out = { .length = 0 };

	put_frame(&in, HEADERS, PADDED | PRIORITY, 1, "\x03\0\0\0\0\x10\x82\x44\0\0\0", 11);
	put_frame(&in, CONTINUATION, 0, 1, "\x04/o", 3);
	put_frame(&in, CONTINUATION, END_HEADERS, 1, "ne", 2);
	put_frame(&out, HEADERS, END_HEADERS, 1,
		  "\x08\x03"
		  "100",
		  5); /* interim */
	put_frame(&out, PUSH_PROMISE, END_HEADERS, 1, "\0\0\0\x02\x82\x84",
		  6); /* a request of nobody */
	put_frame(&out, HEADERS, 0, 1, "\x08\x03", 2);
	put_frame(&out, CONTINUATION, END_HEADERS, 1, "500", 3);
	put_frame(&out, HEADERS, END_HEADERS | END_STREAM, 1, "\x00\x01t\x01t", 5); /* trailers */
	expect_said(&in, &out, true, "begin 0: GET /one\nend 0: 500, 0, in 43, out 66\n");
}

TEST(who_gives_up_is_known)
{
	struct bytes in = { .length = 0 }, out = { .length = 0 };
	struct h2 *h2 = h2_make();

	put_frame(&in, HEADERS, END_HEADERS | END_STREAM, 1, GET_ONE);
	put_frame(&in, RST_STREAM, 0, 1, "\0\0\0\x08", 4);
	put_frame(&in, HEADERS, END_HEADERS | END_STREAM, 3, GET_IT);
	put_frame(&out, RST_STREAM, 0, 3, "\0\0\0\x02", 4);
	expect_said(&in, &out, true,
		    "begin 0: GET /one\nend 0: 0, 1, in 16, out 0\nbegin 1: GET /one\nend 1: 0, 2, "
		    "in 11, out 0\n");

	/* and at the connection's end; a stream's number is not used twice */
	said_bytes = 0;
	h2_begin(h2);
	in.length = 0;
	put_frame(&in, HEADERS, END_HEADERS, 5, GET_ONE);
	put_frame(&in, HEADERS, END_HEADERS, 3, GET_IT);
	assert_true(h2_take(h2, H2_IN, &call, rest, sizeof(rest) - 1));
	assert_true(h2_take(h2, H2_IN, &call, in.at, in.length));
	h2_close(h2, &call, true);
	h2_close(h2, &call, true);
	assert_string_equal(said, "begin 0: GET /one\nend 0: 0, 1, in 16, out 0\n");

	/* the same memory for another connection */
	said_bytes = 0;
	h2_reset(h2);
	h2_begin(h2);
	assert_true(h2_take(h2, H2_IN, &call, rest, sizeof(rest) - 1));
	in.length = 0;
	put_frame(&in, HEADERS, END_HEADERS, 1, GET_ONE);
	assert_true(h2_take(h2, H2_IN, &call, in.at, in.length));
	h2_close(h2, &call, false);
	assert_string_equal(said, "begin 0: GET /one\nend 0: 0, 2, in 16, out 0\n");
	h2_free(h2);
}

/* Bytes that nobody saw can be a body's only. */
TEST(files_are_body)
{
	struct bytes in = { .length = 0 }, out = { .length = 0 };
	struct h2 *h2 = h2_make();

	said_bytes = 0;
	h2_begin(h2);
	put_frame(&in, HEADERS, END_HEADERS | END_STREAM, 1, GET_ONE);
	put_frame(&out, HEADERS, END_HEADERS, 1, OK_200);
	put_frame(&out, DATA, END_STREAM, 1, "", 0);
	out.at[out.length - 7] = 4; /* bytes of a file */
	assert_true(h2_take(h2, H2_IN, &call, rest, sizeof(rest) - 1));
	assert_true(h2_take(h2, H2_IN, &call, in.at, in.length));
	assert_true(h2_take(h2, H2_OUT, &call, out.at, out.length));
	assert_true(h2_take(h2, H2_OUT, &call, NULL, 4));
	assert_string_equal(said, "begin 0: GET /one\nend 0: 200, 0, in 16, out 23\n");
	assert_false(h2_take(h2, H2_OUT, &call, NULL, 4));
	h2_free(h2);
}

TEST(what_is_no_http2_is_given_up)
{
	static const char large[65537];
	struct bytes in = { .length = 0 }, out = { .length = 0 };

	put_frame(&in, CONTINUATION, END_HEADERS, 1, GET_ONE); /* of no block */
	expect_said(&in, &out, false, "");
	in.length = 0;
	put_frame(&in, HEADERS, 0, 1, GET_ONE);
	put_frame(&in, DATA, 0, 1, "", 0); /* within a block */
	expect_said(&in, &out, false, "");
	in.length = 0;
	put_frame(&in, HEADERS, END_HEADERS | PADDED, 1, "\x07\x82\x84",
		  3); /* padded by more than there is */
	expect_said(&in, &out, false, "");
	in.length = 0;
	put_frame(&in, HEADERS, END_HEADERS, 1, large, sizeof(large));
	expect_said(&in, &out, false, "");
	in.length = 0;
	put_frame(&in, HEADERS, END_HEADERS, 1, "\xbe", 1); /* what the table does not have */
	expect_said(&in, &out, false, "");
}

TEST(streams_beyond_the_room_are_said)
{
	struct bytes in = { .length = 0 };
	struct h2 *h2 = h2_make();
	unsigned int begun = 0, lost = 0;

	said_bytes = 0;
	h2_begin(h2);
	assert_true(h2_take(h2, H2_IN, &call, rest, sizeof(rest) - 1));
	for (unsigned int i = 0; i < 300; i++) {
		in.length = 0;
		said_bytes = 0;
		put_frame(&in, HEADERS, END_HEADERS | END_STREAM, 2 * i + 1, "\x82\x84", 2);
		assert_true(h2_take(h2, H2_IN, &call, in.at, in.length));
		begun += !strncmp(said, "begin", 5);
		lost += !strcmp(said, "too many streams\n");
	}
	assert_int_equal(begun, 256);
	assert_int_equal(lost, 44);
	h2_free(h2);
}

TEST(beginnings)
{
	assert_true(h2_is_preface("PRI * HTTP/2.0", 14));
	assert_false(h2_is_preface("PRI * HTTP/2.", 13));
	assert_false(h2_is_preface("GET / HTTP/1.1", 14));
	assert_true(h2_is_settings("\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x64", 15));
	assert_true(h2_is_settings("\0\0\0\x04\0\0\0\0\0", 9));
	assert_false(h2_is_settings("\0\0\x05\x04\0\0\0\0\0", 9));
	assert_false(h2_is_settings("\0\0\0\x04\x01\0\0\0\0", 9)); /* an answer to settings */
	assert_false(h2_is_settings("HTTP/1.1 200 OK", 15));
	assert_false(h2_is_settings("\0\0\0\x04", 4));
}
