/* SPDX-License-Identifier: MIT */
/*
 * Both clocks are read together once per buffer (gpu_clock.h). The record's event says how long ago
 * its work began.
 */
#include "preload/gpu/gpu_records.h"

#include <stdatomic.h>
#include <string.h>

#include "preload/gpu/gpu_clock.h"
#include "preload/gpu/gpu_device.h"
#include "preload/gpu/gpu_windows.h"
#include "preload/record/recorder.h"
#include "preload/record/strings.h"

#define FIELDS(event) (sizeof(struct evt_##event) / sizeof(uint64_t))
#define AT(event, field) (offsetof(struct evt_##event, field) / sizeof(uint64_t))
#define PUT(event, field_, value) (r->field[AT(event, field_)] = (uint64_t)(value))
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

static void event_put(struct gpu_record *r, const struct gpu_moment *moment, int64_t ago_ns)
{
	struct recorder_lane *lane = recorder_enter(RECORDER_LATE, RECORDER_IN_RECORD);
	uint64_t ticks;

	if (!lane)
		return;
	if (r->event == EVT_gpu_kernel)
		PUT(gpu_kernel, kernel, name_put(r->name, lane));
	ticks = clock_ticks();
	/* the first field of all these events */
	r->field[0] = (uint64_t)(ago_ns + (int64_t)((double)(int64_t)(ticks - moment->ticks) *
						    moment->ns_per_tick));
	(void)recorder_put(lane, r->event, ticks - recorder_base, r->field, r->fields);
	if (r->node) {
		const uint64_t node[] = { r->correlation, r->node };

		(void)recorder_put(lane, EVT_gpu_node, ticks - recorder_base, node,
				   FIELDS(gpu_node));
	}
	recorder_leave(lane);
}

_Static_assert(AT(gpu_kernel, duration_ns) == 1 && AT(gpu_copy, duration_ns) == 1 &&
		       AT(gpu_set, duration_ns) == 1 && AT(gpu_wait, duration_ns) == 1 &&
		       AT(gpu_overhead, duration_ns) == 1 && AT(gpu_graph, duration_ns) == 1 &&
		       AT(gpu_kernel, ago_ns) == 0 && AT(gpu_memory, ago_ns) == 0 &&
		       AT(gpu_pool, ago_ns) == 0,
	       "all begin with their times");

/*
 * At most once a second: shows in the file how far the clocks are apart, and how that was
 * corrected.
 */
static void clock_put(const struct gpu_moment *moment)
{
	static _Atomic uint64_t told;
	uint64_t last = atomic_load(&told);
	struct recorder_lane *lane;
	uint64_t field[FIELDS(gpu_clock)] = {
		moment->clock[GPU_CLOCK_CUPTI].stamp,
		(uint64_t)((double)moment->apart_ticks * moment->ns_per_tick),
		(uint64_t)moment->drift,
	};

	if (moment->clock[GPU_CLOCK_THEIRS].ns_per_unit != 0 ||
	    (last && (double)(int64_t)(moment->ticks - last) * moment->ns_per_tick < 1e9) ||
	    !atomic_compare_exchange_strong(&told, &last, moment->ticks))
		return;
	lane = recorder_enter(RECORDER_LATE, RECORDER_IN_RECORD);
	if (!lane)
		return;
	(void)recorder_put(lane, EVT_gpu_clock, moment->ticks - recorder_base, field,
			   FIELDS(gpu_clock));
	recorder_leave(lane);
}

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
	uint64_t strange = 0, unfinished = 0, duration_ns;
	struct gpu_moment moment;
	void *record = NULL;
	struct gpu_record r;
	bool is_timed = gpu_moment_look(&moment, timestamp);
	int64_t ago_ns;

	if (is_timed)
		clock_put(&moment);
	while (next(buffer, valid_bytes, &record) == CUPTI_OK) {
		size_t at = (size_t)((uint8_t *)record - buffer);

		if (at >= valid_bytes || !gpu_record_read(record, valid_bytes - at, &r)) {
			strange++;
			break; /* nothing after this record can be trusted */
		}
		if (!r.event)
			continue;
		if (r.event == EVT_gpu_device) {
			gpu_device_put(record);
			continue;
		}
		if (!r.end_ns) {
			unfinished++;
			continue;
		}
		if (!is_timed ||
		    !gpu_moment_place(&moment, r.start_ns, r.end_ns, &ago_ns, &duration_ns)) {
			strange++;
			continue;
		}
		if (r.event != EVT_gpu_memory && r.event != EVT_gpu_pool)
			r.field[1] = duration_ns;
		event_put(&r, &moment, ago_ns);
	}
	gpu_lost(strange, EVT_GPU_LOST_STRANGE);
	if (gpu_windows_count()) /* behind a window the queue need not be empty */
		gpu_lost(unfinished, EVT_GPU_LOST_UNFINISHED);
}
