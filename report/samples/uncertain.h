/* SPDX-License-Identifier: MIT */
/* How far shares of the CPU time may be off, in one sentence. */
#ifndef REPORT_SAMPLES_UNCERTAIN_H
#define REPORT_SAMPLES_UNCERTAIN_H

#include "report/samples/sample_events.h"
#include "report/table/export.h"

/* Prints nothing if the uncertainty is less than two points. */
void sample_counts_print_uncertain(const struct sample_counts *counts, const struct screen *screen);

#endif
