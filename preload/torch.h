/* SPDX-License-Identifier: MIT */
/*
 * PyTorch's operators and user scopes: a global RecordFunction callback, registered from C by the
 * mangled names of its functions, so that neither headers nor a version of torch are needed. Works on
 * all threads, the backward engine's too; torch.profiler and emit_nvtx go on as without us.
 *
 * The callback's structure and the form of the calls are those of torch 1.13 to 2.15
 * (ATen/record_function.h); torch_begin() proves them by watching what they do.
 */
#ifndef PRELOAD_TORCH_H
#define PRELOAD_TORCH_H

#include <stdint.h>

#include "preload/torch_function.h"

/* torch has been imported: register. Nothing is recorded until torch_calibrate(); with the GIL. */
void torch_begin(void);

/*
 * This thread has just run aten::mul TORCH_SHOWN times, with these sequence numbers (NULL: they are
 * not known). Says where they and the numbers of threads lie in a RecordFunction. Recording starts,
 * unless inputs are wanted: they are shown next.
 */
void torch_calibrate(const int64_t *sequence);

/* ... and has run what bootstrap.py shows of inputs. Only then operators with inputs are recorded. */
void torch_calibrate_inputs(void);

#endif
