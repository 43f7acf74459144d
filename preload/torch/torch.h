/* SPDX-License-Identifier: MIT */
/*
 * PyTorch's operators and user scopes: a global RecordFunction callback, registered from C by the
 * mangled names of its functions, so that neither headers nor a version of torch are needed. Works on
 * all threads, the backward engine's too; torch.profiler and emit_nvtx go on as without us.
 *
 * The callback's structure and the form of the calls are those of torch 1.13 to 2.15
 * (ATen/record_function.h); bootstrap.py shows what proves them.
 */
#ifndef PRELOAD_TORCH_TORCH_H
#define PRELOAD_TORCH_TORCH_H

#include <stdbool.h>

/* What python/listeners.def calls; arguments are not looked at. */

/* torch has been imported: register. Nothing is recorded until torch_calibrate_inputs(); with the GIL. */
bool torch_begin(void *arguments);

/*
 * This thread has just run the first half of what bootstrap.py shows. Says where sequence numbers and
 * numbers of threads lie in a RecordFunction. False when this is no torch that we know: that was said.
 */
bool torch_calibrate(void *arguments);

/* ... and the second half, inputs, which are looked at when they are wanted. Recording starts. */
bool torch_calibrate_inputs(void *arguments);

#endif
