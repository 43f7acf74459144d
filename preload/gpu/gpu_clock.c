/* SPDX-License-Identifier: MIT */
/*
 * A pair of readings of both clocks is the tightest of LOOKS tries. Drift comes from two such pairs
 * at least DRIFT_MIN_NS apart. A record is placed by its distance from the pair of its moment.
 */
#include "preload/gpu/gpu_clock.h"

#include <stdatomic.h>

#include "preload/base/clock.h"
#include "preload/record/entry.h"

#define LOOKS 4u
#define BASELINE_MIN_NS 100000u /* below this, the rate of a clock cannot be known */
#define FUTURE_MAX_NS 1000000000
#define PAST_MAX_NS 86400e9
#define DRIFT_MIN_NS 500e6 /* below this, drift cannot be told from the error of the readings */
#define DRIFT_LEAST 20000  /* the rate of our ticks is not known more precisely */
#define DRIFT_RENEW_NS 10e9
#define DRIFT_DOUBT_NS 500.0
#define DRIFT_MAX 1e6 /* a thousandth; more means that a clock was set */

/* Readings of CUPTI's clock and of ours at one time. */
struct pair {
	uint64_t ticks, stamp, apart;
};

static _Atomic(cupti_timestamp_function *) theirs;
/* CUPTI's own clock, before it got the other user's; valid once `theirs` is set */
static struct pair own_last;
static struct pair theirs_first; /* when CUPTI got the other user's clock */

cupti_timestamp_function *gpu_clock_theirs(void)
{
	return atomic_load_explicit(&theirs, memory_order_acquire);
}

/* Reads both clocks several times and takes the reading that took least. */
static bool gpu_clock_look(struct pair *ret_pair, cupti_result (*timestamp)(uint64_t *),
			   cupti_timestamp_function *other)
{
	uint64_t best = UINT64_MAX;

	for (unsigned int i = 0; i < LOOKS; i++) {
		uint64_t before = clock_ticks(), stamp = 0, after;

		if (other)
			stamp = other();
		else if (timestamp(&stamp))
			return false;
		after = clock_ticks();
		if (after - before >= best)
			continue;
		best = after - before;
		*ret_pair = (struct pair){ before + best / 2, stamp, best };
	}
	return true;
}

static cupti_result monotonic(uint64_t *ret_ns)
{
	*ret_ns = clock_ns(CLOCK_MONOTONIC);
	return CUPTI_OK;
}

/*
 * Nanoseconds per tick since the region was made, which is long enough for a precision of a
 * millionth. If the thread loses the CPU between two readings, other readings are used.
 */
static double tick_rate(void)
{
	const struct region_header *region = entry_region();
	struct pair now = { 0 };

	if (!clock_is_tsc)
		return 1;
	if (!region || !gpu_clock_look(&now, monotonic, NULL) || now.stamp <= region->base_mono ||
	    now.ticks <= region->base_tsc)
		return 0;
	return (double)(now.stamp - region->base_mono) / (double)(now.ticks - region->base_tsc);
}

/*
 * The unit of the other user's clock. If it reads the same as ours, it is ours. If it runs at about
 * one unit per nanosecond, it is nanoseconds. Otherwise the rate is measured since CUPTI got the
 * clock.
 */
static double unit_rate(const struct pair *now, double ns_per_tick)
{
	double ns = (double)(int64_t)(now->ticks - theirs_first.ticks) * ns_per_tick;
	double units = (double)(int64_t)(now->stamp - theirs_first.stamp);
	int64_t apart = (int64_t)(now->stamp - now->ticks);

	if (apart > -1000000 && apart < 1000000)
		return ns_per_tick;
	if (ns < BASELINE_MIN_NS || units <= 0)
		return 1;
	return ns / units > 0.999 && ns / units < 1.001 ? 1 : ns / units;
}

/* --- drift of CUPTI's own clock --- */

/*
 * Drift is computed from two readings of both clocks. The earlier reading is replaced when it is
 * old, so that a clock that is set (NTP) disturbs the result for no longer. A difference within the
 * error of the readings is no drift.
 */
static struct pair drift_from;
static _Atomic int64_t drift_known;
static atomic_flag drift_busy = ATOMIC_FLAG_INIT;

static int64_t drift_between(const struct pair *now, double ns_per_tick)
{
	double ours = (double)(int64_t)(now->ticks - drift_from.ticks) * ns_per_tick;
	double told = (double)(int64_t)(now->stamp - drift_from.stamp);
	double doubt = (double)(now->apart + drift_from.apart) * ns_per_tick + DRIFT_DOUBT_NS;
	double drift = told > 0 ? (ours - told) / told * 1e9 : 0;

	if ((ours - told < doubt && told - ours < doubt) || drift > DRIFT_MAX ||
	    drift < -DRIFT_MAX || (drift < DRIFT_LEAST && drift > -DRIFT_LEAST))
		return 0;
	return (int64_t)drift;
}

