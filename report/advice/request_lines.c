/* SPDX-License-Identifier: MIT */
/*
 * A sample stands for looks up to its time, so a request is counted when the next sample of its
 * thread has come. The looks of a thread are kept in a ring: a request that is longer than the ring
 * has the latest ones only.
 */
#include "report/advice/request_lines.h"

#include <stdlib.h>
#include <sys/syscall.h>

#include "report/base/map.h"
#include "report/base/memory.h"
#include "report/options/keys.h"
#include "report/requests/request_events.h"

#define RING 1024u /* looks of a thread that are kept */
#define ENDED_MAX 8192u

struct kept_look {
	struct look_event look;
	uint64_t place;
};

struct ended_request {
	uint64_t from_ns, to_ns;
	uint32_t group, bucket;
};

struct lines_thread {
	struct kept_look *ring;
	uint64_t taken; /* looks that were put into the ring */
	struct ended_request *ended;
	size_t count, room;
};

struct request_lines_state {
	struct request_lines lines; /* must be first: others see only this part */
	struct map groups, places;
	struct request_looks looks;
	struct lines_thread *thread; /* by index */
	size_t thread_room;
};

static struct lines_thread *lines_thread_at(struct request_lines_state *mine, uint32_t thread)
{
	mine->thread = memory_room(mine->thread, thread, &mine->thread_room, sizeof(*mine->thread));
	return &mine->thread[thread];
}

/* --- what ended --- */

static void request_lines_add(struct request_lines_state *mine, const struct ended_request *ended,
			      const struct kept_look *kept, uint64_t looks)
{
	const uint64_t words[] = { (uint64_t)ended->group << 32 | ended->bucket, kept->look.of,
				   kept->place };
	struct request_lines *lines = &mine->lines;
	bool added;
	struct map_entry *entry = map_put(&mine->places, map_hash_bytes(words, sizeof(words), 0),
					  &added);

	if (added) {
		lines->place = memory_room(lines->place, lines->place_count, &lines->place_room,
					   sizeof(*lines->place));
		lines->place[lines->place_count] = (struct request_place){
			.group = ended->group,
			.bucket = ended->bucket,
			.of = kept->look.of,
			.place = kept->place,
		};
		entry->value = lines->place_count++;
	}
	lines->place[entry->value].looks += looks;
	lines->group[ended->group].bucket[ended->bucket].looks += looks;
}

static void request_lines_settle(struct request_lines_state *mine, struct lines_thread *thread)
{
	for (size_t i = 0; i < thread->count; i++) {
		const struct ended_request *ended = &thread->ended[i];
		uint64_t oldest = thread->taken > RING ? thread->taken - RING : 0;

		for (uint64_t at = thread->taken; at > oldest; at--) {
			const struct kept_look *kept = &thread->ring[(at - 1) % RING];
			uint64_t looks = look_event_within(&kept->look, ended->from_ns,
							   ended->to_ns);

			if (looks)
				request_lines_add(mine, ended, kept, looks);
			if (kept->look.time_ns <= ended->from_ns)
				break;
		}
	}
	thread->count = 0;
}

static uint32_t request_lines_group(struct request_lines_state *mine, const struct request_key *key)
{
	struct request_lines *lines = &mine->lines;
	uint64_t id = ((uint64_t)key->method << 32 | key->endpoint) + 1;
	struct map_entry *entry = map_find(&mine->groups, id);
	bool added;

	if (entry)
		return (uint32_t)entry->value;
	if (lines->group_count == REQUEST_GROUPS_MAX)
		return REQUEST_GROUPS_MAX;
	lines->group = memory_room(lines->group, lines->group_count, &lines->group_room,
				   sizeof(*lines->group));
	lines->group[lines->group_count] = (struct request_group){ .method = key->method,
								   .endpoint = key->endpoint };
	entry = map_put(&mine->groups, id, &added);
	entry->value = lines->group_count++;
	return (uint32_t)entry->value;
}

static void request_lines_count_for(uint64_t **counts, size_t *room, uint32_t index)
{
	*counts = memory_room(*counts, index, room, sizeof(**counts));
	(*counts)[index]++;
}

