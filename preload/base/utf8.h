/* SPDX-License-Identifier: MIT */
/*
 * A code point as UTF-8; one that does not exist, or half of a surrogate pair, becomes U+FFFD. Any
 * thread.
 */
#ifndef PRELOAD_BASE_UTF8_H
#define PRELOAD_BASE_UTF8_H

#include <stdint.h>

#define UTF8_MAX 4u /* bytes a character */
#define UTF8_REPLACEMENT 0xfffdu

/* Room for UTF8_MAX; returns how many bytes. */
static inline unsigned int utf8_put(char *to, uint32_t c)
{
	if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		c = UTF8_REPLACEMENT;
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 63));
		return 2;
	}
	if (c < 0x10000) {
		to[0] = (char)(0xe0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 63));
		to[2] = (char)(0x80 | (c & 63));
		return 3;
	}
	to[0] = (char)(0xf0 | c >> 18);
	to[1] = (char)(0x80 | (c >> 12 & 63));
	to[2] = (char)(0x80 | (c >> 6 & 63));
	to[3] = (char)(0x80 | (c & 63));
	return 4;
}

#endif
