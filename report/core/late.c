/* SPDX-License-Identifier: MIT */
/* Work that is told late, joined with its calls: see late.h. */
#include "report/core/late.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/map.h"
#include "report/base/memory.h"
#include "report/core/work.h"

#define CALLS_KEPT (1u << 16) /* before those whose work was told are looked through */

struct late_call {
	uint64_t id, start_ns, end_ns, seen_ns;
	uint32_t thread;
	bool counts, has_work;
};

/* Told before its call was seen. */
struct late_told {
	uint64_t id, told_ns;
	uint32_t next; /* of the same call, + 1 */
	bool is_done;
	struct late_work work;
};

struct listening {
	struct late_listener how;
	void *state;
};

struct late_state {
	struct late late; /* first: it is what others see */
	struct listening *listening;
	size_t listening_count, listening_room;
	struct map calls; /* id to place in `call` + 1 */
	struct late_call *call;
	uint64_t *place; /* as many a call as there are listeners */
	size_t call_count, call_room, place_room, sweep_at;
	struct late_told *told; /* in the order of its telling; from `told_first` on */
	size_t told_first, told_count, told_room;
	struct map waiting; /* id to the last of its work in `told` + 1 */
};

static void late_start(void *state, struct run *run, const void *options)
{
	struct late_state *mine = state;

	(void)run;
	(void)options;
	mine->sweep_at = CALLS_KEPT;
	map_init(&mine->calls);
	map_init(&mine->waiting);
}

void late_listen(struct late *late, const struct late_listener *listener, void *state)
{
	struct late_state *mine = (struct late_state *)late;

	mine->listening = memory_room(mine->listening, mine->listening_count, &mine->listening_room,
				      sizeof(*mine->listening));
	mine->listening[mine->listening_count++] = (struct listening){ *listener, state };
}

/* Never 0, which no map takes. */
static uint64_t id_of(uint32_t process, uint64_t correlation)
{
	return ((uint64_t)process << 32 | (uint32_t)correlation) + 1;
}

/* --- calls --- */

static uint64_t *places_of(const struct late_state *mine, size_t call)
{
	return &mine->place[call * mine->listening_count];
}

static void call_drop(const struct late_state *mine, size_t call)
{
	for (size_t i = 0; i < mine->listening_count; i++)
		if (mine->listening[i].how.drop)
			mine->listening[i].how.drop(mine->listening[i].state,
						    places_of(mine, call)[i]);
}

static bool call_is_over(const struct late_call *call, uint64_t now_ns)
{
	return call->seen_ns + (call->has_work ? LATE_STAY_NS : LATE_WORKLESS_NS) < now_ns;
}

/* Those whose work was told long ago make room. */
static void calls_sweep(struct late_state *mine, uint64_t now_ns)
{
	size_t kept = 0;

	map_clear(&mine->calls);
	for (size_t i = 0; i < mine->call_count; i++) {
		bool added;

		if (call_is_over(&mine->call[i], now_ns)) {
			call_drop(mine, i);
			continue;
		}
		mine->call[kept] = mine->call[i];
		memmove(places_of(mine, kept), places_of(mine, i),
			mine->listening_count * sizeof(*mine->place));
		map_put(&mine->calls, mine->call[kept].id, &added)->value = kept + 1;
		kept++;
	}
	mine->call_count = kept;
	mine->sweep_at = kept * 2 > CALLS_KEPT ? kept * 2 : CALLS_KEPT;
}

static size_t call_take(struct late_state *mine, uint64_t id)
{
	struct map_entry *entry;
	bool added;

	entry = map_put(&mine->calls, id, &added);
	if (!added) {
		call_drop(mine, entry->value - 1);
		return entry->value - 1;
	}
	mine->call = memory_room(mine->call, mine->call_count, &mine->call_room,
				 sizeof(*mine->call));
	mine->place = memory_room(mine->place, (mine->call_count + 1) * mine->listening_count,
				  &mine->place_room, sizeof(*mine->place));
	entry->value = ++mine->call_count;
	return entry->value - 1;
}

static void told_join_waiting(struct late_state *mine, uint64_t id);

void late_put_call(struct late *late, const struct source_event *event, bool counts,
		   uint64_t correlation, uint64_t duration_ns)
{
	struct late_state *mine = (struct late_state *)late;
	uint64_t time_ns = event->event.time_ns;
	uint64_t id = id_of(event->process->index, correlation);
	size_t at;

	if (!correlation)
		return;
	if (mine->call_count >= mine->sweep_at)
		calls_sweep(mine, time_ns);
	at = call_take(mine, id);
	mine->call[at] = (struct late_call){
		.id = id,
		.start_ns = time_ns > duration_ns ? time_ns - duration_ns : 0,
		.end_ns = time_ns,
		.seen_ns = time_ns,
		.thread = event->thread->index,
		.counts = counts,
	};
	for (size_t i = 0; i < mine->listening_count; i++) {
		const struct listening *listening = &mine->listening[i];

		places_of(mine, at)[i] = listening->how.place
						 ? listening->how.place(listening->state, event,
									counts)
						 : LATE_NOTHING;
	}
	if (mine->waiting.count)
		told_join_waiting(mine, id);
}

