/* SPDX-License-Identifier: MIT */
/*
 * Writes the file that pstats.Stats reads, as cProfile.Profile.dump_stats() writes it: a dict in
 * the format of the module marshal. The caller must check the stream for errors.
 */
#ifndef REPORT_FUNCTIONS_PSTATS_H
#define REPORT_FUNCTIONS_PSTATS_H

#include <stdio.h>

#include "report/functions/calls.h"
#include "report/session/source.h"

/* For rows of one key. */
void pstats_write(FILE *out, const struct calls *calls, const struct source *source);

#endif
