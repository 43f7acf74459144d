/* SPDX-License-Identifier: MIT */
/*
 * When events were lost: between which moments, and of whom. A `lost` event says how many are missing since the frame
 * before its own, so a hole reaches from the end of that frame to the event. Where frames could not be written (a full
 * disk, INTERCEPT_MAX_FILE) all of the file's processes have it.
 *
 * Holes are in order of their ends, file by file; those that touch are one. Memory is bounded: beyond HOLES_MAX the
 * last one of the file grows.
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
	const struct source_process *process; /* NULL: all of the file */
	uint64_t from_ns, to_ns;
};

size_t source_holes(const struct source *source, const struct source_hole **ret_holes);

/* Frames could not be written: what these events stand for is missing of all processes of the file. */
static inline bool loss_is_of_frames(uint64_t reason)
{
	return reason == EVT_LOST_DISK || reason == EVT_LOST_LIMIT;
}

/* Until when the files tell what programs did: to the end, but where nothing could be written any more before it. */
uint64_t source_known_ns(const struct source *source);

/* The same of one file. */
uint64_t source_file_known_ns(const struct source_file *file);

#endif
