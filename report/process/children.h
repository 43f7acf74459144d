/* SPDX-License-Identifier: MIT */
/*
 * CPU time of children that were not recorded: compilers, shells, decoders. The kernel adds up all
 * children that a process has waited for, including their children; the recorded ones are
 * subtracted. If a process in between is not recorded (a shell that starts a recorded program), the
 * recorded one is subtracted from the process that was alive during its whole life. So the sum is
 * rather too small than too large.
 */
#ifndef REPORT_PROCESS_CHILDREN_H
#define REPORT_PROCESS_CHILDREN_H

#include <stdbool.h>
#include <stdint.h>

#include "report/session/source.h"

/*
 * Sum over all processes, each to a hundredth of a second. False: the recording does not tell. Call
 * when everything has been read.
 */
bool children_not_recorded(const struct source *source, uint64_t *ret_ns);

#endif
