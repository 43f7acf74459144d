/* SPDX-License-Identifier: MIT */
/*
 * A fact is recorded at once. If the gates are shut, it goes into a short array with its time, and
 * facts_tell() records it when they open.
 */
#include "preload/python/facts.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "preload/record/event.h"
#include "preload/record/names.h"
#include "preload/record/recorder.h"

struct fact {
	const struct name *key, *value;
	uint64_t ticks;
};

static struct fact waiting[FACTS_WAITING_MAX];
static _Atomic unsigned int waiting_count;

/* `since` 0: now. */
static bool record_fact(const struct string *key, const struct string *value, uint64_t since)
{
	uint64_t now = recorder_now();
	const struct recorder_field field[] = {
		{ .text = key },
		{ .text = value },
		{ .number = since && now > since ? now - since : 0 },
	};

	return recorder_record(RECORDER_ANY, EVT_fact, field, 3);
}

/*
 * Only one thread writes, because it holds the GIL. Raising the count publishes the entry to other
 * threads.
 */
void facts_put(const struct string *key, const struct string *value)
{
	unsigned int count = atomic_load(&waiting_count);

	if (record_fact(key, value, 0) || count >= FACTS_WAITING_MAX)
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

		(void)record_fact(&key, &value, waiting[i].ticks);
	}
}
