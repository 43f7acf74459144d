/* SPDX-License-Identifier: MIT */
/* links: collector */
/*
 * collector/core/clockmap.c: continuous, rising, and near the true time, with clocks that are made
 * up.
 */
#include <math.h>

#include "tests/unit/unit.h"
#include "collector/core/clockmap.h"
#include "collector/region/region.h"

#define NS_PER_S 1000000000.0
#define BASE_TSC 5000000000000ull
#define BASE_MONO 777000000000ull

/* A machine whose counter runs at `hz`, which drifts by `drift` a second, read with some noise. */
struct machine {
	double hz;
	double drift;
	double noise_ns;
	uint64_t seed;
};

static double machine_noise(struct machine *m)
{
	m->seed = m->seed * 6364136223846793005ull + 1442695040888963407ull;
	return ((double)(m->seed >> 40) / (double)(1u << 24) - 0.5) * 2 * m->noise_ns;
}

/* Ticks since the base at a true time. */
static uint64_t machine_ticks(const struct machine *m, double ns)
{
	double s = ns / NS_PER_S;

	return (uint64_t)(s * m->hz * (1 + m->drift * s / 2));
}

static struct clockmap_sync machine_sync(struct machine *m, double ns)
{
	return (struct clockmap_sync){
		.tsc = BASE_TSC + machine_ticks(m, ns),
		.mono_ns = BASE_MONO + (uint64_t)(ns + machine_noise(m)),
	};
}

static void map_start(struct clockmap *map, struct machine *m, double ns)
{
	struct clockmap_sync base = { BASE_TSC, BASE_MONO, 0 };
	struct clockmap_sync now = machine_sync(m, ns);

	clockmap_init(map, REGION_CLOCK_TSC, &base, &now, 0);
}

static double map_error(const struct clockmap *map, const struct machine *m, double ns)
{
	return fabs((double)clockmap_ns(map, machine_ticks(m, ns)) - ns);
}

TEST(starts_at_zero_with_the_measured_rate)
{
	struct machine m = { .hz = 2.9e9 };
	struct clockmap map;

	map_start(&map, &m, 1e6);
	assert_int_equal(clockmap_ns(&map, 0), 0);
	assert_true(map_error(&map, &m, 1e6) < 2);
	assert_true(llabs((long long)clockmap_hz(&map) - 2900000000ll) < 10000);
}

TEST(is_continuous_and_rising)
{
	struct machine m = { .hz = 2.5e9, .noise_ns = 2000, .seed = 3 };
	struct clockmap map;
	uint64_t last = 0;

	map_start(&map, &m, 1e6);
	for (unsigned int i = 1; i < 20; i++) {
		struct clockmap_sync sync = machine_sync(&m, i * 1e8);
		uint64_t at = sync.tsc - BASE_TSC;
		uint64_t before = clockmap_ns(&map, at);

		clockmap_steer(&map, &sync);
		assert_int_equal(clockmap_ns(&map, at), before);
		assert_in_range(before - clockmap_ns(&map, at - 1), 0, 1);
		assert_in_range(clockmap_ns(&map, at + 1) - before, 0, 1);
	}
	for (double ns = 0; ns < 2.2e9; ns += 12345) {
		uint64_t mapped = clockmap_ns(&map, machine_ticks(&m, ns));

		assert_true(mapped >= last);
		last = mapped;
	}
}

/*
 * The first rate is 1000 ppm wrong, the readings are 50 ns off: after some seconds it must not
 * show.
 */
TEST(converges_from_a_bad_start)
{
	struct machine m = { .hz = 3.1e9, .noise_ns = 50, .seed = 7 };
	struct clockmap map;

	map_start(&map, &m, 1e6);
	map.segment[0].rate += map.segment[0].rate / 1000;
	for (unsigned int i = 1; i < 100; i++) {
		struct clockmap_sync sync = machine_sync(&m, i * 1e8);

		clockmap_steer(&map, &sync);
	}
	assert_true(map_error(&map, &m, 9.95e9) < 200);
}

TEST(follows_a_drifting_clock)
{
	struct machine m = { .hz = 2.0e9, .drift = 1e-6, .noise_ns = 30, .seed = 9 };
	struct clockmap map;

	map_start(&map, &m, 1e6);
	for (unsigned int i = 1; i < 600; i++) {
		struct clockmap_sync sync = machine_sync(&m, i * 1e8);

		if (i > 100)
			assert_true(map_error(&map, &m, i * 1e8) < 5000);
		clockmap_steer(&map, &sync);
	}
}

