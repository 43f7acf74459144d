/* SPDX-License-Identifier: MIT */
/*
 * The actions of PyTorch Lightning's Trainer: what its SimpleProfiler would time. A Trainer without
 * a profiler calls start(name) and stop(name) of PassThroughProfiler around everything that it
 * does. Those two empty methods are replaced when Lightning has defined them (lightning.py says how
 * they keep their appearance). Other profilers are left alone: they show what they always do, and
 * nothing is recorded here.
 *
 * Package names `lightning` and `pytorch_lightning`, 1.5 to 2.6.
 */
#ifndef PRELOAD_LIGHTNING_LIGHTNING_H
#define PRELOAD_LIGHTNING_LIGHTNING_H

#include <stdbool.h>

/*
 * For python/listeners.def. Takes the arguments of an audit event `import`, which comes before the
 * module is searched for; with the GIL.
 */
bool lightning_see_import(void *arguments);

#endif
