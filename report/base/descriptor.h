/* SPDX-License-Identifier: MIT */
/*
 * Writes all bytes to a file descriptor, with as many calls as necessary. Returns false if it
 * failed: errno says why, or is 0 if the file accepted no bytes.
 */
#ifndef REPORT_BASE_DESCRIPTOR_H
#define REPORT_BASE_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool descriptor_write(int file, const void *bytes, size_t length);
bool descriptor_write_at(int file, const void *bytes, size_t length, uint64_t offset);

#endif
