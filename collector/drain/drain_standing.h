/* SPDX-License-Identifier: MIT */
/* What an event changes of what stands on its stream; drain_write_standing() writes that. */
#ifndef COLLECTOR_DRAIN_DRAIN_STANDING_H
#define COLLECTOR_DRAIN_DRAIN_STANDING_H

#include "collector/drain/drain.h"

/* Returns whether the event begins or ends something on whatever thread. */
static inline bool drain_lasts(uint32_t id)
{
	return id == EVT_tensor_alloc || id == EVT_tensor_free || id == EVT_request_begin ||
	       id == EVT_request_end;
}

/* For events of which drain->stands is true, once they are in the frame. */
void drain_note_standing(struct drain *drain, const struct stream *stream, uint32_t id, uint64_t ns,
			 const uint64_t *value);

#endif
