/* SPDX-License-Identifier: MIT */
/*
 * Captures on request (INTERCEPT_CAPTURE=trigger): takes requests from the door and from
 * INTERCEPT_TRIGGER, opens and shuts the programs' gates through the region (struct region_asked),
 * and records where each capture begins and ends. One capture at a time: a request that comes while
 * another is under way is refused, and recorded as such.
 *
 * With INTERCEPT_KEEP_LAST, a rule that fires also has what is kept copied (turn/keeping.h), and if
 * all is recorded anyhow, that is all it does.
 *
 * A source (core/source.h), so it is called once a turn; nothing here waits.
 */
#ifndef COLLECTOR_CAPTURES_CAPTURES_H
#define COLLECTOR_CAPTURES_CAPTURES_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/captures/door.h"
#include "collector/captures/steps_seen.h"
#include "collector/captures/trigger_file.h"
#include "collector/control/trigger.h"
#include "collector/core/source.h"
#include "collector/format/events.h"

struct capture {
	struct trigger trigger;
	enum evt_capture_from from;
	uint64_t request; /* name of its text */
	uint32_t number;
	bool is_told;      /* capture_begin is recorded */
	uint64_t asked_ns; /* steady time */
	uint64_t until_ns; /* steady time; 0: it consists of steps */
	uint64_t begin_ns; /* time of the file */
};

struct captures {
	struct source_context context;
	bool is_on; /* the setting */
	/* INTERCEPT_KEEP_LAST: a rule copies what is kept; only_keeps: all is recorded anyhow */
	bool keeps, only_keeps;
	struct door door;
	struct trigger_file file;
	struct trigger_list list; /* steps and rules to wait for; their texts are in file.text */
	/* steady time before which a rule must not start another capture; UINT64_MAX: done */
	uint64_t rest_ns[TRIGGER_LIST];
	uint64_t paused[TRIGGER_LIST]; /* count of steps when `no step` started one, plus 1 */
	struct steps_seen steps;
	struct capture now; /* number 0: none */
	uint32_t numbers;   /* given so far */
	struct door_news news;
	bool is_settled; /* the end of the newest is in the frame that is being written */
	char setting[REGION_PATH_BYTES];
	char keep_text[TRIGGER_BYTES]; /* requests that the next copy is for */
	uint32_t keep_length;
};

#endif
