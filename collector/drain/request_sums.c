/* SPDX-License-Identifier: MIT */
/* Rows are searched from the last one found: methods of a process are few. */
#include "collector/drain/request_sums.h"

#include <stdlib.h>

#include "collector/core/restate.h"

#define ROOM_FIRST 8u

void request_sums_release(struct request_sums *sums)
{
	free(sums->sum);
	*sums = (struct request_sums){ 0 };
}

static struct request_sum *request_sum_add(struct request_sums *sums)
{
	uint32_t room = sums->room ? sums->room * 2 : ROOM_FIRST;
	struct request_sum *grown;

	if (sums->count < sums->room)
		return &sums->sum[sums->count++];
	grown = room > REQUEST_SUMS_MAX ? NULL : realloc(sums->sum, room * sizeof(*grown));
	if (!grown) {
		sums->is_partial = true;
		return NULL;
	}
	sums->sum = grown;
	sums->room = room;
	return &sums->sum[sums->count++];
}

void request_sums_take(struct request_sums *sums, const struct standing_event *event)
{
	const struct evt_request_begin *begin = (const void *)event->value;
	struct request_sum *sum = NULL;

	for (uint32_t i = 0; i < sums->count && !sum; i++)
		if (sums->sum[i].process == event->process && sums->sum[i].method == begin->method)
			sum = &sums->sum[i];
	if (!sum) {
		sum = request_sum_add(sums);
		if (!sum)
			return;
		*sum = (struct request_sum){ .process = event->process, .method = begin->method };
	}
	if (!sum->now.count++ || event->time_ns < sum->now.first_ns)
		sum->now.first_ns = event->time_ns;
}

static struct request_count request_count_all(const struct request_sum *sum)
{
	struct request_count all = sum->before.count ? sum->before : sum->now;

	all.count = sum->before.count + sum->now.count;
	return all;
}

static bool request_sum_put(const struct request_sum *sum, struct request_count of,
			    uint64_t time_ns, struct frame_writer *fw)
{
	const struct evt_request_sum event = { .process = sum->process,
					       .method = sum->method,
					       .count = of.count,
					       .first_ago_ns = (int64_t)(time_ns - of.first_ns) };

	return frame_block_room(fw) &&
	       !frame_put(fw, EVT_request_sum, time_ns, (const uint64_t *)&event);
}

bool request_sums_write_segment(const struct request_sums *sums, uint64_t time_ns,
				struct frame_writer *fw)
{
	bool fits = true;

	frame_begin_block(fw, 0);
	for (uint32_t i = 0; i < sums->count && fits; i++)
		if (sums->sum[i].now.count)
			fits = request_sum_put(&sums->sum[i], sums->sum[i].now, time_ns, fw);
	frame_end_block(fw);
	return fits && !sums->is_partial;
}

bool request_sums_write_all(const struct request_sums *sums, uint64_t time_ns, struct names *names,
			    struct frame_writer *fw)
{
	bool fits = true;

	frame_begin_block(fw, 0);
	for (uint32_t i = 0; i < sums->count && fits; i++) {
		const struct evt_request_sum event = { .method = sums->sum[i].method };

		fits = restate_names(names, fw, EVT_request_sum, (const uint64_t *)&event);
	}
	frame_end_block(fw);
	frame_begin_block(fw, 0); /* its times are later than those of names */
	for (uint32_t i = 0; i < sums->count && fits; i++)
		fits = request_sum_put(&sums->sum[i], request_count_all(&sums->sum[i]), time_ns,
				       fw);
	frame_end_block(fw);
	return fits;
}

void request_sums_turn(struct request_sums *sums, bool (*lives)(const void *, uint32_t process),
		       const void *context)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < sums->count; i++) {
		struct request_sum *sum = &sums->sum[i];

		if (!lives(context, sum->process))
			continue;
		sum->before = request_count_all(sum);
		sum->now.count = 0;
		sums->sum[count++] = *sum;
	}
	sums->count = count;
}
