/* SPDX-License-Identifier: MIT */
/*
 * A place of samples as text: "function (file.py:12)", without the file's folder; no character is
 * escaped.
 */
#ifndef REPORT_SAMPLES_SAMPLE_FRAME_H
#define REPORT_SAMPLES_SAMPLE_FRAME_H

#include <stdio.h>

#include "report/samples/sample_events.h"

void sample_frame_print(FILE *out, const struct samples *samples, struct source *source,
			const struct sample_place *place);
/*
 * Prints one line for each frame, the innermost first: at most `most`, then how many more there
 * are.
 */
void sample_stack_print(FILE *out, const struct samples *samples, struct source *source,
			const struct sample_place *place, unsigned int most);

#endif
