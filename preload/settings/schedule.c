/* SPDX-License-Identifier: MIT */
/*
 * Keys are a table of names and offsets into struct schedule; each may be given once. A division
 * gives a step's position in its cycle, which determines what the step does.
 */
#include "preload/settings/schedule.h"

#include <stddef.h>
#include <string.h>

#include "preload/base/parse.h"

/* limit for numbers, so that their sums and products do not overflow */
#define NUMBER_MAX 1000000000u
#define VALUE_BYTES 16u

static const struct {
	const char *name;
	size_t offset;
} keys[] = {
#define KEY(name)                                      \
	{                                              \
#name, offsetof(struct schedule, name) \
	}
	KEY(wait), KEY(warmup), KEY(active), KEY(repeat), KEY(skip_first), KEY(skip_first_wait),
#undef KEY
};

#define KEY_COUNT (sizeof(keys) / sizeof(keys[0]))

/* Parses one "name=number" of `length` bytes. `seen` has a bit for each key. */
static bool schedule_take(struct schedule *schedule, const char *text, size_t length,
			  unsigned int *seen)
{
	const char *equals = memchr(text, '=', length);
	char value[VALUE_BYTES];
	size_t name_length, value_length;

	if (!equals)
		return false;
	name_length = (size_t)(equals - text);
	value_length = length - name_length - 1;
	if (value_length >= sizeof(value))
		return false;
	memcpy(value, equals + 1, value_length);
	value[value_length] = 0;
	for (size_t i = 0; i < KEY_COUNT; i++) {
		if (strlen(keys[i].name) != name_length ||
		    memcmp(keys[i].name, text, name_length) != 0)
			continue;
		if (*seen & 1u << i)
			return false;
		*seen |= 1u << i;
		return parse_number(value, NUMBER_MAX,
				    (unsigned int *)((char *)schedule + keys[i].offset));
	}
	return false;
}

bool schedule_parse(const char *text, struct schedule *ret_schedule)
{
	struct schedule schedule = { 0 };
	unsigned int seen = 0;

	for (;;) {
		size_t length = strcspn(text, ",");

		if (!schedule_take(&schedule, text, length, &seen))
			return false;
		if (!text[length])
			break;
		text += length + 1;
	}
	if (!schedule.active)
		return false;
	*ret_schedule = schedule;
	return true;
}

enum schedule_action schedule_action(const struct schedule *schedule, uint64_t step)
{
	uint64_t cycle = (uint64_t)schedule->wait + schedule->warmup + schedule->active;
	uint64_t at;

	if (step < schedule->skip_first)
		return SCHEDULE_NONE;
	step -= schedule->skip_first;
	if (schedule->skip_first_wait)
		step += schedule->wait;
	if (schedule->repeat && step / cycle >= schedule->repeat)
		return SCHEDULE_NONE;
	at = step % cycle;
	if (at < schedule->wait)
		return SCHEDULE_NONE;
	if (at < (uint64_t)schedule->wait + schedule->warmup)
		return SCHEDULE_WARMUP;
	return at < cycle - 1 ? SCHEDULE_RECORD : SCHEDULE_RECORD_AND_SAVE;
}
