/* SPDX-License-Identifier: MIT */
/*
 * What a session has that is not in what was read: files, as the file of its first program counted them when that
 * ended; else ranks, as their number in the environment has it. Once the source has been read.
 */
#ifndef REPORT_SESSION_MISSING_H
#define REPORT_SESSION_MISSING_H

#include <stdbool.h>
#include <stddef.h>

#include "report/session/source.h"

#define MISSING_BYTES 320

/* False: nothing that is known of. */
bool missing_describe(const struct source *source, char ret_text[MISSING_BYTES]);

#endif
