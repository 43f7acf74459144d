/* SPDX-License-Identifier: MIT */
/*
 * The collector as one object: region in, file out. main.c runs it in a process of its own, tests
 * run it in theirs.
 *
 * One thread. collector_turn() never waits; collector_sleep() waits for at most 50 ms.
 */
#ifndef COLLECTOR_TURN_COLLECTOR_H
#define COLLECTOR_TURN_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/core/common.h"
#include "collector/drain/drain.h"
#include "collector/output/output.h"
#include "collector/turn/keeping.h"
#include "collector/turn/naming.h"
#include "collector/processes/processes.h"
#include "collector/turn/renewal.h"
#include "collector/turn/segmenting.h"
#include "collector/turn/sources.h"
#include "collector/drain/streams.h"

struct collector {
	struct common common;
	struct processes processes;
	struct streams streams;
	struct sources sources;
	struct drain drain;
	struct frame_writer *fw;
	struct output output;
	struct naming naming;
	struct renewal renewal;
	struct segmenting segmenting;
	struct keeping keeping;
	uint64_t started_ns; /* the following are steady times */
	uint64_t closed_ns;  /* when the last frame was closed */
	uint64_t steered_ns; /* when the clock was last adjusted */
	uint64_t proc_ns;    /* when names, CPU times and cost were last recorded */
	uint64_t rest_ns;    /* when it was last asked why nothing happens */
	uint64_t failed_ns;  /* last failed write, 0: none */
	uint64_t sequence;   /* of the last frame */
	uint64_t watermark_ns;
	uint64_t lost; /* lost events recorded so far, for all reasons */
	/* records of frames that could not be written, not recorded as lost yet */
	uint64_t lost_disk;
	uint64_t lost_limit;
	uint32_t bell;   /* value of the doorbell at the start of the turn */
	bool busy;       /* the last turn found work */
	bool complained; /* a failed write was reported; the program prints it at its end */
	bool finished;
};

struct collector_start {
	void *base; /* the mapped region */
	uint64_t bytes;
	bool inspect; /* examine the processes through /proc and pidfds */
	/* the processes do not map the region: it was made for them (collector/outside) */
	bool outside;
	int first_fd; /* pidfd of the process that started us, 0: none; taken over */
};

/*
 * Checks the region, opens the output and sets the state RUNNING. On failure sets FAILED and the
 * reason, if there is a region. Returns 0 or -1.
 */
int collector_init(struct collector *c, const struct collector_start *start);

/* Examines everything once. Sets c->finished when the file is complete. */
void collector_turn(struct collector *c);

/* Waits until there may be something to do. */
void collector_sleep(struct collector *c);

/* Ends the file now, even if processes are alive. */
void collector_finish(struct collector *c);

void collector_release(struct collector *c);

#endif
