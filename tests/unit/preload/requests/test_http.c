/* SPDX-License-Identifier: MIT */
/* links: preload:requests/http.c */
/* preload/requests/http.c: where messages end, in pieces of any size; what is no HTTP/1. */
#include "tests/unit/unit.h"

#include "preload/requests/http.h"

/* What was seen of a stream: first lines, ends of heads, ends of messages. */
struct seen {
	unsigned int firsts, heads, ends;
	char line[512]; /* the last first line */
};

static void feed_piece(struct http_stream *stream, struct seen *seen, const char *bytes,
		       size_t length, enum http_rest rest)
{
	struct http_piece piece = { .bytes = bytes, .length = length };

	while (piece.length) {
		size_t before = piece.length;

		switch (http_feed(stream, &piece)) {
		case HTTP_SEEN_FIRST:
			seen->firsts++;
			snprintf(seen->line, sizeof(seen->line), "%.*s", (int)piece.line_length,
				 piece.line);
			break;
		case HTTP_SEEN_HEAD:
			seen->heads++;
			seen->ends += http_begin_body(stream, rest);
			break;
		case HTTP_SEEN_END:
			seen->ends++;
			break;
		case HTTP_SEEN_NOTHING:
			assert_int_equal(piece.length, 0);
			break;
		}
		assert_true(piece.length < before);
	}
}

/* The same bytes in pieces of each size from 1 on. */
static void expect_seen(const char *bytes, size_t length, enum http_rest rest, unsigned int firsts,
			unsigned int ends, enum http_state state)
{
	for (size_t step = 1; step <= length; step++) {
		struct http_stream stream = { 0 };
		struct seen seen = { 0 };

		for (size_t at = 0; at < length; at += step)
			feed_piece(&stream, &seen, bytes + at,
				   length - at < step ? length - at : step, rest);
		assert_int_equal(seen.firsts, firsts);
		assert_int_equal(seen.ends, ends);
		assert_int_equal(stream.state, state);
	}
}

#define EXPECT(text, rest, firsts, ends, state) \
	expect_seen(text, sizeof(text) - 1, rest, firsts, ends, state)

TEST(requests_end_where_their_fields_say)
{
	EXPECT("GET / HTTP/1.1\r\nHost: x\r\n\r\n", HTTP_REST_AS_SAID, 1, 1, HTTP_FIRST);
	EXPECT("POST /a HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello", HTTP_REST_AS_SAID, 1, 1,
	       HTTP_FIRST);
	EXPECT("POST /a HTTP/1.1\r\nCONTENT-length:\t5 \r\n\r\nhell", HTTP_REST_AS_SAID, 1, 0,
	       HTTP_BODY);
	EXPECT("POST /a HTTP/1.1\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n"
	       "4;a=b\r\nWiki\r\n5\r\npedia\r\n0\r\nX: y\r\n\r\n",
	       HTTP_REST_AS_SAID, 1, 1, HTTP_FIRST);
	EXPECT("GET / HTTP/1.0\n\nGET /b HTTP/1.1\nA: b\n\n", HTTP_REST_AS_SAID, 2, 2, HTTP_FIRST);
}

TEST(pipelined_requests_are_told_apart)
{
	EXPECT("POST /a HTTP/1.1\r\nContent-Length: 14\r\n\r\nGET / HTTP/1.1"
	       "GET /b HTTP/1.1\r\n\r\n\r\nHEAD /c HTTP/1.1\r\n\r\n",
	       HTTP_REST_AS_SAID, 3, 3, HTTP_FIRST);
}

TEST(responses_may_last_until_the_close)
{
	EXPECT("HTTP/1.0 200 OK\r\nA: b\r\n\r\nany bytes\r\n\r\nHTTP/1.1 200 OK\r\n",
	       HTTP_REST_OR_CLOSE, 1, 0, HTTP_TO_CLOSE);
	EXPECT("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", HTTP_REST_OR_CLOSE, 1, 1,
	       HTTP_FIRST);
	EXPECT("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nHTTP/1.1 304 N\r\n\r\n",
	       HTTP_REST_NONE, 2, 2, HTTP_FIRST);
}

TEST(what_is_no_http_is_opaque)
{
	EXPECT("\x16\x03\x01\x02", HTTP_REST_AS_SAID, 0, 0, HTTP_OPAQUE);
	EXPECT("get / HTTP/1.1\r\n\r\n", HTTP_REST_AS_SAID, 0, 0, HTTP_OPAQUE);
	EXPECT("POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n", HTTP_REST_AS_SAID, 1, 0,
	       HTTP_OPAQUE);
	EXPECT("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n",
	       HTTP_REST_AS_SAID, 1, 0, HTTP_OPAQUE);
	EXPECT("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", HTTP_REST_AS_SAID, 1,
	       0, HTTP_OPAQUE);
}

