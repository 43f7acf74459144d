/* SPDX-License-Identifier: MIT */
/*
 * How much of a GPU's multiprocessors a kernel can fill, estimated from its launch and from what
 * the GPU can run at once.
 *
 * The number of blocks that a multiprocessor holds at once follows the rules of CUDA's occupancy
 * calculator (cuda_occupancy.h, CUDA 13): it is the least of what warps, blocks, registers and
 * shared memory allow. Registers are allocated to warps, in units of 256, from one of the
 * multiprocessor's parts. From compute capability 8 on, a block needs 1 KiB of shared memory for
 * the system. The calculation assumes that all shared memory is available; if a program gave part
 * of it to the first-level cache, fewer blocks fit.
 *
 * The estimated achieved occupancy is defined as in Kineto and TensorBoard's plugin: the threads of
 * min(blocks that fit, blocks per multiprocessor), divided by the threads that a multiprocessor
 * holds. It is not a measurement. Pure functions; any thread may call them.
 */
#ifndef REPORT_GPU_OCCUPANCY_H
#define REPORT_GPU_OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

struct evt_gpu_limits;

struct occupancy_launch {
	uint32_t grid[3], block[3], shared_bytes,
		registers; /* shared memory of a block, registers of a thread */
};

struct occupancy {
	double sm_blocks; /* blocks of the grid per multiprocessor */
	double part;      /* estimated achieved occupancy, 0 to 1 */
};

/*
 * Returns the blocks that a multiprocessor holds at once; 0: such a launch is impossible, or the
 * limits make no sense.
 */
uint64_t occupancy_blocks(const struct evt_gpu_limits *limits,
			  const struct occupancy_launch *launch);
/* Returns false and sets nothing if it is unknown: no block fits, or the launch has none. */
bool occupancy_of(const struct evt_gpu_limits *limits, const struct occupancy_launch *launch,
		  struct occupancy *ret_occupancy);

#endif
