/* SPDX-License-Identifier: MIT */
/*
 * GPU work by line of Python: the GPU time of CUDA calls that a line made, and the bytes that it
 * copied between host and GPU. For files whose CUDA calls have Python's frames
 * (INTERCEPT_STACKS=python or both). Memory grows with stacks.
 */
#ifndef REPORT_SAMPLES_LINE_GPU_H
#define REPORT_SAMPLES_LINE_GPU_H

#include "report/core/analysis.h"
#include "report/options/options.h"
#include "report/samples/lines.h"

/*
 * Returns whether a column is wanted: by --source, or by its name in --columns, --sort or --filter.
 */
bool line_gpu_is_wanted(const struct options *options);

/* The analysis for line_gpu_add(): GPU work by stack of the call. */
struct line_gpu_use;
struct line_gpu_options;
ANALYSIS(line_gpu, struct line_gpu_use)

/* After the reading: returns whether there was any GPU work. */
bool line_gpu_has_work(const struct line_gpu_use *gpu);
/* Returns false if no call has a frame of Python, and adds nothing then. */
bool line_gpu_add(const struct line_gpu_use *gpu, struct source *source, struct lines *lines);

void line_gpu_join(struct line_gpu *into, const struct line_gpu *more);

#endif
