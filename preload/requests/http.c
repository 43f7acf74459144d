/* SPDX-License-Identifier: MIT */
/*
 * Most lines lie whole in one piece and are read where they are. A line that is cut between two
 * pieces is put together in the stream. Message framing is that of RFC 9112: chunks before content
 * length; a response without either ends with the connection.
 */
#include "preload/requests/http.h"

#include <string.h>

#define CONTENT_LENGTH_MAX ((uint64_t)1 << 62)
#define CHUNK_LINE_END 2u /* CR LF behind the data of a chunk */

/* --- lines --- */

static void http_hold(struct http_stream *stream, const char *bytes, size_t length)
{
	size_t room = HTTP_LINE_BYTES - stream->held;

	if (length > room) {
		length = room;
		stream->is_cut = true;
	}
	memcpy(stream->line + stream->held, bytes, length);
	stream->held = (uint16_t)(stream->held + length);
}

/* Returns true if the piece has the line's end: the line is then in `line` of the piece. */
static bool http_line_take(struct http_stream *stream, struct http_piece *piece)
{
	const char *end = memchr(piece->bytes, '\n', piece->length);
	size_t length = end ? (size_t)(end - piece->bytes) : piece->length;

	if (stream->held || !end)
		http_hold(stream, piece->bytes, length);
	piece->line = stream->held ? stream->line : piece->bytes;
	piece->line_length = stream->held ? stream->held : length;
	piece->is_cut = stream->is_cut;
	length += end != NULL;
	piece->bytes += length;
	piece->length -= length;
	stream->head_bytes += (uint32_t)length;
	if (stream->head_bytes > HTTP_HEAD_BYTES)
		http_make_opaque(stream);
	if (!end)
		return false;
	stream->held = 0;
	stream->is_cut = false;
	if (piece->line_length && piece->line[piece->line_length - 1] == '\r')
		piece->line_length--;
	return stream->state != HTTP_OPAQUE;
}

/* --- fields --- */

static char http_lower(char letter)
{
	return letter >= 'A' && letter <= 'Z' ? (char)(letter | 0x20) : letter;
}

/* Returns the length of the text if the line begins with it, whatever its case; else 0. */
static size_t http_begins(const struct http_piece *piece, const char *text)
{
	size_t i = 0;

	for (; text[i]; i++)
		if (i >= piece->line_length || http_lower(piece->line[i]) != text[i])
			return 0;
	return i;
}

/* Returns false if it is no number. */
static bool http_number_read(const struct http_piece *piece, size_t at, unsigned int base,
			     uint64_t *ret_number)
{
	uint64_t number = 0;
	size_t first;

	while (at < piece->line_length && (piece->line[at] == ' ' || piece->line[at] == '\t'))
		at++;
	for (first = at; at < piece->line_length; at++) {
		char letter = http_lower(piece->line[at]);
		unsigned int digit = letter >= '0' && letter <= '9'   ? (unsigned int)(letter - '0')
				     : letter >= 'a' && letter <= 'f' ? (unsigned int)(letter - 87)
								      : base;

		if (digit >= base)
			break;
		number = number * base + digit;
		if (number > CONTENT_LENGTH_MAX)
			return false;
	}
	*ret_number = number;
	return at > first;
}

/* The last coding of Transfer-Encoding is `chunked`, or the body ends with the connection. */
static bool http_says_chunked(const struct http_piece *piece)
{
	static const char word[] = "chunked";
	size_t length = sizeof(word) - 1, end = piece->line_length;
	struct http_piece last;

	while (end && (piece->line[end - 1] == ' ' || piece->line[end - 1] == '\t'))
		end--;
	if (end < length)
		return false;
	last = (struct http_piece){ .line = piece->line + end - length, .line_length = length };
	return http_begins(&last, word) != 0;
}

static void http_field_read(struct http_stream *stream, const struct http_piece *piece)
{
	size_t at;

	if ((at = http_begins(piece, "content-length:")) != 0) {
		stream->has_length = http_number_read(piece, at, 10, &stream->left);
		if (!stream->has_length)
			http_make_opaque(stream);
	} else if (http_begins(piece, "transfer-encoding:")) {
		stream->is_chunked = http_says_chunked(piece);
	}
}

/* --- states --- */

static enum http_seen http_end(struct http_stream *stream)
{
	stream->state = HTTP_FIRST;
	stream->is_chunked = stream->has_length = false;
	stream->head_bytes = 0;
	stream->left = 0;
	return HTTP_SEEN_END;
}

bool http_begin_body(struct http_stream *stream, enum http_rest rest)
{
	if (rest == HTTP_REST_NONE) {
		(void)http_end(stream);
	} else if (stream->is_chunked) {
		stream->state = HTTP_CHUNK;
	} else if (stream->has_length && stream->left) {
		stream->state = HTTP_BODY;
	} else if (stream->has_length || rest == HTTP_REST_AS_SAID) {
		(void)http_end(stream);
	} else {
		stream->state = HTTP_TO_CLOSE;
	}
	return stream->state == HTTP_FIRST;
}

/* An empty line may stand in front of a message. */
static enum http_seen http_first(struct http_stream *stream, struct http_piece *piece)
{
	char first = *piece->bytes;

