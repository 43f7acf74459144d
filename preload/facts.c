/* SPDX-License-Identifier: MIT */
/* See facts.h. */
#include "preload/facts.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "preload/capture.h"
#include "preload/names.h"
#include "preload/recorder.h"

struct fact {
	const struct name *key, *value;
	uint64_t ticks;
};

static struct fact waiting[FACTS_WAITING_MAX];
static _Atomic unsigned int waiting_count;

/* `since` 0: now. */
static bool record(const struct string *key, const struct string *value, uint64_t since)
{
	struct recorder_lane *lane = capture_lane();
	uint64_t field[3], now;

	if (!lane)
		return false;
	now = recorder_now();
	field[0] = string_id(key, lane);
	field[1] = string_id(value, lane);
	field[2] = since && now > since ? now - since : 0;
	(void)recorder_put(lane, EVT_fact, now, field, 3);
	recorder_leave(lane);
	return true;
}

/* One thread puts, with the GIL; the count makes what is there known to others. */
void facts_put(const struct string *key, const struct string *value)
{
	unsigned int count = atomic_load(&waiting_count);

	if (record(key, value, 0) || count >= FACTS_WAITING_MAX)
		return;
	waiting[count] = (struct fact){ name_make(key), name_make(value), recorder_now() };
	atomic_store(&waiting_count, count + 1);
}

void facts_tell(void)
{
	unsigned int count = atomic_exchange(&waiting_count, 0);

	for (unsigned int i = 0; i < count; i++) {
		struct string key = name_string(waiting[i].key),
			      value = name_string(waiting[i].value);

		(void)record(&key, &value, waiting[i].ticks);
	}
}
