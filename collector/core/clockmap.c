/* SPDX-License-Identifier: MIT */
/*
 * The rate is measured between the oldest and the newest of the last syncs, so that the noise of
 * one reading (some 30 ns) is divided by a long time. The map's error is removed over STEER_NS by a
 * steeper or flatter piece, within RATE_LIMIT, so that time never stands still or jumps.
 */
#include "collector/core/clockmap.h"

#include <time.h>

#include "collector/arch/arch.h"
#include "collector/core/clock.h"
#include "collector/region/region.h"

#define NS_PER_S 1000000000ull
#define STEER_NS NS_PER_S
#define SAMPLE_TRIES 5
#define RATE_IDENTITY (1ull << CLOCKMAP_SHIFT)
#define RATE_MIN (RATE_IDENTITY / 64) /* 64 GHz */
#define RATE_MAX (RATE_IDENTITY * 64) /* 16 MHz */

void clockmap_sample(const struct clockmap *map, struct clockmap_sync *ret_sync)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < SAMPLE_TRIES; i++) {
		uint64_t before = arch_ticks();
		uint64_t mono = clock_read_ns(CLOCK_MONOTONIC);
		uint64_t middle = arch_ticks();
		uint64_t real = clock_read_ns(CLOCK_REALTIME);
		uint64_t after = arch_ticks();

		if (after - before >= best)
			continue;
		best = after - before;
		/*
		 * the monotonic reading is between the first two, and the other one is moved there
		 */
		ret_sync->tsc = before + (middle - before) / 2;
		ret_sync->mono_ns = mono;
		ret_sync->real_ns = real;
	}
	if (map->clock == REGION_CLOCK_MONOTONIC)
		ret_sync->tsc = ret_sync->mono_ns;
}

uint64_t clockmap_now(const struct clockmap *map)
{
	uint64_t now = map->clock == REGION_CLOCK_MONOTONIC ? clock_read_ns(CLOCK_MONOTONIC)
							    : arch_ticks();

	return now > map->base_tsc ? now - map->base_tsc : 0;
}

static uint64_t clockmap_rate_of(uint64_t ns, uint64_t ticks)
{
	unsigned __int128 rate;

	if (!ticks)
		return RATE_IDENTITY;
	rate = ((unsigned __int128)ns << CLOCKMAP_SHIFT) / ticks;
	if (rate < RATE_MIN)
		return RATE_MIN;
	return rate > RATE_MAX ? RATE_MAX : (uint64_t)rate;
}

static struct clockmap_pair clockmap_pair_of(const struct clockmap *map,
					     const struct clockmap_sync *sync)
{
	return (struct clockmap_pair){
		.ticks = sync->tsc > map->base_tsc ? sync->tsc - map->base_tsc : 0,
		.ns = sync->mono_ns > map->base_mono ? sync->mono_ns - map->base_mono : 0,
	};
}

/*
 * Returns the rate at the start. The counter has run for a moment only, and is coarse where the
 * processor states its rate. So the stated rate is taken if the measured one does not contradict
 * it.
 */
static uint64_t clockmap_first_rate(struct clockmap_pair pair, uint64_t hz)
{
	uint64_t stated = (uint64_t)((unsigned __int128)pair.ns * hz / NS_PER_S);
	uint64_t apart = pair.ticks > stated ? pair.ticks - stated : stated - pair.ticks;

	if (hz && apart <= stated / 100 + 2)
		return clockmap_rate_of(NS_PER_S, hz);
	return clockmap_rate_of(pair.ns, pair.ticks);
}

void clockmap_init(struct clockmap *map, uint32_t clock, const struct clockmap_sync *base,
		   const struct clockmap_sync *now, uint64_t hz)
{
	struct clockmap_pair pair;

	*map = (struct clockmap){ .clock = clock,
				  .base_tsc = base->tsc,
				  .base_mono = base->mono_ns };
	pair = clockmap_pair_of(map, now);
	map->rate = clock == REGION_CLOCK_MONOTONIC ? RATE_IDENTITY : clockmap_first_rate(pair, hz);
	map->count = 1;
	map->segment[0] = (struct clockmap_segment){ 0, UINT64_MAX, 0, map->rate };
	map->pairs = 1; /* the base itself: 0, 0 */
}

/* Remembers the pair and measures from the oldest one that is kept. */
static void rate_measure(struct clockmap *map, struct clockmap_pair pair)
{
	uint32_t slot = map->pairs % CLOCKMAP_SEGMENTS;
	struct clockmap_pair oldest = map->pair[map->pairs < CLOCKMAP_SEGMENTS ? 0 : slot];

	map->pair[slot] = pair;
	map->pairs++;
	if (map->pairs == UINT32_MAX)
		map->pairs = CLOCKMAP_SEGMENTS; /* any value that keeps its meaning */
	if (pair.ticks > oldest.ticks && pair.ns > oldest.ns)
		map->rate = clockmap_rate_of(pair.ns - oldest.ns, pair.ticks - oldest.ticks);
}

/* The measured rate, changed so that `error` (true minus mapped) is gone after STEER_NS. */
static uint64_t rate_steered(uint64_t rate, int64_t error)
{
	/* between half and one and a half times the rate */
	const int64_t limit = (int64_t)STEER_NS / 2;
	int64_t bounded = error > limit ? limit : error < -limit ? -limit : error;
	__int128 change = (__int128)rate * bounded / (int64_t)STEER_NS;

	return (uint64_t)((__int128)rate + change);
}

void clockmap_steer(struct clockmap *map, const struct clockmap_sync *now)
{
	struct clockmap_segment *last = &map->segment[map->newest];
	struct clockmap_pair pair = clockmap_pair_of(map, now);
	uint64_t at_ns;

	if (map->clock == REGION_CLOCK_MONOTONIC || pair.ticks <= last->from)
		return;
	at_ns = clockmap_scale(last, pair.ticks);
	rate_measure(map, pair);
	last->span = pair.ticks - last->from - 1;
	map->newest = (map->newest + 1) % CLOCKMAP_SEGMENTS;
	if (map->count < CLOCKMAP_SEGMENTS)
		map->count++;
	map->segment[map->newest] = (struct clockmap_segment){
		.from = pair.ticks,
		.span = UINT64_MAX,
		.at_ns = at_ns,
		.rate = rate_steered(map->rate, (int64_t)(pair.ns - at_ns)),
	};
}

const struct clockmap_segment *clockmap_find(const struct clockmap *map, uint64_t ticks)
{
	uint32_t at = map->newest;

	for (uint32_t i = 1; i < map->count && ticks < map->segment[at].from; i++)
		at = (at + CLOCKMAP_SEGMENTS - 1) % CLOCKMAP_SEGMENTS;
	return &map->segment[at];
}

uint64_t clockmap_ns(const struct clockmap *map, uint64_t ticks)
{
	const struct clockmap_segment *segment = clockmap_find(map, ticks);
	unsigned __int128 back;

	if (ticks >= segment->from)
		return clockmap_scale(segment, ticks);
	back = (unsigned __int128)(segment->from - ticks) * segment->rate >> CLOCKMAP_SHIFT;
	return back < segment->at_ns ? segment->at_ns - (uint64_t)back : 0;
}

uint64_t clockmap_hz(const struct clockmap *map)
{
	if (map->clock == REGION_CLOCK_MONOTONIC)
		return 0;
	return (uint64_t)(((unsigned __int128)NS_PER_S << CLOCKMAP_SHIFT) / map->rate);
}
