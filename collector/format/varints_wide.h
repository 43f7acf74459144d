/* SPDX-License-Identifier: MIT */
/*
 * Columns of short numbers on processors that can compress lanes of a wide register (AVX-512 VBMI2:
 * Intel since 2019, AMD since 2022): the same as varints.c, 32 bytes at a time. Private to
 * varints.c and kinds_wide.c.
 */
#ifndef COLLECTOR_FORMAT_VARINTS_WIDE_H
#define COLLECTOR_FORMAT_VARINTS_WIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/format/codec.h"

#define WIDE_STRIDE 32u /* bytes examined together */

/* True if the processor supports it. Otherwise nothing below may be called. */
bool wide_is_usable(void);

/*
 * Decodes consecutive numbers of one or two bytes, up to the first longer one, as long as both the
 * column and `count` have room for WIDE_STRIDE. Returns how many, and moves the cursor behind them.
 */
size_t wide_unpack(struct cursor *column, uint16_t *value, size_t count);

/* See varints_add_up(); without sum[0]. */
void wide_add_up(const uint16_t *value, uint32_t *sum, size_t count);

#endif
