/* SPDX-License-Identifier: MIT */
/*
 * Converts CUPTI's description of a GPU (CUpti_ActivityDevice4 and later) to two events: what it
 * is, and what it can run at once. CUPTI reports each device once, when CUDA starts. If CUDA was
 * there before us, it reports them when they are requested.
 *
 * Callbacks of CUPTI, any thread. No lock, no allocation.
 */
#ifndef PRELOAD_GPU_GPU_DEVICE_H
#define PRELOAD_GPU_GPU_DEVICE_H

/* `record` holds a struct cupti_device, at any address. */
void gpu_device_put(const void *record);

#endif
