/* SPDX-License-Identifier: MIT */
/*
 * Turns ranges and marks into records; see nvtx.h. Each thread counts the depth of its push/pop
 * ranges per domain, which gives the level that a push or pop returns.
 */
#include "preload/nvtx/nvtx.h"

#include <stdatomic.h>

#include "preload/record/task.h"
#include "preload/record/thread_clock.h"
#include "preload/record/capture_asked.h"
#include "preload/requests/marks.h"
#include "preload/steps/capture_range.h"
#include "preload/steps/steps.h"

__thread struct nvtx_thread nvtx_self __attribute__((tls_model("initial-exec")));
_Static_assert(sizeof(struct nvtx_thread) <= 88, "TLS is scarce for late dlopen");

static _Atomic uint64_t nvtx_ranges; /* the last number given to a range */

/* --- what the program passed --- */

#define COVERS(attributes, field) \
	((attributes)->size >=    \
	 offsetof(struct nvtx_attributes, field) + sizeof((attributes)->field))

/* A 32-bit payload is the low half; the rest of the union is undefined. */
static uint64_t payload_bits(int32_t type, uint64_t payload)
{
	if (type == NVTX_PAYLOAD_UINT32 || type == NVTX_PAYLOAD_INT32 ||
	    type == NVTX_PAYLOAD_FLOAT32)
		return (uint32_t)payload;
	return payload;
}

void nvtx_event_read(struct nvtx_event *event, const void *domain,
		     const struct nvtx_attributes *attributes)
{
	*event = (struct nvtx_event){ .domain = domain };
	if (!attributes)
		return;
	if (COVERS(attributes, category))
		event->category = attributes->category;
	if (COVERS(attributes, color) && attributes->color_type == NVTX_COLOR_ARGB_BITS)
		event->color = attributes->color;
	if (COVERS(attributes, payload) && attributes->payload_type != NVTX_PAYLOAD_NONE) {
		event->payload_type = (uint32_t)attributes->payload_type;
		event->payload = payload_bits(attributes->payload_type, attributes->payload);
	}
	if (COVERS(attributes, message)) {
		event->message_type = (uint32_t)attributes->message_type;
		event->message = attributes->message;
	}
}

static inline struct string event_name(const struct nvtx_event *event)
{
	switch (event->message_type) {
	case NVTX_MESSAGE_TEXT:
		return string_of(event->message);
	case NVTX_MESSAGE_WIDE:
		return string_of_wide(event->message);
	case NVTX_MESSAGE_REGISTERED:
		return nvtx_name_string(event->message);
	default:
		return (struct string){ .hash = 0 };
	}
}

/* The default domain is NULL, and so is a handle that is not ours. */
static inline const struct name *domain_of(const void *handle)
{
	return handle ? nvtx_name_of(handle) : NULL;
}

static inline uint64_t domain_id(const struct name *domain, struct recorder_lane *lane)
{
	struct string name;

	if (!domain)
		return 0;
	name = (struct string){ .hash = domain->hash,
				.bytes = domain->text,
				.length = domain->length };
	return string_id(&name, lane);
}

/* --- depth of push and pop --- */

/* This thread's counter for the domain. NULL if it already follows NVTX_LEVELS domains. */
static inline struct nvtx_level *level_of(const struct name *domain)
{
	uint32_t key;

	if (!domain)
		return &nvtx_self.level[0];
	key = (uint32_t)domain->hash;
	for (unsigned int i = 1; i < NVTX_LEVELS; i++)
		if (nvtx_self.level[i].domain == key)
			return &nvtx_self.level[i];
	for (unsigned int i = 1; i < NVTX_LEVELS; i++)
		if (nvtx_self.level[i].depth == 0) {
			nvtx_self.level[i].domain = key;
			nvtx_self.level[i].captures = 0;
			return &nvtx_self.level[i];
		}
	return NULL;
}

/*
 * The level for capture ranges and steps. If tasks are known, it is that of the task that the
 * thread runs.
 */
