/* SPDX-License-Identifier: MIT */
/* Base64 (RFC 4648) with padding, without line ends. Pure. */
#ifndef REPORT_BASE_BASE64_H
#define REPORT_BASE_BASE64_H

#include <stddef.h>

/* The encoded length of `length` bytes, without the 0 that base64_encode() appends. */
static inline size_t base64_length(size_t length)
{
	return (length + 2) / 3 * 4;
}

/* `text` must have room for base64_length() + 1. */
void base64_encode(char *text, const void *bytes, size_t length);

#endif