/* --- work --- */

static void work_join(struct late_state *mine, size_t at, uint64_t told_ns, struct late_work *work)
{
	struct late_call *call = &mine->call[at];

	call->has_work = true;
	if (told_ns > call->seen_ns)
		call->seen_ns = told_ns;
	work->has_call = true;
	work->counts = call->counts;
	work->thread = call->thread;
	work->call_start_ns = call->start_ns;
	work->call_end_ns = call->end_ns;
	if (work->start_ns < call->start_ns) {
		work->start_ns = call->start_ns;
		mine->late.clamped += call->counts;
	}
	for (size_t i = 0; i < mine->listening_count; i++) {
		const struct listening *listening = &mine->listening[i];

		if (work->counts || listening->how.takes_uncounted)
			listening->how.take(listening->state, places_of(mine, at)[i], work);
	}
}

static void work_be_homeless(struct late_state *mine, const struct late_work *work)
{
	mine->late.homeless++;
	for (size_t i = 0; i < mine->listening_count; i++)
		if (mine->listening[i].how.takes_homeless)
			mine->listening[i].how.take(mine->listening[i].state, LATE_NOTHING, work);
}

static void told_wait(struct late_state *mine, uint64_t id, uint64_t told_ns,
		      const struct late_work *work)
{
	struct map_entry *entry;
	bool added;

	mine->told = memory_room(mine->told, mine->told_count, &mine->told_room,
				 sizeof(*mine->told));
	entry = map_put(&mine->waiting, id, &added);
	mine->told[mine->told_count] = (struct late_told){
		.id = id, .told_ns = told_ns, .next = (uint32_t)entry->value, .work = *work
	};
	entry->value = ++mine->told_count;
}

/* The call has come after all. */
static void told_join_waiting(struct late_state *mine, uint64_t id)
{
	struct map_entry *entry = map_find(&mine->waiting, id);
	size_t call = (size_t)map_find(&mine->calls, id)->value - 1, next = 0;

	if (!entry)
		return;
	for (size_t at = entry->value; at; at = next) {
		struct late_told *told = &mine->told[at - 1];

		next = told->next;
		if (!told->is_done)
			work_join(mine, call, told->told_ns, &told->work);
		told->is_done = true;
	}
	map_remove(&mine->waiting, entry);
}

void late_put_work(struct late *late, uint64_t told_ns, const struct late_work *work)
{
	struct late_state *mine = (struct late_state *)late;
	uint64_t id = id_of(work->process, work->correlation);
	const struct map_entry *entry = map_find(&mine->calls, id);
	struct late_work joined = *work;

	mine->late.taken++;
	if (entry)
		work_join(mine, entry->value - 1, told_ns, &joined);
	else
		told_wait(mine, id, told_ns, work);
}

/* What still waits moves to the front; places in the chains move with it. */
static void told_compact(struct late_state *mine)
{
	size_t count = mine->told_count - mine->told_first;

	memmove(mine->told, &mine->told[mine->told_first], count * sizeof(*mine->told));
	map_clear(&mine->waiting);
	for (size_t i = 0; i < count; i++) {
		struct map_entry *entry;
		bool added;

		if (mine->told[i].is_done)
			continue;
		entry = map_put(&mine->waiting, mine->told[i].id, &added);
		mine->told[i].next = (uint32_t)entry->value;
		entry->value = i + 1;
	}
	mine->told_count = count;
	mine->told_first = 0;
}

static void late_settle(void *state, uint64_t upto_ns)
{
	struct late_state *mine = state;

	while (mine->told_first < mine->told_count) {
		struct late_told *told = &mine->told[mine->told_first];

		if (!told->is_done && upto_ns != UINT64_MAX &&
		    told->told_ns + LATE_WAIT_NS >= upto_ns)
			break;
		mine->told_first++;
		if (!told->is_done)
			work_be_homeless(mine, &told->work);
		told->is_done = true;
	}
	if (mine->told_first > CALLS_KEPT && mine->told_first > mine->told_count / 2)
		told_compact(mine);
	if (mine->told_first == mine->told_count && mine->told_count)
		told_compact(mine);
}

/* No more work comes. */
static void late_finish(void *state)
{
	struct late_state *mine = state;

	for (size_t i = 0; i < mine->call_count; i++)
		call_drop(mine, i);
	mine->call_count = 0;
	map_clear(&mine->calls);
}

static void late_release(void *state)
{
	struct late_state *mine = state;

	map_release(&mine->calls);
	map_release(&mine->waiting);
	free(mine->listening);
	free(mine->call);
	free(mine->place);
	free(mine->told);
}

static const struct analysis_kind analysis_late = {
	.name = "late work",
	.state_bytes = sizeof(struct late_state),
	.start = late_start,
	.settle = late_settle,
	.finish = late_finish,
	.release = late_release,
};

struct late *late_provide(struct run *run)
{
	return run_want(run, &analysis_late, NULL);
}

struct late *late_want(struct run *run)
{
	(void)works_want(run, WORK_BIT(gpu_ns));
	return late_provide(run);
}
