/* SPDX-License-Identifier: MIT */
/* The provider of the GPU's work (deferred/deferred.h), where one wants to know which node of a graph it was. */
#ifndef REPORT_GPU_GPU_WORK_H
#define REPORT_GPU_GPU_WORK_H

#include "report/core/analysis.h"

/*
 * For start(), after deferred_want(): pieces of work have their `node`. It is reported after the work,
 * so a piece is held back until the next of its thread, or the end.
 */
extern const struct analysis_kind analysis_gpu_work;
void gpu_work_want_nodes(struct run *run);

#endif
