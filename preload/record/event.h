/* SPDX-License-Identifier: MIT */
/*
 * Records one event in one call: enter, time, texts, put, leave. For all that is not a hot path;
 * hot paths write their record into the ring directly, with the functions of recorder.h.
 *
 * Any thread, signal handlers too; no lock, no allocation. errno is preserved.
 */
#ifndef PRELOAD_RECORD_EVENT_H
#define PRELOAD_RECORD_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/record/recorder.h"
#include "preload/record/strings.h"

/* For no particular family: uses any family whose gate is open. */
#define RECORDER_ANY EVT_FAMILY_LIMIT

/* A text becomes its id; else the number counts. */
struct recorder_field {
	uint64_t number;
	const struct string *text;
};

/* The event of now. False: its gate is shut, or it was dropped (counted). At most EVT_FIELDS_MAX fields. */
bool recorder_record(enum evt_family family, uint32_t type, const struct recorder_field *field,
		     unsigned int fields);

#endif
