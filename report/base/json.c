/* SPDX-License-Identifier: MIT */
/* Writes one JSON document to a stream. Keeps track of commas and nesting. */
#include "report/base/json.h"

#include <math.h>
#include <string.h>

#include "report/base/text.h"

#define REPLACEMENT 0xfffdu /* in UTF-8: ef bf bd */
#define DEPTH_OF_LINES 2    /* deeper levels stay on the line of the object that contains them */

/* Writes \uXXXX; two of them above U+FFFF. */
static void json_put_unit(FILE *out, uint32_t character)
{
	if (character < 0x10000)
		fprintf(out, "\\u%04x", character);
	else
		fprintf(out, "\\u%04x\\u%04x", 0xd800 + ((character - 0x10000) >> 10),
			0xdc00 + (character & 0x3ff));
}

/*
 * Returns how many characters at the start are ASCII that needs no escaping. That is nearly the
 * whole text, which is written at once.
 */
static size_t length_of_plain(const char *text, size_t length)
{
	size_t at = 0;

	while (at < length && text[at] >= ' ' && text[at] < 0x7f && text[at] != '"' &&
	       text[at] != '\\')
		at++;
	return at;
}

static void json_put_text(FILE *out, const char *text, size_t length)
{
	putc_unlocked('"', out);
	while (length) {
		size_t plain = length_of_plain(text, length), bytes;
		uint32_t character = REPLACEMENT;

		if (plain) {
			fwrite_unlocked(text, 1, plain, out);
			text += plain;
			length -= plain;
			continue;
		}
		bytes = text_decode(text, length, &character);
		if (character == '"' || character == '\\')
			fprintf(out, "\\%c", (int)character);
		else if (!text_is_shown(character))
			json_put_unit(out, character);
		else if (!bytes)
			fputs("\xef\xbf\xbd", out);
		else
			fwrite_unlocked(text, 1, bytes, out);
		text += bytes ? bytes : 1;
		length -= bytes ? bytes : 1;
	}
	putc_unlocked('"', out);
}

static void json_put_line(const struct json *json)
{
	fwrite_unlocked("\n  ", 1, 1 + json->depth, json->out); /* at most DEPTH_OF_LINES */
}

static void json_begin(struct json *json, const char *key)
{
	if (json->more[json->depth])
		putc_unlocked(',', json->out);
	if (json->depth && json->depth <= DEPTH_OF_LINES)
		json_put_line(json);
	else if (json->more[json->depth])
		putc_unlocked(' ', json->out);
	json->more[json->depth] = true;
	if (!key)
		return;
	json_put_text(json->out, key, strlen(key));
	fputs_unlocked(": ", json->out);
}

void json_open(struct json *json, const char *key, char bracket)
{
	json_begin(json, key);
	putc_unlocked(bracket, json->out);
	if (json->depth + 1 < JSON_DEPTH)
		json->depth++;
	json->more[json->depth] = false;
}

void json_close(struct json *json, char bracket)
{
	bool more = json->more[json->depth];

	json->depth--;
	if (more && json->depth < DEPTH_OF_LINES)
		json_put_line(json);
	putc_unlocked(bracket, json->out);
	if (!json->depth)
		putc('\n', json->out);
}

void json_text(struct json *json, const char *key, const char *text, size_t length)
{
	json_begin(json, key);
	json_put_text(json->out, text, length);
}

void json_string(struct json *json, const char *key, const char *text)
{
	if (text)
		json_text(json, key, text, strlen(text));
	else
		json_null(json, key);
}

/* Most of what large documents consist of: fprintf() would take three times as long. */
static void json_put_digits(FILE *out, uint64_t number)
{
	char digits[20], *first = digits + sizeof(digits);

	do {
		*--first = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	fwrite_unlocked(first, 1, (size_t)(digits + sizeof(digits) - first), out);
}

void json_number(struct json *json, const char *key, uint64_t number)
{
	json_begin(json, key);
	json_put_digits(json->out, number);
}

void json_signed(struct json *json, const char *key, int64_t number)
{
	json_begin(json, key);
	if (number < 0)
		putc_unlocked('-', json->out);
	json_put_digits(json->out, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

void json_real(struct json *json, const char *key, double number)
{
	json_begin(json, key);
	if (isfinite(number))
		fprintf(json->out, "%.6g", number);
	else
		fputs("null", json->out);
}

void json_bool(struct json *json, const char *key, bool value)
{
	json_begin(json, key);
	fputs(value ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *key)
{
	json_begin(json, key);
	fputs_unlocked("null", json->out);
}
