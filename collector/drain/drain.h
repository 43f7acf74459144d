/* SPDX-License-Identifier: MIT */
/*
 * From the words of a ring to a block of the frame: the hot loop of the collector. Trusts nothing it
 * reads: a record that no recorder writes closes the ring.
 *
 * One thread.
 */
#ifndef COLLECTOR_DRAIN_DRAIN_H
#define COLLECTOR_DRAIN_DRAIN_H

#include <stdint.h>

#include "collector/core/common.h"
#include "collector/format/block.h"
#include "collector/drain/streams.h"

#define DRAIN_CALLERS 1024u /* pages of callers remembered as looked up */

enum drain_result {
	DRAIN_DONE, /* nothing is left up to the limit */
	DRAIN_MORE, /* `most` words were taken, there is more */
	DRAIN_FULL, /* the frame takes no more: close it, then go on */
	DRAIN_SHUT, /* the ring was scribbled over and has been closed */
};

#define DRAIN_STACKS 65536u

struct drain {
	struct common *common;
	struct frame_writer *fw;
	uint64_t newest;   /* ticks of the newest record in the frame */
	uint64_t in_frame; /* records put into the frame; whoever closes it sets both to 0 */
	uint64_t records;  /* taken so far, all frames */
	uint64_t refused;  /* records that even an empty frame did not take, not yet told */
	uint16_t names[EVT_ID_LIMIT];   /* which fields of an event are names, as bits */
	uint16_t spans[EVT_ID_LIMIT];   /* and which are durations in ticks */
	bool has_caller[EVT_ID_LIMIT];  /* the last field is a return address */
	uint64_t caller[DRAIN_CALLERS]; /* page of the caller and process, hashed by the page */
	uint64_t loader_stacks[DRAIN_STACKS / 64]; /* a bit for each stack id of ld.so, modulo */
};

void drain_init(struct drain *drain, struct common *common, struct frame_writer *fw);

/*
 * Takes records with ticks up to `limit` until `most` words are gone. `limit` is at most now. Texts go
 * to common->names, frames of stacks to the frame writer; callers and frames that lie in no known module are noted at
 * the stream's process.
 */
enum drain_result drain_stream(struct drain *drain, struct stream *stream, uint64_t limit,
			       uint64_t most);

/*
 * Takes what frames of stacks are from the records that wait in the ring, wherever in it, and leaves them there: a record
 * of another ring may name a stack whose frames this one defines.
 */
void drain_look_for_frames(struct drain *drain, const struct stream *stream);

/* After a process has read its modules anew: its callers are looked up again in the next frame. */
void drain_forget_callers(struct drain *drain);

#endif
