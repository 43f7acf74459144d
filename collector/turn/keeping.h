/* SPDX-License-Identifier: MIT */
/*
 * Copies what the file has into a file of its own when a rule of INTERCEPT_TRIGGER says so
 * (INTERCEPT_KEEP_LAST): `run.kept-1.evt` beside `run.evt`, a complete recording. A copy is written
 * once, and no file is replaced; there are at most KEEPING_FILES of a recording's name.
 *
 * A part is copied in each turn, so that rings are drained meanwhile. Nothing is given back until
 * the copy is complete. One thread.
 */
#ifndef COLLECTOR_TURN_KEEPING_H
#define COLLECTOR_TURN_KEEPING_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/format/file.h"

#define KEEPING_FILES 16u

struct collector;

struct keeping {
	bool is_copying;
	int in, out;
	uint64_t at, bytes; /* copied so far; length without the end */
	uint64_t from_ns;
	uint64_t request; /* name */
	uint32_t number;
	struct file_end end;
	struct seek_entry *seek; /* as it was when the copy began */
	size_t seek_count;
	struct file_header header;
	char path[PATH_MAX];
};

/* Writes the name of copy `number` of the file at `path`. False if it is too long. */
bool keeping_path(const char *path, uint32_t number, char ret_path[PATH_MAX]);
/* Call in each turn, when no frame is open in the writer: begins, continues or ends a copy. */
void keeping_turn(struct collector *c);
/* Call before the last frame: completes the copy that is under way or wanted. */
void keeping_finish(struct collector *c);

#endif
