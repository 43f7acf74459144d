/* SPDX-License-Identifier: MIT */
/*
 * Converts ticks of records to nanoseconds since the region's base: piecewise linear, continuous
 * and rising. At every sync it is adjusted to CLOCK_MONOTONIC by a change of slope, never by a
 * step.
 *
 * With REGION_CLOCK_MONOTONIC ticks are already nanoseconds and the map is the identity. One
 * thread. The newest CLOCKMAP_SEGMENTS pieces are kept; older ticks use the oldest of them.
 */
#ifndef COLLECTOR_CORE_CLOCKMAP_H
#define COLLECTOR_CORE_CLOCKMAP_H

#include <stdint.h>

#define CLOCKMAP_SEGMENTS 32u
#define CLOCKMAP_SHIFT 32u

/* ns = at_ns + (ticks - from) * rate / 2^CLOCKMAP_SHIFT, for ticks in [from, from + span] */
struct clockmap_segment {
	uint64_t from;
	uint64_t span; /* UINT64_MAX: the newest */
	uint64_t at_ns;
	uint64_t rate;
};

/* One moment on three clocks. tsc is what records count, without subtracting the base. */
struct clockmap_sync {
	uint64_t tsc;
	uint64_t mono_ns;
	uint64_t real_ns;
};

struct clockmap {
	uint32_t clock; /* enum region_clock */
	uint64_t base_tsc;
	uint64_t base_mono;
	uint32_t count;  /* number of segments in use */
	uint32_t newest; /* index of the newest */
	struct clockmap_segment segment[CLOCKMAP_SEGMENTS];
	uint32_t pairs; /* ticks and true ns, for measuring the rate over a long time */
	struct clockmap_pair {
		uint64_t ticks, ns;
	} pair[CLOCKMAP_SEGMENTS];
	uint64_t rate; /* measured: ns per tick, times 2^CLOCKMAP_SHIFT */
};

/* Reads the three clocks as close together as possible in several tries. */
void clockmap_sample(const struct clockmap *map, struct clockmap_sync *ret_sync);

/* The ticks of this moment, as in records. */
uint64_t clockmap_now(const struct clockmap *map);

/*
 * Starts the map at (0 ticks, 0 ns), with the rate from the base to `now`, or with `hz`, the one
 * that the processor states (0: none), if that may be right.
 */
void clockmap_init(struct clockmap *map, uint32_t clock, const struct clockmap_sync *base,
		   const struct clockmap_sync *now, uint64_t hz);

/*
 * From `now` on, another slope leads back to the true time within about a second. Call at most ten
 * times a second once the run is a second old, so that the pieces kept cover several seconds.
 */
void clockmap_steer(struct clockmap *map, const struct clockmap_sync *now);

/* The piece for `ticks`; the oldest piece kept for earlier ticks. */
const struct clockmap_segment *clockmap_find(const struct clockmap *map, uint64_t ticks);

/* For ticks not before segment->from. */
static inline uint64_t clockmap_scale(const struct clockmap_segment *segment, uint64_t ticks)
{
	unsigned __int128 ns = (unsigned __int128)(ticks - segment->from) * segment->rate;

	return segment->at_ns + (uint64_t)(ns >> CLOCKMAP_SHIFT);
}

/* For any ticks; never below 0. */
uint64_t clockmap_ns(const struct clockmap *map, uint64_t ticks);

/*
 * Converts a duration, by the current rate. Accepts any number: an invalid one gives an invalid
 * duration, and nothing worse.
 */
static inline uint64_t clockmap_span(const struct clockmap *map, uint64_t ticks)
{
	unsigned __int128 ns = (unsigned __int128)ticks * map->segment[map->newest].rate;

	return (uint64_t)(ns >> CLOCKMAP_SHIFT);
}

/* Measured rate of the TSC in Hz; 0 if the clock is another. */
uint64_t clockmap_hz(const struct clockmap *map);

#endif
