/* SPDX-License-Identifier: MIT */
/*
 * The GPU by line of Python: what the GPU did for calls of CUDA that a line made, and what was copied between it and the
 * host. For files whose calls of CUDA have Python's frames (INTERCEPT_STACKS=python or both). Memory grows with stacks.
 */
#ifndef REPORT_SAMPLES_LINE_GPU_H
#define REPORT_SAMPLES_LINE_GPU_H

#include "report/core/analysis.h"
#include "report/options/options.h"
#include "report/samples/lines.h"

/* Somebody looks: --source, or --columns, --sort or --filter with one of the columns. */
bool line_gpu_is_wanted(const struct options *options);

/* The analysis, for line_gpu_add(): what was done by stack of the call. */
struct line_gpu_use;
struct line_gpu_options;
ANALYSIS(line_gpu, struct line_gpu_use)

/* What was done at all, once all is read. */
bool line_gpu_has_work(const struct line_gpu_use *gpu);
/* False: no call has a frame of Python, and nothing was added. */
bool line_gpu_add(const struct line_gpu_use *gpu, struct source *source, struct lines *lines);

void line_gpu_join(struct line_gpu *into, const struct line_gpu *more);

#endif
