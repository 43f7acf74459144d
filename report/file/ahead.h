/* SPDX-License-Identifier: MIT */
/*
 * Frames that other threads decompress and decode before their turn. Only intact frames count: if
 * anything is wrong with a frame, it is given up here and read again by the reader itself, which
 * reports the fault at its place in the order. Belongs to one reader and its thread; a job uses
 * only its own slot. Memory: a frame and its events for each thread, and for the one that is being
 * read; at most AHEAD_SLOTS. More slots would not help, and decoded data leaves the cache: a
 * waiting frame cost 5 to 8 % of the CPU time.
 */
#ifndef REPORT_FILE_AHEAD_H
#define REPORT_FILE_AHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/base/workers.h"
#include "report/file/frame_decoder.h"

#define AHEAD_SLOTS 4u

struct ahead;

/* NULL if there is no memory. `workers` is borrowed; schema and wants are not kept. */
struct ahead *ahead_new(struct workers *workers, const struct schema *schema,
			const struct frame_wants *wants);
void ahead_free(struct ahead *ahead);

/* True if there is a slot for one more frame. */
bool ahead_has_room(const struct ahead *ahead);
/*
 * Starts work on the zstd frame at this offset of the file; offsets must rise. The bytes are
 * copied.
 */
void ahead_put(struct ahead *ahead, uint64_t offset, const uint8_t *bytes, size_t length);
/* Returns where the next frame to be submitted begins: after the last one. */
uint64_t ahead_end(const struct ahead *ahead);

/* The frame that was taken last is not needed any more: its slot may be reused. */
void ahead_let_go(struct ahead *ahead);

/*
 * Returns the frame at this offset, valid until it is let go or the next one is taken; earlier ones
 * are dropped. False if it was not submitted, or is no intact data frame.
 */
bool ahead_take(struct ahead *ahead, uint64_t offset, struct reader_frame *ret_frame);

#endif