static void request_lines_take_request(void *state, const struct request_key *key,
				       const struct source_thread *ended_by, uint64_t end_ns)
{
	struct request_lines_state *mine = state;
	uint32_t at = request_lines_group(mine, key);
	uint64_t ns = end_ns - key->start_ns;
	struct lines_thread *thread = lines_thread_at(mine, key->thread);
	struct request_group *group;
	struct ended_request ended;

	(void)ended_by;
	if (!mine->lines.first_ns || key->start_ns < mine->lines.first_ns)
		mine->lines.first_ns = key->start_ns;
	if (end_ns > mine->lines.last_ns)
		mine->lines.last_ns = end_ns;
	request_lines_count_for(&mine->lines.received, &mine->lines.received_room, key->thread);
	request_lines_count_for(&mine->lines.answered, &mine->lines.answered_room, key->worker);
	if (at == REQUEST_GROUPS_MAX)
		return;
	ended = (struct ended_request){ key->start_ns, end_ns, at, request_bucket_of(ns) };
	group = &mine->lines.group[at];
	group->count++;
	group->total_ns += ns;
	group->bucket[ended.bucket].count++;
	group->bucket[ended.bucket].total_ns += ns;
	if (thread->count == ENDED_MAX)
		return;
	thread->ended = memory_room(thread->ended, thread->count, &thread->room,
				    sizeof(*thread->ended));
	thread->ended[thread->count++] = ended;
}

/* --- samples --- */

static void request_lines_take_sample(void *state, const struct source_event *event, bool counts)
{
	struct request_lines_state *mine = state;
	const struct evt_python_sample *sample = EVENT_AS(python_sample, &event->event);
	struct lines_thread *thread = lines_thread_at(mine, event->thread->index);
	struct kept_look kept = { .place = sample_place_key(event, sample->place) };

	(void)counts;
	if (request_looks_read(&mine->looks, event, &kept.look)) {
		if (sample->state == EVT_PYTHON_READY || sample->call == SYS_fsync + 1 ||
		    sample->call == SYS_fdatasync + 1)
			kept.look.of = LOOK_OTHER;
		if (!thread->ring)
			thread->ring = memory_zero(RING, sizeof(*thread->ring));
		thread->ring[thread->taken++ % RING] = kept;
	}
	request_lines_settle(mine, thread);
}

static void request_lines_start(void *state, struct run *run, const void *options)
{
	struct request_lines_state *mine = state;

	(void)options;
	map_init(&mine->groups);
	map_init(&mine->places);
	mine->lines.requests = requests_want(
		run, &(struct requests_options){ .by = BY_requests_endpoint,
						 .take = request_lines_take_request,
						 .context = mine });
	mine->lines.samples = samples_want(run, &(struct samples_options){ .by = BY_lines_line });
	run_reads(run, EVT_python_sample, FIELDS_ALL, request_lines_take_sample, mine);
	run_seeks(run, mine);
}

static void request_lines_release(void *state)
{
	struct request_lines_state *mine = state;

	for (size_t i = 0; i < mine->thread_room; i++) {
		free(mine->thread[i].ring);
		free(mine->thread[i].ended);
	}
	free(mine->thread);
	free(mine->lines.received);
	free(mine->lines.answered);
	free(mine->lines.group);
	free(mine->lines.place);
	request_looks_release(&mine->looks);
	map_release(&mine->groups);
	map_release(&mine->places);
}

const struct analysis_kind analysis_request_lines = {
	.name = "request_lines",
	.state_bytes = sizeof(struct request_lines_state),
	.options_bytes = sizeof(struct request_lines_options),
	.start = request_lines_start,
	.release = request_lines_release,
};

/* --- sums --- */

uint64_t request_lines_looks(const struct request_lines *lines)
{
	uint64_t looks = 0;

	for (size_t i = 0; i < lines->place_count; i++)
		looks += lines->place[i].looks;
	return looks;
}

uint64_t request_lines_total_ns(const struct request_lines *lines)
{
	uint64_t total_ns = 0;

	for (size_t i = 0; i < lines->group_count; i++)
		total_ns += lines->group[i].total_ns;
	return total_ns;
}

uint64_t request_lines_count(const struct request_lines *lines)
{
	uint64_t count = 0;

	for (size_t i = 0; i < lines->group_count; i++)
		count += lines->group[i].count;
	return count;
}