/* Of aarch64: the counter has 500 ticks or less when its rate must be known, which it states. */
static void coarse_start(struct clockmap *map, struct machine *m, uint64_t stated)
{
	struct clockmap_sync base = { BASE_TSC, BASE_MONO, 0 };
	struct clockmap_sync now = machine_sync(m, 20000);

	clockmap_init(map, REGION_CLOCK_TSC, &base, &now, stated);
}

TEST(coarse_counters)
{
	static const uint64_t rate[] = { 25000000, 62500000, 1000000000 };

	for (unsigned int r = 0; r < sizeof(rate) / sizeof(*rate); r++) {
		struct machine m = { .hz = (double)rate[r], .noise_ns = 100, .seed = r };
		uint64_t tick_ns = 1000000000u / rate[r];
		struct clockmap map;

		coarse_start(&map, &m, rate[r]);
		assert_int_equal(clockmap_hz(&map), rate[r]);
		for (unsigned int i = 1; i < 100; i++) {
			struct clockmap_sync sync = machine_sync(&m, i * 1e8);
			uint64_t at = machine_ticks(&m, i * 1e8 - 5e7);

			assert_true(map_error(&map, &m, i * 1e8) <= 500 + (double)tick_ns);
			/* two threads that read the next tick, one after the other */
			assert_in_range(clockmap_ns(&map, at + 1) - clockmap_ns(&map, at),
					tick_ns - 1, tick_ns + 1);
			clockmap_steer(&map, &sync);
		}
	}
}

/* Firmware may have stated another rate than the counter has. */
TEST(a_stated_rate_that_is_wrong)
{
	struct machine m = { .hz = 1e9, .noise_ns = 10 };
	struct clockmap map;

	coarse_start(&map, &m, 25000000);
	assert_in_range(clockmap_hz(&map), 990000000, 1010000000);
}

/* A suspended machine: the counter has gone on, the clock has not, and the other way round. */
TEST(jumps_are_slewed)
{
	struct machine m = { .hz = 2.0e9 };
	struct clockmap map;
	uint64_t last = 0;

	map_start(&map, &m, 1e6);
	for (unsigned int i = 1; i < 100; i++) {
		struct clockmap_sync sync = machine_sync(&m, i * 1e8);

		if (i > 20)
			sync.mono_ns -= 1000000000;
		if (i > 60)
			sync.mono_ns += 2000000000;
		clockmap_steer(&map, &sync);
		for (double ns = i * 1e8; ns < (i + 1) * 1e8; ns += 1e6) {
			uint64_t mapped = clockmap_ns(&map, machine_ticks(&m, ns));

			assert_true(mapped > last);
			last = mapped;
		}
	}
}

TEST(ticks_before_all_pieces_do_not_underflow)
{
	struct machine m = { .hz = 2.0e9 };
	struct clockmap map;

	map_start(&map, &m, 1e6);
	for (unsigned int i = 1; i < 100; i++) {
		struct clockmap_sync sync = machine_sync(&m, i * 1e8);

		clockmap_steer(&map, &sync);
	}
	assert_true(clockmap_ns(&map, 0) < 1000000);
	assert_true(map_error(&map, &m, 1e9) < 1000000);
	assert_true(clockmap_ns(&map, 1ull << 56) > 1ull << 54);
}

TEST(monotonic_clock_is_the_identity)
{
	struct clockmap_sync base = { 1000, 1000, 0 }, now = { 2000, 2000, 0 },
			     later = { 3000, 2500, 0 };
	struct clockmap map;

	clockmap_init(&map, REGION_CLOCK_MONOTONIC, &base, &now, 0);
	clockmap_steer(&map, &later);
	assert_int_equal(clockmap_ns(&map, 123456789), 123456789);
	assert_int_equal(clockmap_hz(&map), 0);
}

TEST(real_clock_is_followed)
{
	struct clockmap map = { .clock = REGION_CLOCK_TSC };
	struct clockmap_sync base, now;

	clockmap_sample(&map, &base);
	do {
		clockmap_sample(&map, &now);
	} while (now.mono_ns - base.mono_ns < 2000000);
	clockmap_init(&map, REGION_CLOCK_TSC, &base, &now, 0);
	clockmap_sample(&map, &now);
	assert_true(llabs((long long)(clockmap_ns(&map, now.tsc - base.tsc) + base.mono_ns -
				      now.mono_ns)) < 100000);
}
