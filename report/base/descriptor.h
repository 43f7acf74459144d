/* SPDX-License-Identifier: MIT */
/*
 * All of some bytes to a file descriptor, however many calls that takes. False: it failed, and
 * errno says why; 0 where the file took nothing.
 */
#ifndef REPORT_BASE_DESCRIPTOR_H
#define REPORT_BASE_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool descriptor_write(int file, const void *bytes, size_t length);
bool descriptor_write_at(int file, const void *bytes, size_t length, uint64_t offset);

#endif
