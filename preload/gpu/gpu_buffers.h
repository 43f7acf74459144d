/* SPDX-License-Identifier: MIT */
/*
 * Buffers for CUPTI's records: mapped, never from the heap (which is the program's, and hooked), filled in advance so
 * that a launch does not have to wait for pages, given out again and again.
 *
 * Any thread; no lock.
 */
#ifndef PRELOAD_GPU_GPU_BUFFERS_H
#define PRELOAD_GPU_GPU_BUFFERS_H

#include <stddef.h>
#include <stdint.h>

/*
 * CUPTI hands a buffer out when it is full, or when it is emptied: one that is not full is lost with a program that is killed. So
 * they are small: some 500 kernels.
 */
#define GPU_BUFFER_BYTES (128u << 10)
#define GPU_BUFFERS 256u /* that are kept; beyond them smaller ones, which are not */
#define GPU_BUFFER_SMALL_BYTES (64u << 10)
#define GPU_BUFFERS_AHEAD 16u

/* Maps the first. */
void gpu_buffers_prepare(void);
/* NULL where there is no memory. */
uint8_t *gpu_buffer_take(size_t *ret_bytes);
void gpu_buffer_give(uint8_t *buffer, size_t bytes);

#endif