/* Bytes without a look at them are body, or nothing is known any more. */
TEST(files_are_body)
{
	static const char head[] = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n";
	struct http_stream stream = { 0 };
	struct http_piece file = { .length = 100 };
	struct seen seen = { 0 };

	feed_piece(&stream, &seen, head, sizeof(head) - 1, HTTP_REST_OR_CLOSE);
	assert_int_equal(http_feed(&stream, &file), HTTP_SEEN_END);
	file.length = 1;
	assert_int_equal(http_feed(&stream, &file), HTTP_SEEN_NOTHING);
	assert_int_equal(stream.state, HTTP_OPAQUE);
}

static bool feed_has_body(struct http_stream *stream, const char *text)
{
	struct http_piece piece = { .bytes = text, .length = strlen(text) };

	while (piece.length)
		if (http_feed(stream, &piece) == HTTP_SEEN_HEAD)
			(void)http_begin_body(stream, HTTP_REST_OR_CLOSE);
	return piece.has_body;
}

/* Heads, sizes of chunks and the end of the last one are no body. */
TEST(pieces_say_whether_they_are_of_a_body)
{
	struct http_stream stream = { 0 };

	assert_false(feed_has_body(&stream, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"));
	assert_false(feed_has_body(&stream, "\r\n5\r\n"));
	assert_true(feed_has_body(&stream, "hello"));
	assert_false(feed_has_body(&stream, "\r\n"));
	assert_true(feed_has_body(&stream, "2\r\nho\r\n"));
	assert_false(feed_has_body(&stream, "0\r\n\r\n"));
	assert_true(feed_has_body(&stream, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na"));
	assert_true(feed_has_body(&stream, "b"));
	assert_false(feed_has_body(&stream, "HTTP/1.1 200 OK\r\n\r\n"));
	assert_true(feed_has_body(&stream, "until the close"));
}

TEST(a_head_without_end_is_given_up)
{
	static char line[4096];
	struct http_stream stream = { 0 };
	struct seen seen = { 0 };

	memset(line, 'A', sizeof(line));
	for (unsigned int i = 0; i < 2 * HTTP_HEAD_BYTES / sizeof(line); i++)
		feed_piece(&stream, &seen, line, sizeof(line), HTTP_REST_AS_SAID);
	assert_int_equal(stream.state, HTTP_OPAQUE);
	assert_int_equal(seen.firsts, 0);
}

static struct http_piece line_of(const char *text, bool is_cut)
{
	return (struct http_piece){ .line = text, .line_length = strlen(text), .is_cut = is_cut };
}

static bool reads(const char *text, bool is_cut, const char *method, const char *target)
{
	struct http_piece piece = line_of(text, is_cut);
	struct http_request_line line;

	return http_request_line_read(&piece, &line) && line.method_length == strlen(method) &&
	       line.target_length == strlen(target) &&
	       !memcmp(line.method, method, line.method_length) &&
	       !memcmp(line.target, target, line.target_length);
}

TEST(first_lines_of_requests)
{
	assert_true(reads("GET /a?b=c HTTP/1.1", false, "GET", "/a?b=c"));
	assert_true(reads("M-SEARCH * HTTP/1.0", false, "M-SEARCH", "*"));
	assert_true(reads("GET /long", true, "GET", "/long"));
	assert_false(reads("GET /long", false, "GET", "/long"));
	assert_false(reads("PRI * HTTP/2.0", false, "PRI", "*"));
	assert_false(reads("GET", false, "GET", ""));
	assert_false(reads("GET  HTTP/1.1", false, "GET", ""));
	assert_false(reads("Get / HTTP/1.1", false, "Get", "/"));
	assert_false(reads("", false, "", ""));
}

TEST(first_lines_of_responses)
{
	static const struct {
		const char *text;
		unsigned int status;
	} lines[] = { { "HTTP/1.1 200 OK", 200 }, { "HTTP/1.0 404", 404 }, { "HTTP/2.0 200 OK", 0 },
		      { "HTTP/1.1 2x0 OK", 0 },   { "HTTP/1.1 20", 0 },    { "ICY 200 OK!!", 0 } };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct http_piece piece = line_of(lines[i].text, false);

		assert_int_equal(http_status_read(&piece), lines[i].status);
	}
}
