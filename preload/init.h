/* SPDX-License-Identifier: MIT */
/*
 * The life of the library in a process: dormant, active, over. The only file that knows every module.
 */
#ifndef PRELOAD_INIT_H
#define PRELOAD_INIT_H

#include <stdbool.h>

/* A dormant program has touched Python, CUDA or NVTX: start to record. Any thread; true when the
 * process records now. Cheap when it already does. */
bool init_activate(void);

/* A forked child whose region's collector has finished: a region and a file of its own. */
void init_start_anew(void);

/* The region has another address in this process from now on. */
struct region_header;
void init_region_moved(struct region_header *region);

/* At the end: one line on stderr when something kept us from recording. `collector_moves`: what
 * process_end() said. */
void init_report(bool collector_moves);

#endif
