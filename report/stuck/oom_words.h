/* SPDX-License-Identifier: MIT */
/*
 * A sentence on what is known about the kernel's OOM killer and the end of a process: how many
 * processes it ended where that one lived, and how close its memory was to its limit. It never says
 * that the process was one of them: the kernel tells numbers only.
 */
#ifndef REPORT_STUCK_OOM_WORDS_H
#define REPORT_STUCK_OOM_WORDS_H

#include "report/session/source.h"

#define OOM_WORDS_BYTES 320u

/*
 * "The kernel's OOM killer ended one process of its memory cgroup in the last 800 ms of its life."
 * NULL: nothing is known, or it did not end by SIGKILL.
 */
const char *oom_words(const struct source_process *process, char text[OOM_WORDS_BYTES]);

#endif
