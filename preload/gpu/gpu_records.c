/* SPDX-License-Identifier: MIT */
/*
 * See gpu_records.h. The two clocks are looked at together once a buffer: CUPTI's by its own function, between two
 * looks at ours. Both run in true nanoseconds, so the record's event says how long ago its work began.
 */
#include "preload/gpu/gpu_records.h"

#include <string.h>

#include "preload/record/recorder.h"
#include "preload/record/strings.h"

#define FIELDS(event) (sizeof(struct evt_##event) / sizeof(uint64_t))
#define AT(event, field) (offsetof(struct evt_##event, field) / sizeof(uint64_t))
#define PUT(event, field_, value) (r->field[AT(event, field_)] = (uint64_t)(value))
/* --- clocks --- */

/* Both clocks at one moment. */
struct moment {
	uint64_t ticks, cupti_ns;
	double ns_per_tick;
};

#define MOMENT_LOOKS 4u

/* Ours since the first buffer, against the kernel's: a batch takes milliseconds, and a millionth of them is nothing. */
static double tick_rate(uint64_t ticks)
{
	static _Atomic uint64_t first_ticks, first_ns;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC), none = 0;

	if (!clock_is_tsc)
		return 1;
	if (atomic_compare_exchange_strong(&first_ns, &none, now_ns))
		atomic_store(&first_ticks, ticks);
	if (now_ns - atomic_load(&first_ns) < 1000000 || !atomic_load(&first_ticks))
		return 0; /* not known yet: as good as no time that passes */
	return (double)(now_ns - atomic_load(&first_ns)) /
	       (double)(ticks - atomic_load(&first_ticks));
}

/* The look that took least. */
static bool moment_look(struct moment *moment, cupti_result (*timestamp)(uint64_t *))
{
	uint64_t best = UINT64_MAX;

	for (unsigned int i = 0; i < MOMENT_LOOKS; i++) {
		uint64_t before = clock_ticks(), cupti_ns, after;

		if (timestamp(&cupti_ns))
			return false;
		after = clock_ticks();
		if (after - before >= best)
			continue;
		best = after - before;
		moment->ticks = before + best / 2;
		moment->cupti_ns = cupti_ns;
	}
	moment->ns_per_tick = tick_rate(moment->ticks);
	return true;
}

/* --- events --- */

static uint64_t name_put(const char *name, struct recorder_lane *lane)
{
	struct string_view view = { name, name ? strlen(name) : 0 };
	struct string text;

	if (view.length >= STRING_MARKED_MIN)
		return string_id_of(name, view, lane);
	text = string_of(name);
	return string_id(&text, lane);
}

static void event_put(struct gpu_record *r, const struct moment *moment)
{
	struct recorder_lane *lane = recorder_enter(RECORDER_LATE, RECORDER_IN_RECORD);
	uint64_t ticks, since_ns;

	if (!lane)
		return;
	if (r->event == EVT_gpu_kernel)
		PUT(gpu_kernel, kernel, name_put(r->name, lane));
	ticks = clock_ticks();
	since_ns = (uint64_t)((double)(int64_t)(ticks - moment->ticks) * moment->ns_per_tick);
	/* the first two fields of all of them */
	r->field[0] = moment->cupti_ns + since_ns - r->start_ns;
	r->field[1] = r->end_ns - r->start_ns;
	(void)recorder_put(lane, r->event, ticks - recorder_base, r->field, r->fields);
	recorder_leave(lane);
}

_Static_assert(AT(gpu_kernel, duration_ns) == 1 && AT(gpu_copy, duration_ns) == 1 &&
		       AT(gpu_set, duration_ns) == 1 && AT(gpu_wait, duration_ns) == 1 &&
		       AT(gpu_overhead, duration_ns) == 1 && AT(gpu_kernel, ago_ns) == 0,
	       "all begin with their times");

void gpu_lost(uint64_t count, enum evt_gpu_lost_reason reason)
{
	const uint64_t field[] = { count, reason };
	struct recorder_lane *lane = count ? recorder_enter(RECORDER_LATE, RECORDER_IN_RECORD)
					   : NULL;

	if (!lane)
		return;
	(void)recorder_put(lane, EVT_gpu_lost, recorder_now(), field, FIELDS(gpu_lost));
	recorder_leave(lane);
}

void gpu_records_take(uint8_t *buffer, size_t valid_bytes,
		      cupti_result (*next)(uint8_t *, size_t, void **),
		      cupti_result (*timestamp)(uint64_t *))
{
	uint64_t strange = 0, unfinished = 0;
	struct moment moment = { 0 };
	void *record = NULL;
	struct gpu_record r;
	bool is_timed = moment_look(&moment, timestamp);

	while (next(buffer, valid_bytes, &record) == CUPTI_OK) {
		size_t at = (size_t)((uint8_t *)record - buffer);

		if (at >= valid_bytes || !gpu_record_read(record, valid_bytes - at, &r)) {
			strange++;
			break; /* and nothing behind it can be believed */
		}
		if (!r.event)
			continue;
		if (!r.end_ns)
			unfinished++;
		else if (!is_timed || r.end_ns < r.start_ns || !r.start_ns)
			strange++;
		else
			event_put(&r, &moment);
	}
	gpu_lost(strange, EVT_GPU_LOST_STRANGE);
	gpu_lost(unfinished, EVT_GPU_LOST_UNFINISHED);
}
