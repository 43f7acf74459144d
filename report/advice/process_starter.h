/* SPDX-License-Identifier: MIT */
/*
 * Who started a process. A child of multiprocessing's fork server works for the program that
 * started the server: the server only forks, when it is asked to. It is known by its command line,
 * which a recording without arguments lacks.
 */
#ifndef REPORT_ADVICE_PROCESS_STARTER_H
#define REPORT_ADVICE_PROCESS_STARTER_H

#include <stdbool.h>

#include "report/session/source.h"

/* A program that was started by exec is in a file of its own, and is known by its parent's pid. */
bool process_is_started_by(const struct source_process *process, const struct source_process *of);
/* NULL: it is not in the recording. */
const struct source_process *process_starter(const struct source *source,
					     const struct source_process *process);

#endif
