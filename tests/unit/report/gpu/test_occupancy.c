/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/gpu/occupancy.c: blocks that fit, by figures of CUDA's own calculator; what makes no sense
 * is unknown.
 */
#include "tests/unit/unit.h"
#include "collector/format/events.h"
#include "report/gpu/occupancy.h"

/* An RTX PRO 6000 (12.0), an H100 and a V100. */
static const struct evt_gpu_limits rtx = { .major = 12,
					   .multiprocessors = 188,
					   .warp_threads = 32,
					   .sm_warps = 48,
					   .sm_blocks = 24,
					   .sm_registers = 65536,
					   .block_registers = 65536,
					   .sm_shared_bytes = 102400 };
static const struct evt_gpu_limits h100 = { .major = 9,
					    .multiprocessors = 132,
					    .warp_threads = 32,
					    .sm_warps = 64,
					    .sm_blocks = 32,
					    .sm_registers = 65536,
					    .block_registers = 65536,
					    .sm_shared_bytes = 233472 };
static const struct evt_gpu_limits v100 = { .major = 7,
					    .multiprocessors = 80,
					    .warp_threads = 32,
					    .sm_warps = 64,
					    .sm_blocks = 32,
					    .sm_registers = 65536,
					    .block_registers = 65536,
					    .sm_shared_bytes = 98304 };

static struct occupancy_launch launch(uint32_t blocks, uint32_t threads, uint32_t registers,
				      uint32_t shared_bytes)
{
	return (struct occupancy_launch){ .grid = { blocks, 1, 1 },
					  .block = { threads, 1, 1 },
					  .registers = registers,
					  .shared_bytes = shared_bytes };
}

TEST(the_least_limit_counts)
{
	static const struct {
		const struct evt_gpu_limits *limits;
		uint32_t threads, registers, shared_bytes, blocks;
	} known[] = {
		{ &rtx, 512, 64, 20000, 2 },   /* registers */
		{ &rtx, 64, 16, 40000, 2 },    /* shared memory, 41,024 rounded up to 41,088 */
		{ &rtx, 64, 128, 0, 8 },       /* 4 warps in each part of 4 */
		{ &rtx, 32, 40, 0, 24 },       /* blocks; registers would let 48 */
		{ &rtx, 64, 200, 0, 4 },       /* 2 warps in each part */
		{ &rtx, 64, 168, 0, 6 },       /* 3 */
		{ &h100, 1024, 32, 0, 2 },     /* warps */
		{ &h100, 128, 32, 64, 16 },    /* warps */
		{ &h100, 256, 33, 0, 6 },      /* 33 * 32 registers are 1,280 */
		{ &h100, 1, 0, 0, 32 },        /* a warp is given out whole */
		{ &h100, 128, 32, 232448, 1 }, /* all of the shared memory, 1 KiB for the system */
		{ &h100, 128, 32, 232449, 0 },
		{ &h100, 1024, 65, 0, 0 }, /* more registers than a block may have */
		{ &h100, 2080, 16, 0, 0 },
		{ &v100, 128, 32, 49152, 2 }, /* none for the system */
	};

	for (unsigned int i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct occupancy_launch one = launch(1, known[i].threads, known[i].registers,
						     known[i].shared_bytes);

		assert_int_equal(occupancy_blocks(known[i].limits, &one), known[i].blocks);
	}
}

TEST(a_small_grid_fills_less)
{
	struct occupancy_launch one = launch(1000, 128, 32, 64);
	struct occupancy got;

	assert_true(occupancy_of(&h100, &one, &got));
	assert_float_equal(got.sm_blocks, 1000 / 132.0, 1e-9);
	assert_float_equal(got.part, 1000 / 132.0 * 128 / 2048, 1e-9);
	one = launch(1000000, 256, 33, 0);
	assert_true(occupancy_of(&h100, &one, &got));
	assert_float_equal(got.part, 6 * 256 / 2048.0, 1e-9);
}

TEST(nonsense_is_unknown)
{
	struct evt_gpu_limits limits = h100;
	struct occupancy_launch one = launch(0, 128, 32, 0);
	struct occupancy got = { .part = 7 };

	assert_false(occupancy_of(&limits, &one, &got));
	one = launch(1, 0, 32, 0);
	assert_false(occupancy_of(&limits, &one, &got));
	one = launch(UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX);
	one.block[1] = one.block[2] = one.grid[1] = one.grid[2] = UINT32_MAX;
	assert_false(occupancy_of(&limits, &one, &got));
	one = launch(1, 128, 32, 0);
	limits.multiprocessors = 0;
	assert_false(occupancy_of(&limits, &one, &got));
	limits = h100;
	limits.warp_threads = UINT64_MAX;
	assert_false(occupancy_of(&limits, &one, &got));
	limits = (struct evt_gpu_limits){ .device = 0 };
	assert_false(occupancy_of(&limits, &one, &got));
	assert_float_equal(got.part, 7, 0);
}
