/* SPDX-License-Identifier: MIT */
/* A place between operators in words: "after A and before B, mostly in 'LABEL'". */
#ifndef REPORT_ADVICE_PLACE_TEXT_H
#define REPORT_ADVICE_PLACE_TEXT_H

#include "report/advice/bottleneck.h"
#include "report/advice/gaps.h"

#define PLACE_NAME_WIDTH 40u /* columns; longer names lose their middle */
#define PLACE_NAME_BYTES (PLACE_NAME_WIDTH * 4 + 8)
#define PLACE_BYTES (PLACE_NAME_BYTES * 3 + 64)

void place_text(const struct bottleneck *bottleneck, const struct gap_place *place,
		char text[PLACE_BYTES]);

#endif
