/* SPDX-License-Identifier: MIT */
/* SHA-256 (FIPS 180-4) of bytes in memory: by it a browser knows the one script of a page. Pure. */
#ifndef REPORT_BASE_SHA256_H
#define REPORT_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32

void sha256(const void *bytes, size_t length, uint8_t ret_digest[SHA256_BYTES]);

#endif
