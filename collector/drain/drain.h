/* SPDX-License-Identifier: MIT */
/*
 * From the words of a ring to a block of the frame: the hot loop of the collector. Nothing that it
 * reads is trusted: a record that no recorder writes closes the ring.
 *
 * One thread.
 */
#ifndef COLLECTOR_DRAIN_DRAIN_H
#define COLLECTOR_DRAIN_DRAIN_H

#include <stdint.h>

#include "collector/core/common.h"
#include "collector/format/block.h"
#include "collector/drain/lasting.h"
#include "collector/drain/request_sums.h"
#include "collector/drain/standing.h"
#include "collector/drain/streams.h"

#define DRAIN_CALLERS 1024u /* pages of callers that are remembered as looked up */

enum drain_result {
	DRAIN_DONE, /* everything up to the limit was taken */
	DRAIN_MORE, /* `most` words were taken, and there is more */
	DRAIN_FULL, /* the frame is full: close it, then continue */
	DRAIN_SHUT, /* the ring was overwritten by the program and has been closed */
};

#define DRAIN_STACKS 65536u

struct drain {
	struct common *common;
	struct frame_writer *fw;
	uint64_t newest;   /* ticks of the newest record in the frame */
	uint64_t in_frame; /* records put into the frame; the code that closes it sets both to 0 */
	uint64_t records;  /* records taken so far, over all frames */
	uint64_t refused;  /* records that did not fit even into an empty frame, not reported yet */
	uint16_t names[EVT_ID_LIMIT];     /* which fields of an event are names, as bits */
	uint16_t spans[EVT_ID_LIMIT];     /* and which are durations in ticks */
	bool has_caller[EVT_ID_LIMIT];    /* the last field is a return address */
	bool stands[EVT_ID_LIMIT];        /* drain_note_standing() wants it */
	bool gpus[EVT_ID_LIMIT];          /* gpus_take() wants it */
	struct standing *standing;        /* one a ring; NULL: nothing stood so far */
	struct standing_list shared;      /* what belongs to processes */
	struct lasting tensors, requests; /* blocks that live; those under way */
	struct request_sums request_sums;
	uint64_t steps; /* number plus one of the last step of any process; 0: none */
	uint64_t caller[DRAIN_CALLERS]; /* page of the caller and process, hashed by the page */
	uint64_t loader_stacks[DRAIN_STACKS / 64]; /* a bit for each stack id of ld.so, modulo */
};

void drain_init(struct drain *drain, struct common *common, struct frame_writer *fw);
void drain_release(struct drain *drain);

/*
 * Puts into blocks of an open frame what stands on the streams at that time, and before it the
 * names that it uses. Returns false if there is no room.
 */
bool drain_write_standing(struct drain *drain, const struct streams *streams, uint64_t time_ns);
/* The same of what stands for events of the open segment in its digest; it defines no names. */
bool drain_write_digest(const struct drain *drain, uint64_t time_ns);
/* The state has been written: another segment is open. */
void drain_turn_segment(struct drain *drain, const struct streams *streams);
/* Returns whether that was all: none was left out for want of room. */
bool drain_standing_is_whole(const struct drain *drain);

/*
 * Takes records with ticks up to `limit` until `most` words are used up. `limit` is at most now.
 * Texts go to common->names, frames of stacks to the frame writer. Callers and frames in no known
 * module are noted at the stream's process.
 */
enum drain_result drain_stream(struct drain *drain, struct stream *stream, uint64_t limit,
			       uint64_t most);

/*
 * Reads the definitions of frames in the records that wait in the ring, and leaves the records
 * there. A record of another ring may name a stack whose frames this one defines.
 */
void drain_look_for_frames(struct drain *drain, const struct stream *stream);

/*
 * Call after a process has read its modules again: its callers are looked up again in the next
 * frame.
 */
void drain_forget_callers(struct drain *drain);

#endif
