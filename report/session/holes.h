/* SPDX-License-Identifier: MIT */
/*
 * When events were lost: between which moments, and of which process. A `lost` event says how many
 * events are missing since the previous frame, so a hole extends from the end of that frame to the
 * event. If frames could not be written (a full disk, INTERCEPT_MAX_FILE), all processes of the
 * file have the hole.
 *
 * Holes are in the order of their ends, file by file; adjacent ones are joined. Memory is bounded:
 * beyond HOLES_MAX, the last hole of the file is extended.
 */
#ifndef REPORT_SESSION_HOLES_H
#define REPORT_SESSION_HOLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/session/source.h"

#define HOLES_MAX 4096u

struct source_hole {
	const struct source_file *file;
	const struct source_process *process; /* NULL: the whole file */
	uint64_t from_ns, to_ns;
};

size_t source_holes(const struct source *source, const struct source_hole **ret_holes);

/*
 * Called for a hole of the whole file, after the last event before the hole and before the first
 * one after it. Events of other files may have later times.
 */
typedef void source_take_hole(void *context, const struct source_hole *hole);
void source_want_holes(struct source *source, source_take_hole *take, void *context);

/* True if frames could not be written: the lost events belong to all processes of the file. */
static inline bool loss_is_of_frames(uint64_t reason)
{
	return reason == EVT_LOST_DISK || reason == EVT_LOST_LIMIT;
}

/*
 * Returns until when the files tell what programs did: to the end, unless nothing could be written
 * any more before it.
 */
uint64_t source_known_ns(const struct source *source);

/* The same for one file. */
uint64_t source_file_known_ns(const struct source_file *file);

#endif
