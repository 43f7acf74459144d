/* SPDX-License-Identifier: MIT */
/* aarch64, with NEON, which every such processor has: see x86_64/lanes.h. */
#ifndef COLLECTOR_ARCH_AARCH64_LANES_H
#define COLLECTOR_ARCH_AARCH64_LANES_H

#include <arm_neon.h>
#include <stdbool.h>
#include <stdint.h>

typedef uint8x16_t arch_lanes;

#define ARCH_LANES

static inline bool arch_lanes_are_usable(void)
{
	return true;
}

static inline arch_lanes arch_lanes_load(const void *sixteen)
{
	return vld1q_u8(sixteen);
}

static inline arch_lanes arch_lanes_load_aligned(const void *sixteen)
{
	return vld1q_u8(sixteen);
}

static inline void arch_lanes_store(void *sixteen, arch_lanes lanes)
{
	vst1q_u8(sixteen, lanes);
}

static inline arch_lanes arch_lanes_before(arch_lanes bytes)
{
	return vextq_u8(vdupq_n_u8(0), bytes, 15);
}

/* Each byte keeps its own bit, and pairs are added three times. */
static inline uint32_t arch_lanes_tops(arch_lanes bytes)
{
	static const uint8_t own[16] = { 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128 };
	uint8x16_t tops = vreinterpretq_u8_s8(vshrq_n_s8(vreinterpretq_s8_u8(bytes), 7));
	uint8x16_t sum = vandq_u8(tops, vld1q_u8(own));

	sum = vpaddq_u8(sum, sum);
	sum = vpaddq_u8(sum, sum);
	sum = vpaddq_u8(sum, sum);
	return vgetq_lane_u16(vreinterpretq_u16_u8(sum), 0);
}

static inline uint32_t arch_lanes_seconds(arch_lanes bytes)
{
	return arch_lanes_tops(vshlq_n_u8(bytes, 1));
}

static inline arch_lanes arch_lanes_low(arch_lanes bytes)
{
	return vreinterpretq_u8_u16(vmovl_u8(vget_low_u8(bytes)));
}

static inline arch_lanes arch_lanes_high(arch_lanes bytes)
{
	return vreinterpretq_u8_u16(vmovl_u8(vget_high_u8(bytes)));
}

static inline arch_lanes arch_lanes_decode(arch_lanes bytes, arch_lanes before)
{
	uint16x8_t value = vreinterpretq_u16_u8(bytes), low = vreinterpretq_u16_u8(before);
	uint16x8_t two = vcgtq_u16(low, vdupq_n_u16(0x7f));
	uint16x8_t both = vorrq_u16(vshlq_n_u16(value, 7), vandq_u16(low, vdupq_n_u16(0x7f)));

	return vreinterpretq_u8_u16(vbslq_u16(two, both, value));
}

static inline arch_lanes arch_lanes_pick(arch_lanes bytes, const uint8_t *from)
{
	return vqtbl1q_u8(bytes, vld1q_u8(from));
}

static inline void arch_lanes_widen(arch_lanes eight, uint64_t *value)
{
	uint16x8_t numbers = vreinterpretq_u16_u8(eight);
	uint32x4_t low = vmovl_u16(vget_low_u16(numbers)), high = vmovl_u16(vget_high_u16(numbers));

	vst1q_u64(value, vmovl_u32(vget_low_u32(low)));
	vst1q_u64(value + 2, vmovl_u32(vget_high_u32(low)));
	vst1q_u64(value + 4, vmovl_u32(vget_low_u32(high)));
	vst1q_u64(value + 6, vmovl_u32(vget_high_u32(high)));
}

static inline arch_lanes arch_lanes_zero(void)
{
	return vdupq_n_u8(0);
}

static inline arch_lanes arch_lanes_add_four(arch_lanes four, arch_lanes *total)
{
	const uint32x4_t zero = vdupq_n_u32(0);
	uint32x4_t sum = vreinterpretq_u32_u8(four);

	sum = vaddq_u32(sum, vextq_u32(zero, sum, 3));
	sum = vaddq_u32(sum, vextq_u32(zero, sum, 2));
	sum = vaddq_u32(sum, vreinterpretq_u32_u8(*total));
	*total = vreinterpretq_u8_u32(vdupq_laneq_u32(sum, 3));
	return vreinterpretq_u8_u32(sum);
}

static inline void arch_lanes_add_up(const uint16_t *value, uint16_t without, uint32_t *sum,
				     arch_lanes *total)
{
	uint16x8_t eight = vld1q_u16(value);
	arch_lanes low, high;

	eight = vbicq_u16(eight, vceqq_u16(eight, vdupq_n_u16(without)));
	low = vreinterpretq_u8_u32(vmovl_u16(vget_low_u16(eight)));
	high = vreinterpretq_u8_u32(vmovl_u16(vget_high_u16(eight)));
	vst1q_u32(sum, vreinterpretq_u32_u8(arch_lanes_add_four(low, total)));
	vst1q_u32(sum + 4, vreinterpretq_u32_u8(arch_lanes_add_four(high, total)));
}

#endif
