/* SPDX-License-Identifier: MIT */
/*
 * The name of the file while it is written. A program that uses neither Python, CUDA nor NVTX is
 * plain: in a shell that has LD_PRELOAD exported, it may be nothing but `ls`, `tee` or `head`. So a
 * plain program's recording
 *
 * - does not displace a recording of interest, nor a larger one, before it has proved to be worth
 *   it. Until then it is written beside the wanted name;
 * - leaves the name to a program of interest that asks for it (`python train.py | tee log`: which
 *   of them comes first is chance);
 * - is removed if it has ended with few records, and somebody else's recording has the name or is
 *   about to get it.
 *
 * Simultaneous runs of interest keep the names that they began with, and so do simultaneous plain
 * runs. One thread.
 */
#ifndef COLLECTOR_TURN_NAMING_H
#define COLLECTOR_TURN_NAMING_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "collector/format/block.h"
#include "collector/output/output.h"
#include "collector/region/region.h"

struct naming {
	/* where the name is stored for the program; NULL: nowhere yet */
	struct region_header *header;
	char output[PATH_MAX]; /* the wanted name, with links resolved */
	char host[FILE_SESSION_BYTES];
	uint32_t keep;
	bool plain;
	bool talks;
	bool waits;   /* for the name, which another session has */
	bool crowded; /* the file has another name for that reason */
	bool at_once; /* that session's program was running when this one began */
	bool left;    /* this file had it, and made way for one of interest */
	bool passed;  /* plain and small: the file was removed */
	/* the file has the name with a number: it was kept beside a recording that is worth more */
	bool numbered;
	int ask_fd; /* descriptor that asks for the name, or -1 */
	uint64_t begun_ns, tried_ns;
};

/* naming->output must be set. Times are steady. */
void naming_begin(struct naming *naming, struct output *output, struct region_header *header);
void naming_release(struct naming *naming);

/* A frame is about to be closed, which may contain events of interest. */
void naming_see(struct naming *naming, struct output *output, const struct frame_writer *fw);

/* Call now and then. `records` is the number so far. */
void naming_turn(struct naming *naming, struct output *output, uint64_t records,
		 uint64_t steady_ns);

/*
 * Returns how many files the session has in the folder, which its first program prints; 0: not
 * known, or another session's.
 */
unsigned int naming_count_session(const struct naming *naming, const struct output *output);

/* The file is complete; its programs are still waiting. */
void naming_finish(struct naming *naming, struct output *output, uint64_t records);

/* Nobody waits any more: removes recordings that exceed the number to keep. */
void naming_tidy(struct naming *naming, struct output *output);

#endif
