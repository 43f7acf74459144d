/* SPDX-License-Identifier: MIT */
/* Base64 (RFC 4648) with padding, without line ends. Pure. */
#ifndef REPORT_BASE_BASE64_H
#define REPORT_BASE_BASE64_H

#include <stddef.h>

/* What `length` bytes become, without the 0 that base64_encode() puts behind it. */
static inline size_t base64_length(size_t length)
{
	return (length + 2) / 3 * 4;
}

/* `text` has room for base64_length() + 1. */
void base64_encode(char *text, const void *bytes, size_t length);

#endif
