/* SPDX-License-Identifier: MIT */
/*
 * Empties CUPTI at the end. CUPTI can hang while it is emptied, so a separate thread does it,
 * and we wait for that thread for a limited time only. The thread is created for this and ends
 * with it: a running program has no thread of ours.
 */
#ifndef PRELOAD_GPU_GPU_FLUSHER_H
#define PRELOAD_GPU_GPU_FLUSHER_H

#include <stdint.h>

#define GPU_FLUSH_NS 200000000u     /* so long without a buffer */
#define GPU_FLUSH_MAX_NS 800000000u /* and never longer */

/*
 * 0: all that ran on the GPU has been handed out. -ETIMEDOUT: that took too long, and goes on. Else the negative errno of
 * pthread_create(). `moves`: counts the buffers that CUPTI hands out. Any thread, and several at a time, but not within a
 * signal handler nor a hook of the heap: allocates. errno is the caller's to save.
 */
int gpu_flusher_flush(const _Atomic uint32_t *moves);

#endif
