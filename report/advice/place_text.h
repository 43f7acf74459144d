/* SPDX-License-Identifier: MIT */
/*
 * Names from the recording for the sentences of advice, escaped and short; and a place between
 * operators in words: "after A and before B, mostly in 'LABEL'".
 */
#ifndef REPORT_ADVICE_PLACE_TEXT_H
#define REPORT_ADVICE_PLACE_TEXT_H

#include "report/advice/bottleneck.h"
#include "report/advice/gaps.h"
#include "report/stacks/named_stacks.h"

#define PLACE_NAME_WIDTH 40u /* characters; longer names lose their middle */
#define PLACE_NAME_BYTES (PLACE_NAME_WIDTH * 4 + 8)
#define PLACE_BYTES (PLACE_NAME_BYTES * 3 + 64)

/* If the name is NULL or its text was lost, the result says so. */
void place_name(const struct source_name *name, char shown[PLACE_NAME_BYTES]);
/* Sets the place of advice to a frame that is the user's own code. */
void place_of_frame(const struct named_frame *frame, struct advice_place *place);
/* "normalise (leak.c:3)" */
#define PLACE_FRAME_BYTES 240u
void place_frame_text(const struct named_frame *frame, char text[PLACE_FRAME_BYTES]);
/* Writes the user's scope that most of the place is in; false: there is none. */
bool place_label(const struct bottleneck *bottleneck, const struct gap_place *place,
		 char shown[PLACE_NAME_BYTES]);
void place_text(const struct bottleneck *bottleneck, const struct gap_place *place,
		char text[PLACE_BYTES]);

#endif
