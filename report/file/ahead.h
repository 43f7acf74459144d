/* SPDX-License-Identifier: MIT */
/*
 * Frames that are unpacked and decoded before their turn, by other threads. Only what is whole counts:
 * a frame in which anything is wrong is given up here and read again by the reader itself, which says
 * what is wrong with it, at its place among the others. Belongs to one reader and its thread; the jobs
 * know nothing but their own slot. Memory: a frame and its events for each thread and one that is read; AHEAD_SLOTS at
 * most. More are not in time any sooner, and what is decoded leaves the cache: one that waits cost 5 to 8 % of the CPU time.
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

/* NULL when there is no memory. `workers` is borrowed; schema and wants are not kept. */
struct ahead *ahead_new(struct workers *workers, const struct schema *schema,
			const struct frame_wants *wants);
void ahead_free(struct ahead *ahead);

/* There is a slot for one more frame. */
bool ahead_has_room(const struct ahead *ahead);
/* Puts the zstd frame at this offset of the file to work; offsets rise. The bytes are copied. */
void ahead_put(struct ahead *ahead, uint64_t offset, const uint8_t *bytes, size_t length);
/* Where the next frame to be put begins: behind the last one. */
uint64_t ahead_end(const struct ahead *ahead);

/* The frame that was taken last is not needed any more: its slot may have another. */
void ahead_let_go(struct ahead *ahead);

/*
 * The frame at this offset, valid until it is let go or the next is taken; those before it are forgotten. False when it was
 * not put, or is not a whole data frame.
 */
bool ahead_take(struct ahead *ahead, uint64_t offset, struct reader_frame *ret_frame);

#endif
