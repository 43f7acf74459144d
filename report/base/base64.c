/* SPDX-License-Identifier: MIT */
/* Base64: three bytes become four characters, from a table. */
#include "report/base/base64.h"

#include <stdint.h>

void base64_encode(char *text, const void *bytes, size_t length)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const uint8_t *from = bytes;

	for (; length; text += 4) {
		size_t taken = length < 3 ? length : 3;
		uint32_t word = (uint32_t)from[0] << 16;

		word |= taken > 1 ? (uint32_t)from[1] << 8 : 0;
		word |= taken > 2 ? from[2] : 0;
		text[0] = letters[word >> 18];
		text[1] = letters[word >> 12 & 63];
		text[2] = taken > 1 ? letters[word >> 6 & 63] : '=';
		text[3] = taken > 2 ? letters[word & 63] : '=';
		from += taken;
		length -= taken;
	}
	*text = 0;
}
