/* SPDX-License-Identifier: MIT */
/*
 * What belongs to a session but was not read: files, as counted by the first program's file when
 * that program ended; otherwise ranks, from the world size in the environment. Call when the source
 * has been read.
 */
#ifndef REPORT_SESSION_MISSING_H
#define REPORT_SESSION_MISSING_H

#include <stdbool.h>
#include <stddef.h>

#include "report/session/source.h"

#define MISSING_BYTES 320

/* Returns false if nothing is known to be missing. */
bool missing_describe(const struct source *source, char ret_text[MISSING_BYTES]);

#endif
