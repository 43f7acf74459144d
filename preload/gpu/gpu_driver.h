/* SPDX-License-Identifier: MIT */
/*
 * Whether the loaded CUDA driver has what the loaded libcupti asks it for first. Over one that refuses, as a libcuda that is not
 * NVIDIA's does, CUPTI 13.2 calls itself until the stack is full, whichever of its functions is called; older ones
 * fail. Takes ld.so's lock; not from within a function of the heap.
 */
#ifndef PRELOAD_GPU_GPU_DRIVER_H
#define PRELOAD_GPU_GPU_DRIVER_H

#include <stdbool.h>

/* False: CUPTI is not to be called. *ret_error: the driver's, 0 where it has no such function. */
bool gpu_driver_suffices(int *ret_error);

#endif
