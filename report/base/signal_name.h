/* SPDX-License-Identifier: MIT */
/* Names of the signals that end programs. */
#ifndef REPORT_BASE_SIGNAL_NAME_H
#define REPORT_BASE_SIGNAL_NAME_H

#include <stdint.h>

/* "SIGSEGV" of 128 + SIGSEGV; NULL when the exit status is of no signal that has a name here. */
const char *signal_name_of_status(int64_t exit_status);

#endif
