/* SPDX-License-Identifier: MIT */
/*
 * CPU time of children that were not recorded: compilers, shells, decoders. The kernel adds up all children that a
 * process has waited for, and theirs; what recorded ones took is subtracted. Where a process that is not recorded
 * stands between (a shell that starts a recorded program), the recorded one is subtracted from the process
 * that was there for all of its life; so the sum is rather too small than too large.
 */
#ifndef REPORT_PROCESS_CHILDREN_H
#define REPORT_PROCESS_CHILDREN_H

#include <stdbool.h>
#include <stdint.h>

#include "report/session/source.h"

/* Of all processes, to a hundredth of a second each; false: the recording does not tell. Everything has been read. */
bool children_not_recorded(const struct source *source, uint64_t *ret_ns);

#endif
