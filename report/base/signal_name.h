/* SPDX-License-Identifier: MIT */
/* Names of the signals that end programs. */
#ifndef REPORT_BASE_SIGNAL_NAME_H
#define REPORT_BASE_SIGNAL_NAME_H

#include <stdint.h>

/*
 * Returns "SIGSEGV" for 128 + SIGSEGV; NULL if the exit status belongs to no signal with a name
 * here.
 */
const char *signal_name_of_status(int64_t exit_status);

#endif
