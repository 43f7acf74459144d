/* SPDX-License-Identifier: MIT */
/*
 * Writes the limitations that a process has noted (what of it is not recorded) as facts of the
 * file. One thread.
 */
#ifndef COLLECTOR_PROCESSES_LIMITATIONS_H
#define COLLECTOR_PROCESSES_LIMITATIONS_H

#include "collector/core/common.h"
#include "collector/format/limitations.h"

struct process;
struct region_process;

/* Records a limitation that the collector itself has found, for the process with that number. */
void limitation_tell(struct common *common, uint64_t process, enum limitation what,
		     const char *subject, uint64_t time_ns);

/*
 * `off` is the reason in the events of sampling: enum evt_python_off, enum evt_native_off; 0:
 * sampling is not off.
 */
void limitation_tell_python_off(struct common *common, uint64_t process, uint64_t off,
				uint64_t time_ns);
void limitation_tell_native_off(struct common *common, uint64_t process, uint64_t off,
				uint64_t time_ns);

/* Records the limitations that are new since the last call. */
void limitations_tell(struct common *common, struct process *process,
		      const struct region_process *shared, uint64_t now_ns);

#endif
