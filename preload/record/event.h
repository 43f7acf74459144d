/* SPDX-License-Identifier: MIT */
/*
 * Records one event in one call: enter, time, texts, put, leave. For everything outside of the hot
 * paths; hot paths write their record into the ring directly, with the functions of recorder.h.
 *
 * Any thread, signal handlers too; no lock, no allocation. errno is preserved.
 */
#ifndef PRELOAD_RECORD_EVENT_H
#define PRELOAD_RECORD_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/record/recorder.h"
#include "preload/record/strings.h"

/* For events of no particular family: uses any family whose gate is open. */
#define RECORDER_ANY EVT_FAMILY_LIMIT

/* The field's value is the id of `text` if there is one, else `number`. */
struct recorder_field {
	uint64_t number;
	const struct string *text;
};

/*
 * Records the event with the current time and at most EVT_FIELDS_MAX fields. Returns false if its
 * gate is shut, or if it was dropped (counted).
 */
bool recorder_record(enum evt_family family, uint32_t type, const struct recorder_field *field,
		     unsigned int fields);
/* The same whether or not a gate is open. */
bool recorder_record_late(uint32_t type, const struct recorder_field *field, unsigned int fields);

/* Returns the number in files of an event in a block: for records that others write. */
uint32_t recorder_number_in_block(enum evt_id id);

#endif
