/* SPDX-License-Identifier: MIT */
/*
 * Classes of records (block_kinds.h) on processors with wide registers, see varints_wide.h. Private
 * to block_kinds.c.
 */
#ifndef COLLECTOR_FORMAT_KINDS_WIDE_H
#define COLLECTOR_FORMAT_KINDS_WIDE_H

#include <stdbool.h>

#include "collector/format/block_decode.h"

/* True if the processor supports it. Otherwise nothing below may be called. */
bool kinds_wide_is_usable(void);

/* Returns how many of `count` classes (a multiple of KINDS_STRIDE_WIDE) equal `wanted`. */
uint32_t kinds_wide_count(const uint8_t *class, uint32_t count, uint8_t wanted);

/* Fills visited, visited_heap and heap_records. */
void kinds_wide_list(struct decoder *d, bool has_units);

#endif
