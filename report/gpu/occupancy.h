/* SPDX-License-Identifier: MIT */
/*
 * How much of a GPU's multiprocessors a kernel can fill, estimated from its launch and from what the GPU can run at once.
 *
 * Blocks that a multiprocessor holds at once: the rules of CUDA's occupancy calculator (cuda_occupancy.h, CUDA 13), which
 * takes the least of what warps, blocks, registers and shared memory allow. Registers are given to warps, in units of 256, from
 * one of the multiprocessor's parts; from compute capability 8 on a block needs 1 KiB of shared memory for the system. All of the shared
 * memory is taken to be there; where a program gave part of it to the first-level cache, fewer blocks fit.
 *
 * Estimated achieved occupancy, as Kineto and TensorBoard's plugin define it: threads of min(blocks that fit, blocks per
 * multiprocessor), by the threads that a multiprocessor holds. It is no measurement. Pure; any thread.
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
	double sm_blocks; /* blocks of the grid by multiprocessors */
	double part;      /* estimated achieved occupancy, 0 to 1 */
};

/* Blocks that a multiprocessor holds at once; 0: such a launch cannot be, or the limits make no sense. */
uint64_t occupancy_blocks(const struct evt_gpu_limits *limits,
			  const struct occupancy_launch *launch);
/* False, and nothing set: unknown, as above or without a block. */
bool occupancy_of(const struct evt_gpu_limits *limits, const struct occupancy_launch *launch,
		  struct occupancy *ret_occupancy);

#endif
