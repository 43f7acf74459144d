/* SPDX-License-Identifier: MIT */
/*
 * Computes the blocks that fit in integers. Limits that are 0 or absurd give no answer, so that a
 * damaged file causes no division by 0 and no overflow.
 */
#include "report/gpu/occupancy.h"

#include "collector/format/events.h"

#define REGISTER_UNIT 256u        /* registers of a warp are allocated in these units */
#define SYSTEM_SHARED_BYTES 1024u /* of a block, from compute capability 8 on */
#define SHARED_UNIT_BYTES 128u    /* from compute capability 8 on */
#define SHARED_UNIT_BYTES_BEFORE 256u
#define SENSIBLE (1u << 30) /* larger numbers come from damaged files */

static uint64_t up_to(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

static uint64_t occupancy_least(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

static bool are_sensible(const struct evt_gpu_limits *limits)
{
	const uint64_t needed[] = { limits->multiprocessors, limits->warp_threads,
				    limits->sm_warps,        limits->sm_blocks,
				    limits->sm_registers,    limits->block_registers,
				    limits->sm_shared_bytes };

	for (unsigned int i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (!needed[i] || needed[i] > SENSIBLE)
			return false;
	return true;
}

/* 0: not even one block fits. */
static uint64_t blocks_by_registers(const struct evt_gpu_limits *limits, uint64_t registers,
				    uint64_t warps)
{
	uint64_t parts = limits->major == 6 && limits->minor == 0 ? 2 : 4;
	uint64_t of_warp = up_to(registers * limits->warp_threads, REGISTER_UNIT);

	if (up_to(warps, parts) * of_warp > limits->block_registers)
		return 0;
	return limits->sm_registers / parts / of_warp * parts / warps;
}

static uint64_t blocks_by_shared(const struct evt_gpu_limits *limits, uint64_t bytes)
{
	bool is_recent = limits->major >= 8;
	uint64_t of_block = up_to(bytes + (is_recent ? SYSTEM_SHARED_BYTES : 0),
				  is_recent ? SHARED_UNIT_BYTES : SHARED_UNIT_BYTES_BEFORE);

	return of_block ? limits->sm_shared_bytes / of_block : limits->sm_blocks;
}

static uint64_t block_threads(const struct occupancy_launch *launch)
{
	double threads = (double)launch->block[0] * launch->block[1] * launch->block[2];

	return threads <= SENSIBLE ? (uint64_t)threads : 0;
}

uint64_t occupancy_blocks(const struct evt_gpu_limits *limits,
			  const struct occupancy_launch *launch)
{
	uint64_t threads = block_threads(launch), warps, blocks;

	if (!threads || launch->registers > SENSIBLE || !are_sensible(limits))
		return 0;
	warps = (threads + limits->warp_threads - 1) / limits->warp_threads;
	blocks = occupancy_least(limits->sm_warps / warps, limits->sm_blocks);
	if (launch->registers)
		blocks = occupancy_least(blocks,
					 blocks_by_registers(limits, launch->registers, warps));
	return occupancy_least(blocks, blocks_by_shared(limits, launch->shared_bytes));
}

bool occupancy_of(const struct evt_gpu_limits *limits, const struct occupancy_launch *launch,
		  struct occupancy *ret_occupancy)
{
	double grid = (double)launch->grid[0] * launch->grid[1] * launch->grid[2];
	uint64_t fit = occupancy_blocks(limits, launch);
	double sm_blocks, held, threads;

	if (!fit || grid <= 0)
		return false;
	sm_blocks = grid / (double)limits->multiprocessors;
	held = sm_blocks < (double)fit ? sm_blocks : (double)fit;
	threads = (double)(limits->sm_warps * limits->warp_threads);
	ret_occupancy->sm_blocks = sm_blocks;
	ret_occupancy->part = held * (double)block_threads(launch) / threads;
	return true;
}
