/* SPDX-License-Identifier: MIT */
/*
 * Decides whether an NVTX range is a capture range (preload/steps/capture_range.h), by its name and
 * domain.
 */
#include "preload/nvtx/nvtx.h"

#include "preload/steps/capture_range.h"

static uint64_t message_hash(const struct nvtx_event *event)
{
	switch (event->message_type) {
	case NVTX_MESSAGE_TEXT:
		return string_of(event->message).hash;
	case NVTX_MESSAGE_WIDE:
		return string_of_wide(event->message).hash;
	case NVTX_MESSAGE_REGISTERED:
		return nvtx_name_string(event->message).hash;
	default:
		return 0;
	}
}

bool nvtx_capture_matches(const struct nvtx_event *event)
{
	return capture_range_matches(message_hash(event), nvtx_name_string(event->domain).hash);
}
