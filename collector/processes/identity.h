/* SPDX-License-Identifier: MIT */
/*
 * Which program a process runs: its command line and its executable, with what INTERCEPT_REDACT
 * leaves of them.
 *
 * /proc tells it, as long as the process runs the program that was recorded. A process may call
 * exec at any moment, also while /proc is read; then it is what the process described at its start
 * (start_map.h), or its parent.
 */
#ifndef COLLECTOR_PROCESSES_IDENTITY_H
#define COLLECTOR_PROCESSES_IDENTITY_H

#include "collector/processes/processes.h"

/*
 * Sets `command`, `executable` and `stack_start`; sets `gone` and `execed` if the process is over
 * or runs another program by now. `parent` is NULL if it is not known.
 */
void process_identify(struct process *process, const struct process *parent, struct common *common,
		      const struct namesake_region *region);

#endif
