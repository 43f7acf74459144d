/* SPDX-License-Identifier: MIT */
/*
 * A GPU as CUPTI describes it (CUpti_ActivityDevice4 and later) to two events: what it is, and what it can run at once.
 * CUPTI tells of each device once, when CUDA starts or, where CUDA was there before us, when it is asked for.
 *
 * Callbacks of CUPTI, any thread. No lock, no allocation.
 */
#ifndef PRELOAD_GPU_GPU_DEVICE_H
#define PRELOAD_GPU_GPU_DEVICE_H

/* `record` holds a struct cupti_device, at any address. */
void gpu_device_put(const void *record);

#endif
