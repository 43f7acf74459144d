/* SPDX-License-Identifier: MIT */
/*
 * What the slow paths of the recorder share: recorder.c (opening, gates, entering), rings.c (a
 * thread and its ring) and room.c (room in a ring). Nobody else includes this. Written before the
 * gates open, but for `stalled`; any thread reads it.
 */
#ifndef PRELOAD_RECORD_RECORDER_STATE_H
#define PRELOAD_RECORD_RECORDER_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/record/recorder.h"

#define RECORDER_STALL_NS 1000000000u /* without progress for this long, records are dropped */

PRELOAD_HIDDEN extern struct recorder_region recorder_region;
PRELOAD_HIDDEN extern struct recorder_state {
	uint32_t process;    /* our entry in the process table */
	uint64_t generation; /* counts openings */
	struct {
		/* the thread that began recording, and its CPU time at that moment */
		uint32_t tid;
		uint64_t cpu_ns;
		/* recording began while the program ran, so other threads may be older */
		bool is_joined;
	} began;
	void (*look)(void); /* of recorder_on_asked(); NULL: nobody asks */
	/* rings drop records without waiting, because no progress was seen */
	_Atomic uint64_t stalled;
} recorder_state;

/* rings.c: gives the thread's lane a ring. False: there is none, and the loss was counted. */
PRELOAD_HIDDEN bool ring_bind_or_count(struct recorder_lane *lane, unsigned int level);
/* room.c: how long the thread has waited since `*since_ns`, which becomes now. */
PRELOAD_HIDDEN uint64_t room_nap(uint64_t *since_ns);

/* recorder.c: the lane's ring is the parent's, and none of ours. */
PRELOAD_HIDDEN bool recorder_is_cut_off(const struct recorder_lane *lane);
/*
 * recorder.c: shuts the gates if the collector asks for something, so that the next hook looks. For
 * a thread that writes a record, and can do nothing about the request.
 */
PRELOAD_HIDDEN void recorder_shut_to_look(void);

#endif
