/* SPDX-License-Identifier: MIT */
/* When processes serve, see serving_time.h. */
#include "report/advice/serving_time.h"

#include <stdlib.h>

#include "report/base/memory.h"
#include "report/samples/sample_events.h"

static struct serving_process *serving_time_at(struct serving_time *time, uint32_t process)
{
	time->process = memory_room(time->process, process, &time->process_room,
				    sizeof(*time->process));
	return &time->process[process];
}

void serving_time_release(struct serving_time *time)
{
	free(time->process);
}

void serving_time_begin(struct serving_time *time, uint32_t process, uint64_t now_ns)
{
	struct serving_process *at = serving_time_at(time, process);

	if (!at->asked_ns)
		at->asked_ns = now_ns;
	if (!time->first_ns)
		time->first_ns = now_ns;
	time->last_ns = now_ns;
	time->begun++;
}

void serving_time_end(struct serving_time *time, uint64_t now_ns)
{
	time->last_ns = now_ns;
	time->ended++;
}

void serving_time_add(struct serving_time *time, uint32_t process, uint64_t count,
		      uint64_t first_ns, uint64_t now_ns)
{
	struct serving_process *at = serving_time_at(time, process);

	if (!at->asked_ns || first_ns < at->asked_ns)
		at->asked_ns = first_ns;
	if (!time->first_ns || first_ns < time->first_ns)
		time->first_ns = first_ns;
	time->last_ns = now_ns > time->last_ns ? now_ns : time->last_ns;
	time->begun += count;
	time->ended += count;
}

void serving_time_resume(struct serving_time *time)
{
	time->ended--;
}

void serving_time_wait(struct serving_time *time, uint32_t process, uint64_t now_ns)
{
	struct serving_process *at = serving_time_at(time, process);

	if (!at->waited_ns)
		at->waited_ns = now_ns;
}

enum serving_stage serving_time_stage(struct serving_time *time, uint32_t process)
{
	const struct serving_process *at = serving_time_at(time, process);

	if (at->asked_ns)
		return SERVING_ASKED;
	if (!at->waited_ns)
		return SERVING_NOT;
	return time->begun ? SERVING_BESIDE : SERVING_WAITED;
}

bool serving_time_is_of_requests(const struct serving_time *time)
{
	return time->begun >= SAMPLE_REQUESTS_MIN;
}

bool serving_time_ends(const struct serving_time *time)
{
	return serving_time_is_of_requests(time) && time->ended >= time->begun;
}

bool serving_time_has(const struct serving_time *time, uint32_t process, enum serving_stage stage)
{
	if (stage == SERVING_ASKED || !serving_time_is_of_requests(time))
		return stage != SERVING_NOT;
	return stage == SERVING_BESIDE && !time->process[process].asked_ns;
}

uint64_t serving_time_since(const struct serving_time *time, uint32_t process)
{
	const struct serving_process *at = &time->process[process];
	uint64_t since_ns;

	if (process >= time->process_room)
		return 0;
	since_ns = at->waited_ns;
	if (!serving_time_is_of_requests(time))
		return at->asked_ns && (!since_ns || at->asked_ns < since_ns) ? at->asked_ns
									      : since_ns;
	if (at->asked_ns || !since_ns)
		return at->asked_ns;
	return since_ns > time->first_ns ? since_ns : time->first_ns;
}
