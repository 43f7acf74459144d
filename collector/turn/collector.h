/* SPDX-License-Identifier: MIT */
/*
 * The collector as one object: region in, file out. main.c drives it in a process of its own, tests
 * drive it in theirs.
 *
 * One thread. collector_turn() never waits; collector_sleep() does, for at most 50 ms.
 */
#ifndef COLLECTOR_TURN_COLLECTOR_H
#define COLLECTOR_TURN_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/core/common.h"
#include "collector/drain/drain.h"
#include "collector/output/output.h"
#include "collector/turn/naming.h"
#include "collector/processes/processes.h"
#include "collector/turn/renewal.h"
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
	uint64_t started_ns; /* steady times */
	uint64_t closed_ns;  /* the last frame */
	uint64_t steered_ns; /* the clock */
	uint64_t proc_ns;    /* names, CPU times, cost */
	uint64_t failed_ns;  /* the last write that failed, 0: none */
	uint64_t sequence;   /* of the last frame */
	uint64_t watermark_ns;
	uint64_t lost;      /* told so far, all reasons */
	uint64_t lost_disk; /* records of frames that could not be written, not told yet */
	uint64_t lost_limit;
	uint32_t bell;   /* value of the doorbell at the start of the turn */
	bool busy;       /* the last turn found work */
	bool complained; /* about a write that failed; the program says it at its end */
	bool finished;
};

struct collector_start {
	void *base; /* mapped region */
	uint64_t bytes;
	bool inspect; /* look at the processes in /proc and by pidfd */
	int first_fd; /* pidfd of the process that started us, 0 when there is none; taken over */
};

/*
 * Checks the region, opens the output and says RUNNING; on failure says FAILED and why, in the region
 * where there is one. 0 or -1.
 */
int collector_init(struct collector *c, const struct collector_start *start);

/* One look at everything. Sets c->finished when the file is complete. */
void collector_turn(struct collector *c);

/* Until there may be something to do. */
void collector_sleep(struct collector *c);

/* Ends the file now, whoever lives. */
void collector_finish(struct collector *c);

void collector_release(struct collector *c);

#endif
