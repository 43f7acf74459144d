/* SPDX-License-Identifier: MIT */
/*
 * Whether the loaded CUDA driver provides what the loaded libcupti asks it for first. If a driver
 * refuses, as a libcuda that is not NVIDIA's does, CUPTI 13.2 calls itself until the stack is full,
 * whichever of its functions is called. Older ones fail. Takes ld.so's lock; not from within a
 * function of the heap.
 */
#ifndef PRELOAD_GPU_GPU_DRIVER_H
#define PRELOAD_GPU_GPU_DRIVER_H

#include <stdbool.h>

/*
 * Returns false if CUPTI must not be called. *ret_error is the driver's error, 0 if it has no such
 * function.
 */
bool gpu_driver_suffices(int *ret_error);

#endif