	if (!stream->held && !(first >= 'A' && first <= 'Z') && first != '\r' && first != '\n') {
		http_make_opaque(stream);
		return HTTP_SEEN_NOTHING;
	}
	if (!http_line_take(stream, piece) || !piece->line_length)
		return HTTP_SEEN_NOTHING;
	stream->state = HTTP_FIELDS;
	return HTTP_SEEN_FIRST;
}

static enum http_seen http_fields(struct http_stream *stream, struct http_piece *piece)
{
	if (!http_line_take(stream, piece))
		return HTTP_SEEN_NOTHING;
	if (!piece->line_length)
		return HTTP_SEEN_HEAD;
	http_field_read(stream, piece);
	return HTTP_SEEN_NOTHING;
}

static enum http_seen http_chunk(struct http_stream *stream, struct http_piece *piece)
{
	if (!http_line_take(stream, piece))
		return HTTP_SEEN_NOTHING;
	stream->head_bytes = 0;
	if (!http_number_read(piece, 0, 16, &stream->left)) {
		http_make_opaque(stream);
	} else if (!stream->left) {
		stream->state = HTTP_TRAILERS;
	} else {
		stream->left += CHUNK_LINE_END;
		stream->state = HTTP_CHUNK_DATA;
	}
	return HTTP_SEEN_NOTHING;
}

static enum http_seen http_trailers(struct http_stream *stream, struct http_piece *piece)
{
	if (!http_line_take(stream, piece) || piece->line_length)
		return HTTP_SEEN_NOTHING;
	return http_end(stream);
}

static void http_skip(struct http_piece *piece, size_t length)
{
	if (piece->bytes)
		piece->bytes += length;
	piece->length -= length;
}

static enum http_seen http_data(struct http_stream *stream, struct http_piece *piece)
{
	size_t length = piece->length < stream->left ? piece->length : (size_t)stream->left;

	piece->has_body |= stream->state == HTTP_BODY || stream->left > CHUNK_LINE_END;
	http_skip(piece, length);
	stream->left -= length;
	if (stream->left)
		return HTTP_SEEN_NOTHING;
	if (stream->state == HTTP_BODY)
		return http_end(stream);
	stream->state = HTTP_CHUNK;
	return HTTP_SEEN_NOTHING;
}

/* Bytes without a look at them can only be body. */
static enum http_seen http_lines(struct http_stream *stream, struct http_piece *piece)
{
	if (!piece->bytes) {
		http_make_opaque(stream);
		return HTTP_SEEN_NOTHING;
	}
	switch (stream->state) {
	case HTTP_FIRST:
		return http_first(stream, piece);
	case HTTP_FIELDS:
		return http_fields(stream, piece);
	case HTTP_CHUNK:
		return http_chunk(stream, piece);
	default:
		return http_trailers(stream, piece);
	}
}

enum http_seen http_feed(struct http_stream *stream, struct http_piece *piece)
{
	enum http_seen seen = HTTP_SEEN_NOTHING;

	while (piece->length && seen == HTTP_SEEN_NOTHING) {
		switch (stream->state) {
		case HTTP_BODY:
		case HTTP_CHUNK_DATA:
			seen = http_data(stream, piece);
			break;
		case HTTP_TO_CLOSE:
			piece->has_body = true;
			http_skip(piece, piece->length);
			break;
		case HTTP_OPAQUE:
			http_skip(piece, piece->length);
			break;
		default:
			seen = http_lines(stream, piece);
		}
	}
	return seen;
}

/* --- first lines --- */

static bool http_is_version(const char *text, size_t length)
{
	return length == 8 && memcmp(text, "HTTP/1.", 7) == 0 && text[7] >= '0' && text[7] <= '9';
}

static bool http_is_method(const char *text, size_t length)
{
	if (!length || length > 24)
		return false;
	for (size_t i = 0; i < length; i++)
		if (!(text[i] >= 'A' && text[i] <= 'Z') && text[i] != '-' && text[i] != '_')
			return false;
	return true;
}

bool http_request_line_read(const struct http_piece *piece, struct http_request_line *ret_line)
{
	const char *end = piece->line + piece->line_length, *version;
	const char *space = memchr(piece->line, ' ', piece->line_length);

	if (!space || !http_is_method(piece->line, (size_t)(space - piece->line)))
		return false;
	ret_line->method = piece->line;
	ret_line->method_length = (size_t)(space - piece->line);
	ret_line->target = space + 1;
	version = memchr(space + 1, ' ', (size_t)(end - space - 1));
	if (version ? !http_is_version(version + 1, (size_t)(end - version - 1)) : !piece->is_cut)
		return false;
	ret_line->target_length = (size_t)((version ? version : end) - ret_line->target);
	return ret_line->target_length > 0;
}

unsigned int http_status_read(const struct http_piece *piece)
{
	unsigned int status = 0;

	if (piece->line_length < 12 || !http_is_version(piece->line, 8) || piece->line[8] != ' ')
		return 0;
	for (size_t i = 9; i < 12; i++) {
		if (piece->line[i] < '0' || piece->line[i] > '9')
			return 0;
		status = status * 10 + (unsigned int)(piece->line[i] - '0');
	}
	return status;
}
