/* SPDX-License-Identifier: MIT */
/*
 * Buffers for CUPTI's records. They are mapped and never from the heap, which is the program's and
 * is hooked. They are touched in advance, so that a launch does not wait for page faults, and are
 * used again and again.
 *
 * Any thread; no lock.
 */
#ifndef PRELOAD_GPU_GPU_BUFFERS_H
#define PRELOAD_GPU_GPU_BUFFERS_H

#include <stddef.h>
#include <stdint.h>

/*
 * CUPTI delivers a buffer when it is full, or at a flush. If the program is killed, a buffer that
 * is not full is lost. So buffers are small: some 500 kernels.
 */
#define GPU_BUFFER_BYTES (128u << 10)
#define GPU_BUFFERS 256u /* buffers that are kept; further ones are smaller and are not kept */
#define GPU_BUFFER_SMALL_BYTES (64u << 10)
#define GPU_BUFFERS_AHEAD 16u

/* Maps the first buffers. */
void gpu_buffers_prepare(void);
/* Returns NULL if there is no memory. */
uint8_t *gpu_buffer_take(size_t *ret_bytes);
void gpu_buffer_give(uint8_t *buffer, size_t bytes);

#endif
