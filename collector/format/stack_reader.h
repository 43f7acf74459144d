/* SPDX-License-Identifier: MIT */
/* Reads the stack table of a frame. Trusts no byte. Private to the reader of blocks. */
#ifndef COLLECTOR_FORMAT_STACK_READER_H
#define COLLECTOR_FORMAT_STACK_READER_H

#include "collector/format/block.h"

/*
 * `node` must have room for count + 1; [0] becomes zeros. Returns 0 or EVT_CORRUPT. The caller has
 * checked that `count` is at most FRAME_NODES_MAX.
 */
int stack_reader_read(struct cursor c, uint32_t count, struct frame_node *node);

#endif
