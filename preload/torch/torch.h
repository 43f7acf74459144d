/* SPDX-License-Identifier: MIT */
/*
 * PyTorch's operators and user scopes: a global RecordFunction callback, registered from C by the
 * mangled names of its functions, so that neither headers nor a particular version of torch are
 * needed. Works on all threads, the backward engine's too. torch.profiler and emit_nvtx work as
 * without us.
 *
 * The callback's structure and the form of the calls are those of torch 1.13 to 2.15
 * (ATen/record_function.h); bootstrap.py runs what proves them.
 */
#ifndef PRELOAD_TORCH_TORCH_H
#define PRELOAD_TORCH_TORCH_H

#include <stdbool.h>

/* The functions that python/listeners.def calls; their arguments are not used. */

/*
 * torch has been imported: registers the callback. Nothing is recorded until
 * torch_calibrate_inputs(). With the GIL.
 */
bool torch_begin(void *arguments);

/*
 * This thread has just run the first half of the known operators in bootstrap.py. Finds where a
 * RecordFunction has the sequence number and the thread's number. Returns false if the layout is
 * unknown, which has been reported.
 */
bool torch_calibrate(void *arguments);

/*
 * ... and the second half, known inputs, which are examined if they are wanted. Recording starts.
 */
bool torch_calibrate_inputs(void *arguments);

#endif
