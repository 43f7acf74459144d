/* SPDX-License-Identifier: MIT */
/*
 * A part of the path is replaced if it can only be a key: a number, a UUID, hexadecimal digits of a
 * hash, or a text that is longer than the words of routes are, or has characters that they lack.
 */
#include "preload/requests/endpoint.h"

#include <stdbool.h>
#include <string.h>

#define HASH_DIGITS 16u /* hexadecimal digits that make a hash */
#define WORD_BYTES 32u  /* a longer part is no word of a route */
#define UUID_BYTES 36u

static const char endpoint_number[] = "{number}";
static const char endpoint_text[] = "{text}";
static const char endpoint_dots[] = "...";

struct part {
	const char *text;
	size_t length;
};

static bool endpoint_is_digit(char letter)
{
	return letter >= '0' && letter <= '9';
}

static bool endpoint_is_hex(char letter)
{
	return endpoint_is_digit(letter) || ((letter | 0x20) >= 'a' && (letter | 0x20) <= 'f');
}

static bool endpoint_is_letter(char letter)
{
	return ((letter | 0x20) >= 'a' && (letter | 0x20) <= 'z') || letter == '-' ||
	       letter == '_' || letter == '.' || letter == ':';
}

static bool endpoint_is_uuid(struct part part)
{
	if (part.length != UUID_BYTES)
		return false;
	for (size_t i = 0; i < UUID_BYTES; i++) {
		bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (is_dash ? part.text[i] != '-' : !endpoint_is_hex(part.text[i]))
			return false;
	}
	return true;
}

/* Returns what stands for the part; NULL: it stands for itself. */
static const char *endpoint_key_of(struct part part)
{
	size_t digits = 0, hex = 0, letters = 0;

	for (size_t i = 0; i < part.length; i++) {
		digits += endpoint_is_digit(part.text[i]);
		hex += endpoint_is_hex(part.text[i]);
		letters += endpoint_is_letter(part.text[i]);
	}
	if (digits && digits == part.length)
		return endpoint_number;
	if (endpoint_is_uuid(part))
		return "{uuid}";
	if (hex == part.length && hex >= HASH_DIGITS)
		return "{hash}";
	if (part.length > WORD_BYTES || digits + letters < part.length)
		return endpoint_text;
	return NULL;
}

/* An absolute form, as proxies send it, has a scheme and a host. */
static struct part endpoint_target_path(struct part target)
{
	const char *slashes = memmem(target.text, target.length, "://", 3), *end, *path;

	if (target.length && target.text[0] != '/' && slashes) {
		end = target.text + target.length;
		path = memchr(slashes + 3, '/', (size_t)(end - slashes - 3));
		if (!path)
			return (struct part){ "/", 1 };
		target = (struct part){ path, (size_t)(end - path) };
	}
	for (size_t i = 0; i < target.length; i++)
		if (target.text[i] == '?' || target.text[i] == '#')
			target.length = i;
	return target;
}

/* Returns false if it does not fit with the three dots that may have to follow. */
static bool endpoint_append(char *room, size_t *at, const char *text, size_t length)
{
	if (*at + length > ENDPOINT_BYTES - (sizeof(endpoint_dots) - 1)) {
		memcpy(room + *at, endpoint_dots, sizeof(endpoint_dots) - 1);
		*at += sizeof(endpoint_dots) - 1;
		return false;
	}
	memcpy(room + *at, text, length);
	*at += length;
	return true;
}

static size_t endpoint_write(struct part target, bool has_numbers, char room[ENDPOINT_BYTES])
{
	struct part path = endpoint_target_path(target);
	size_t at = 0;

	for (size_t i = 0; i < path.length;) {
		const char *slash = memchr(path.text + i, '/', path.length - i);
		size_t end = slash ? (size_t)(slash - path.text) : path.length;
		struct part part = { path.text + i, end - i };
		const char *key = endpoint_key_of(part);

		if (has_numbers && key == endpoint_number)
			key = NULL;
		if (!endpoint_append(room, &at, key ? key : part.text,
				     key ? strlen(key) : part.length))
			break;
		if (slash && !endpoint_append(room, &at, "/", 1))
			break;
		i = end + 1;
	}
	return at;
}

size_t endpoint_of(const char *target, size_t length, char room[ENDPOINT_BYTES])
{
	return endpoint_write((struct part){ target, length }, false, room);
}

size_t endpoint_path_of(const char *target, size_t length, char room[ENDPOINT_BYTES])
{
	return endpoint_write((struct part){ target, length }, true, room);
}

size_t endpoint_shorten(char room[ENDPOINT_BYTES], size_t length, bool keeps_first)
{
	const char *slash = length > 1 && keeps_first ? memchr(room + 1, '/', length - 1) : NULL;
	size_t at = 0;

	if (slash)
		at = (size_t)(slash - room);
	(void)endpoint_append(room, &at, "/", 1);
	(void)endpoint_append(room, &at, endpoint_dots, sizeof(endpoint_dots) - 1);
	return at;
}

size_t endpoint_parent(const char *pattern, size_t length)
{
	while (length && pattern[length - 1] != '/')
		length--;
	return length;
}

size_t endpoint_generalise(char room[ENDPOINT_BYTES], size_t length)
{
	const size_t text = sizeof(endpoint_text) - 1;
	size_t parent = endpoint_parent(room, length);

	if (!parent || parent + text > ENDPOINT_BYTES)
		return length;
	memcpy(room + parent, endpoint_text, text);
	return parent + text;
}

bool endpoint_has_numbers(const char *pattern, size_t length)
{
	return memmem(pattern, length, endpoint_number, sizeof(endpoint_number) - 1) != NULL;
}