static inline struct nvtx_level *counted_level(struct nvtx_level *level, bool begins)
{
	struct nvtx_level *own = NULL;

	if (__builtin_expect(capture_range_nvtx || steps_named || marks_of_labels, 0) && level &&
	    atomic_load_explicit(&task_thread, memory_order_relaxed))
		own = nvtx_task_level(level, begins);
	return own ? own : level;
}

/* --- recording --- */

static inline void record_push(const struct nvtx_event *event, const struct name *domain,
			       struct recorder_lane *lane)
{
	struct string name = event_name(event);
	uint64_t field[6], ticks;

	field[1] = string_id(&name, lane);
	field[0] = domain_id(domain, lane);
	ticks = thread_clock_edge(lane, recorder_now());
	task_look_for_generator(lane, ticks);
	if (!(event->category | event->color | event->payload_type)) {
		(void)recorder_put(lane, EVT_nvtx_push, ticks, field, 2);
		return;
	}
	field[2] = event->category;
	field[3] = event->color;
	field[4] = event->payload_type;
	field[5] = event->payload;
	(void)recorder_put(lane, EVT_nvtx_push_ex, ticks, field, 6);
}

/* For steps.h, unique while the range is open: a level belongs to one thread. */
static inline uint64_t level_key(const struct nvtx_level *level, bool is_task)
{
	uint16_t number = is_task ? nvtx_task_number(level) : (uint16_t)(level->depth + 1);

	return (uint64_t)(uintptr_t)level | (uint64_t)number << 48;
}

static inline uint64_t range_key(uint64_t range)
{
	return 1ull << 63 | range << 1;
}

static void step_begins(uint64_t key, const struct nvtx_event *event)
{
	struct string name = event_name(event);

	steps_begin(key, &name);
}

static void mark_begins(uint64_t key, const struct nvtx_event *event)
{
	struct string name = event_name(event);

	marks_begin_label(key, &name);
}

static void range_ends(uint64_t key)
{
	if (atomic_load_explicit(&steps_open, memory_order_relaxed))
		steps_end(key);
	if (atomic_load_explicit(&marks_open, memory_order_relaxed))
		marks_end(key, false);
}

/* A step or a request may be open. */
static inline bool range_may_end(void)
{
	return atomic_load_explicit(&steps_open, memory_order_relaxed) |
	       atomic_load_explicit(&marks_open, memory_order_relaxed);
}

/* A capture range opens recording before its own push is recorded. */
static bool push_captures(const struct nvtx_event *event, const struct nvtx_level *level)
{
	if (!level || (uint32_t)level->depth >= NVTX_CAPTURE_LEVELS || !nvtx_capture_matches(event))
		return false;
	capture_range_open();
	return true;
}

int nvtx_push(const struct nvtx_event *event)
{
	const struct name *domain;
	struct recorder_lane *lane;
	struct nvtx_level *level, *counted;
	uint64_t key;

	if (nvtx_self.inside)
		return NVTX_LEVEL_UNTRACKED;
	capture_asked_look();
	domain = domain_of(event->domain);
	level = level_of(domain);
	counted = counted_level(level, true);
	if (counted != level)
		nvtx_task_push(counted);
	if (__builtin_expect(capture_range_nvtx, 0) && push_captures(event, counted))
		counted->captures |= 1ull << counted->depth;
	key = counted ? level_key(counted, counted != level) : 0;
	if (__builtin_expect(steps_named, 0) && counted)
		step_begins(key, event);
	if (counted != level)
		counted->depth++;
	lane = recorder_enter(EVT_FAMILY_nvtx, RECORDER_IN_RECORD);
	if (lane) {
		record_push(event, domain, lane);
		recorder_leave(lane);
	}
	if (__builtin_expect(marks_of_labels, 0) && counted)
		mark_begins(key, event);
	return level ? level->depth++ : NVTX_LEVEL_UNTRACKED;
}

