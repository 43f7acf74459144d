/* SPDX-License-Identifier: MIT */
/*
 * The name of the file while it is written. A program that uses neither Python, CUDA nor NVTX is plain: in a shell
 * that has LD_PRELOAD exported it may be nothing but `ls`, `tee` or `head`. So what it records:
 *
 * - makes no way for itself through a recording of interest, nor through a larger one, before it has shown to be worth
 *   it: until then it is written beside;
 * - leaves the name to a program of interest that asks for it (`python train.py | tee log`: who comes first is chance);
 * - goes, when it has ended with few records and somebody else's recording has the name.
 *
 * Runs of interest at the same time, and plain ones, keep the names that they have begun with. One thread.
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
	struct region_header *header; /* whom the name is told; NULL: there is none yet */
	char output[PATH_MAX];        /* the name that was asked for; what it leads to */
	char host[FILE_SESSION_BYTES];
	uint32_t keep;
	bool plain;
	bool talks;
	bool waits;   /* for the name, which another session has */
	bool crowded; /* the file is beside for that reason */
	bool at_once; /* that session's program ran when this one began */
	bool passed;  /* plain and small: the file is gone */
	bool numbered; /* the file has the name with a number: it was kept beside what is worth more */
	int ask_fd;    /* asks for the name, or -1 */
	uint64_t begun_ns, tried_ns;
};

/* naming->output is known. Steady times. */
void naming_begin(struct naming *naming, struct output *output, struct region_header *header);
void naming_release(struct naming *naming);

/* A frame is about to be closed: it may have events of interest. */
void naming_see(struct naming *naming, struct output *output, const struct frame_writer *fw);

/* Now and then. `records` so far. */
void naming_turn(struct naming *naming, struct output *output, uint64_t records,
		 uint64_t steady_ns);

/* How many files the session has in the folder, to be told in that of its first program; 0: not known, or another's. */
unsigned int naming_count_session(const struct naming *naming, const struct output *output);

/* The file is complete; its programs still wait. */
void naming_finish(struct naming *naming, struct output *output, uint64_t records);

/* Nobody waits any more: removes what is more than is to be kept. */
void naming_tidy(struct naming *naming, struct output *output);

#endif