static int64_t drift_follow(const struct pair *now, double ns_per_tick)
{
	double since_ns;

	if (atomic_flag_test_and_set(&drift_busy))
		return atomic_load(&drift_known);
	since_ns = (double)(int64_t)(now->ticks - drift_from.ticks) * ns_per_tick;
	if (!drift_from.ticks || since_ns < 0) {
		drift_from = *now;
	} else if (since_ns >= DRIFT_MIN_NS) {
		atomic_store(&drift_known, drift_between(now, ns_per_tick));
		if (since_ns > DRIFT_RENEW_NS)
			drift_from = *now;
	}
	atomic_flag_clear(&drift_busy);
	return atomic_load(&drift_known);
}

void gpu_clock_begin(cupti_result (*timestamp)(uint64_t *))
{
	struct pair now;

	if (!gpu_clock_theirs() && gpu_clock_look(&now, timestamp, NULL) && !drift_from.ticks)
		(void)drift_follow(&now, 1);
}

bool gpu_moment_look(struct gpu_moment *ret_moment, cupti_result (*timestamp)(uint64_t *))
{
	cupti_timestamp_function *other = gpu_clock_theirs();
	struct pair now;

	*ret_moment = (struct gpu_moment){ 0 };
	if (!gpu_clock_look(&now, timestamp, other))
		return false;
	ret_moment->ticks = now.ticks;
	ret_moment->apart_ticks = now.apart;
	ret_moment->ns_per_tick = tick_rate();
	ret_moment->clock[GPU_CLOCK_CUPTI].ns_per_unit = 1;
	ret_moment->clock[GPU_CLOCK_CUPTI].stamp = now.stamp;
	if (!other) {
		ret_moment->drift = drift_follow(&now, ret_moment->ns_per_tick);
		return true;
	}
	ret_moment->clock[GPU_CLOCK_THEIRS].stamp = now.stamp;
	ret_moment->clock[GPU_CLOCK_THEIRS].ns_per_unit = unit_rate(&now, ret_moment->ns_per_tick);
	ret_moment->clock[GPU_CLOCK_CUPTI]
		.stamp = own_last.stamp +
			 (uint64_t)(int64_t)((double)(int64_t)(now.ticks - own_last.ticks) *
					     ret_moment->ns_per_tick);
	return true;
}

/* A time stamp may be anything, even so far away that a difference would wrap. */
static double since(uint64_t now, uint64_t stamp, double rate)
{
	return stamp <= now ? (double)(now - stamp) * rate : -(double)(stamp - now) * rate;
}

static bool is_sensible(double ago_ns)
{
	return ago_ns > -FUTURE_MAX_NS && ago_ns < PAST_MAX_NS;
}

/*
 * The usual case, in whole nanoseconds. A duration stays as CUPTI gives it, because CUPTI sees the
 * device's own clock.
 */
static bool place_own(const struct gpu_moment *moment, uint64_t start, uint64_t end,
		      int64_t *ret_ago_ns, uint64_t *ret_duration_ns)
{
	uint64_t now = moment->clock[GPU_CLOCK_CUPTI].stamp, latest = now + FUTURE_MAX_NS;

	if (start > latest || end > latest || latest - start > (uint64_t)PAST_MAX_NS)
		return false;
	*ret_ago_ns = (int64_t)(now - start);
	if (__builtin_expect(moment->drift != 0, 0))
		*ret_ago_ns += (int64_t)((double)*ret_ago_ns * (double)moment->drift / 1e9);
	*ret_duration_ns = end - start;
	return true;
}

bool gpu_moment_place(const struct gpu_moment *moment, uint64_t start, uint64_t end,
		      int64_t *ret_ago_ns, uint64_t *ret_duration_ns)
{
	if (!start || end < start)
		return false;
	if (moment->clock[GPU_CLOCK_THEIRS].ns_per_unit == 0)
		return place_own(moment, start, end, ret_ago_ns, ret_duration_ns);
	for (unsigned int i = GPU_CLOCKS; i-- > 0;) {
		double rate = moment->clock[i].ns_per_unit;
		double since_start = since(moment->clock[i].stamp, start, rate);
		double since_end = since(moment->clock[i].stamp, end, rate);

		if (rate == 0 || !is_sensible(since_start) || !is_sensible(since_end))
			continue;
		*ret_ago_ns = rate == 1 ? (int64_t)(moment->clock[i].stamp - start)
					: (int64_t)since_start;
		*ret_duration_ns = rate == 1 ? end - start
					     : (uint64_t)((double)(end - start) * rate + 0.5);
		return true;
	}
	return false;
}

void gpu_clock_prepare(cupti_result (*timestamp)(uint64_t *))
{
	if (!gpu_clock_theirs())
		(void)gpu_clock_look(&own_last, timestamp, NULL);
}

void gpu_clock_follow(cupti_timestamp_function *other)
{
	(void)gpu_clock_look(&theirs_first, NULL, other);
	atomic_store_explicit(&theirs, other, memory_order_release);
}
