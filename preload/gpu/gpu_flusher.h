/* SPDX-License-Identifier: MIT */
/*
 * Empties CUPTI at the end. CUPTI can hang while it is emptied, so a separate thread does it, and
 * we wait for that thread for a limited time. The thread is created for this and ends afterwards: a
 * running program has no thread of ours.
 */
#ifndef PRELOAD_GPU_GPU_FLUSHER_H
#define PRELOAD_GPU_GPU_FLUSHER_H

#include <stdint.h>

#define GPU_FLUSH_NS 200000000u     /* limit for the time without a buffer */
#define GPU_FLUSH_MAX_NS 800000000u /* limit for the whole */

/*
 * Returns 0: all work of the GPU has been delivered. -ETIMEDOUT: it took too long, and continues.
 * Otherwise the negative errno of pthread_create(). `moves` counts the buffers that CUPTI delivers.
 * Any thread, and several at a time, but not within a signal handler or a hook of the heap, because
 * it allocates. The caller preserves errno.
 */
int gpu_flusher_flush(const _Atomic uint32_t *moves);

#endif
