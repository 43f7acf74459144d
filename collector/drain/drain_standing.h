/* SPDX-License-Identifier: MIT */
/* What an event changes of what stands on its stream; drain_write_standing() writes that. */
#ifndef COLLECTOR_DRAIN_DRAIN_STANDING_H
#define COLLECTOR_DRAIN_DRAIN_STANDING_H

#include "collector/drain/drain.h"

/* For events of which drain->stands is true, once they are in the frame. */
void drain_note_standing(struct drain *drain, const struct stream *stream, uint32_t id, uint64_t ns,
			 const uint64_t *value);

#endif