static bool level_pop(struct nvtx_level *level)
{
	uint64_t bit = (uint32_t)--level->depth < NVTX_CAPTURE_LEVELS ? 1ull << level->depth : 0;
	bool captured = level->captures & bit;

	level->captures &= ~bit;
	return captured;
}

int nvtx_pop(const void *handle)
{
	const struct name *domain;
	struct recorder_lane *lane;
	struct nvtx_level *level, *counted;

	if (nvtx_self.inside)
		return NVTX_LEVEL_UNTRACKED;
	domain = domain_of(handle);
	lane = recorder_enter(EVT_FAMILY_nvtx, RECORDER_IN_RECORD);
	if (lane) {
		uint64_t ticks = thread_clock_edge(lane, recorder_now());
		uint64_t field = domain_id(domain, lane);

		task_look_for_generator(lane, ticks);
		(void)recorder_put(lane, EVT_nvtx_pop, ticks, &field, 1);
		recorder_leave(lane);
	}
	level = level_of(domain);
	if (!level)
		return NVTX_LEVEL_UNTRACKED;
	if (level->depth == 0)
		return NVTX_LEVEL_ERROR;
	counted = counted_level(level, false);
	if (counted != level) {
		nvtx_task_choose(counted);
		level->depth--;
	}
	if (level_pop(counted))
		capture_range_close();
	if (__builtin_expect(range_may_end(), 0))
		range_ends(level_key(counted, counted != level));
	if (counted != level && !counted->depth)
		nvtx_task_level_end(counted);
	return level->depth;
}

uint64_t nvtx_start(const struct nvtx_event *event, uint64_t range)
{
	struct recorder_lane *lane;

	if (!range)
		range = atomic_fetch_add_explicit(&nvtx_ranges, 1, memory_order_relaxed) + 1;
	if (nvtx_self.inside)
		return range;
	if (__builtin_expect(capture_range_nvtx, 0) && nvtx_capture_matches(event))
		capture_range_open_key(range);
	if (__builtin_expect(steps_named, 0))
		step_begins(range_key(range), event);
	lane = recorder_enter(EVT_FAMILY_nvtx, RECORDER_IN_RECORD);
	if (lane) {
		struct string name = event_name(event);
		uint64_t id = string_id(&name, lane);
		const uint64_t field[7] = { domain_id(domain_of(event->domain), lane),
					    id,
					    range,
					    event->category,
					    event->color,
					    event->payload_type,
					    event->payload };

		(void)recorder_put(lane, EVT_nvtx_start, recorder_now(), field, 7);
		recorder_leave(lane);
	}
	if (__builtin_expect(marks_of_labels, 0))
		mark_begins(range_key(range), event);
	return range;
}

void nvtx_end(const void *handle, uint64_t range)
{
	struct recorder_lane *lane;

	if (nvtx_self.inside)
		return;
	lane = recorder_enter(EVT_FAMILY_nvtx, RECORDER_IN_RECORD);
	if (lane) {
		uint64_t ticks = recorder_now();
		const uint64_t field[2] = { domain_id(domain_of(handle), lane), range };

		(void)recorder_put(lane, EVT_nvtx_end, ticks, field, 2);
		recorder_leave(lane);
	}
	if (__builtin_expect(capture_range_nvtx, 0))
		capture_range_close_key(range);
	if (__builtin_expect(range_may_end(), 0))
		range_ends(range_key(range));
}

void nvtx_mark(const struct nvtx_event *event)
{
	struct recorder_lane *lane;

	if (nvtx_self.inside)
		return;
	lane = recorder_enter(EVT_FAMILY_nvtx, RECORDER_IN_RECORD);
	if (lane) {
		uint64_t ticks = recorder_now();
		struct string name = event_name(event);
		uint64_t id = string_id(&name, lane);
		const uint64_t field[6] = { domain_id(domain_of(event->domain), lane),
					    id,
					    event->category,
					    event->color,
					    event->payload_type,
					    event->payload };

		(void)recorder_put(lane, EVT_nvtx_mark, ticks, field, 6);
		recorder_leave(lane);
	}
}
