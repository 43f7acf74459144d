/* SPDX-License-Identifier: MIT */
/*
 * Texts are sent before space is taken for the record that names them, because both go into one
 * ring.
 */
#include "preload/record/event.h"

/*
 * The event numbers in files of the events in blocks. The last element belongs to no event: C has
 * no empty arrays.
 */
static const uint16_t block_numbers[EVT_BLOCK_ORDER_LIMIT + 1] = {
#define EVENT_IN_BLOCK(n, name, family, doc) \
	[EVT_BLOCK_ORDER_##name] = EVT_BLOCK_##family * EVT_BLOCK_NUMBERS + (n),
#include "collector/format/events.def"
};

uint32_t recorder_number_in_block(enum evt_id id)
{
	return block_numbers[id - EVT_ID_BLOCKS];
}

static struct recorder_lane *enter(enum evt_family family)
{
	struct recorder_lane *lane = NULL;

	if (family != RECORDER_ANY)
		return recorder_enter(family, RECORDER_IN_RECORD);
	for (unsigned int any = 0; any < EVT_FAMILY_LIMIT && !lane; any++)
		lane = recorder_enter(any, RECORDER_IN_RECORD);
	return lane;
}

static bool record_on(struct recorder_lane *lane, uint32_t type, const struct recorder_field *field,
		      unsigned int fields)
{
	uint64_t value[EVT_FIELDS_MAX], ticks;
	bool put;

	if (!lane)
		return false;
	ticks = recorder_now();
	for (unsigned int i = 0; i < fields; i++)
		value[i] = field[i].text ? string_id(field[i].text, lane) : field[i].number;
	put = type < EVT_ID_BLOCKS ? recorder_put(lane, type, ticks, value, fields)
				   : recorder_put_in_block(lane, recorder_number_in_block(type),
							   ticks, value, fields);
	recorder_leave(lane);
	return put;
}

bool recorder_record(enum evt_family family, uint32_t type, const struct recorder_field *field,
		     unsigned int fields)
{
	return record_on(enter(family), type, field, fields);
}

bool recorder_record_late(uint32_t type, const struct recorder_field *field, unsigned int fields)
{
	return record_on(recorder_enter(RECORDER_LATE, RECORDER_IN_RECORD), type, field, fields);
}
