/* SPDX-License-Identifier: MIT */
/*
 * A call's places are kept in pages (deferred_calls.h). Work that comes before its call is kept in
 * an array, with a map from its id.
 */
#include "report/deferred/deferred.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/map.h"
#include "report/base/memory.h"
#include "report/deferred/deferred_calls.h"

#define TOLD_KEPT (1u << 16) /* pieces, before those that have been joined are removed */

/* A piece of work that was reported before its call was seen; the work itself is in `told_work`. */
struct deferred_pending {
	uint64_t id, told_ns;
	uint32_t next; /* the next piece of the same call, + 1 */
	bool is_done;
};

struct listening {
	struct deferred_listener how;
	void *state;
	/* index of a listener's place in a call's places; for listeners that want places */
	size_t place;
};

struct deferred_state {
	struct deferred deferred; /* must be first: others see only this part */
	struct listening *listening;
	size_t listening_count, listening_room;
	size_t droppers; /* number of listeners that want to know which calls are over */
	struct deferred_calls calls;
	/* in the order in which they were reported; valid from `told_first` on */
	struct deferred_pending *told;
	size_t told_first, told_count, told_room;
	unsigned char *told_work; /* work_bytes for each of them */
	size_t told_work_room, work_bytes;
	struct map waiting; /* id to the latest of its pieces in `told` + 1 */
};

static void deferred_start(void *state, struct run *run, const void *options)
{
	struct deferred_state *mine = state;

	(void)run;
	(void)options;
	deferred_calls_init(&mine->calls);
	map_init(&mine->waiting);
}

void deferred_listen(struct deferred *deferred, const struct deferred_listener *listener,
		     void *state)
{
	struct deferred_state *mine = (struct deferred_state *)deferred;

	mine->listening = memory_room(mine->listening, mine->listening_count, &mine->listening_room,
				      sizeof(*mine->listening));
	mine->listening[mine->listening_count++] = (struct listening){ *listener, state,
								       mine->calls.places };
	mine->calls.places += listener->place != NULL;
	mine->droppers += listener->drop != NULL;
}

/* The result is never 0, because a map does not accept the key 0. */
static uint64_t deferred_id_of(uint32_t process, uint64_t correlation)
{
	return ((uint64_t)process << 32 | (uint32_t)correlation) + 1;
}

/* --- calls --- */

static void call_drop(const struct deferred_state *mine, size_t call, bool had_work)
{
	const uint64_t *places = deferred_call_places(&mine->calls, call);

	if (!mine->droppers)
		return;
	for (size_t i = 0; i < mine->listening_count; i++)
		if (mine->listening[i].how.drop)
			mine->listening[i].how.drop(mine->listening[i].state,
						    places[mine->listening[i].place], had_work);
}

struct sweep {
	struct deferred_state *deferred;
	uint64_t now_ns;
	uint32_t process;
};

/* The sweep of a process whose numbers begin anew. */
static bool call_is_of_process(void *state, size_t number)
{
	const struct sweep *sweep = state;
	const struct deferred_calls *calls = &sweep->deferred->calls;

	if (deferred_call_process(calls, number) != sweep->process)
		return false;
	call_drop(sweep->deferred, number, calls->call[number].has_work);
	return true;
}

static bool call_is_over(void *state, size_t number)
{
	const struct sweep *sweep = state;
	const struct deferred_call *call = &sweep->deferred->calls.call[number];

	if (call->seen_ns + (call->has_work ? DEFERRED_STAY_NS : DEFERRED_WORKLESS_NS) >=
	    sweep->now_ns)
		return false;
	call_drop(sweep->deferred, number, call->has_work);
	return true;
}

static void told_join_waiting(struct deferred_state *mine, uint64_t id, size_t call);

static void call_put_places(const struct deferred_state *mine, size_t call,
			    const struct source_event *event, bool counts)
{
	uint64_t *places = deferred_call_places(&mine->calls, call);

	for (size_t i = 0; i < mine->listening_count; i++) {
		const struct listening *listening = &mine->listening[i];

		if (listening->how.place)
			places[listening->place] = listening->how.place(listening->state, event,
									counts);
	}
}

void deferred_put_call(struct deferred *deferred, const struct source_event *event, bool counts,
		       uint64_t correlation, uint64_t duration_ns)
{
	struct deferred_state *mine = (struct deferred_state *)deferred;
	uint64_t time_ns = event->event.time_ns;
	size_t at;

	if (!correlation)
		return;
	if (deferred_calls_want_sweep(&mine->calls))
		deferred_calls_sweep(&mine->calls, call_is_over,
				     &(struct sweep){ .deferred = mine, .now_ns = time_ns });
	at = deferred_calls_put(&mine->calls, event->process->index, correlation);
	if (mine->calls.call[at].exists)
		call_drop(mine, at, true);
	mine->calls.call[at] = (struct deferred_call){
		.start_ns = time_ns > duration_ns ? time_ns - duration_ns : 0,
		.end_ns = time_ns,
		.seen_ns = time_ns,
		.thread = event->thread->index,
		.exists = true,
		.counts = counts,
	};
	call_put_places(mine, at, event, counts);
	if (mine->waiting.count)
		told_join_waiting(mine, deferred_id_of(event->process->index, correlation), at);
}

/* --- work --- */

static void work_join(struct deferred_state *mine, size_t at, uint64_t told_ns,
		      struct deferred_work *work)
{
	const uint64_t *places = deferred_call_places(&mine->calls, at);
	struct deferred_call *call = &mine->calls.call[at];

	call->has_work = true;
	if (told_ns > call->seen_ns)
		call->seen_ns = told_ns;
	work->has_call = true;
	work->counts = call->counts;
	work->thread = call->thread;
	work->call_start_ns = call->start_ns;
	work->call_end_ns = call->end_ns;
	if (work->start_ns < call->start_ns) {
		if (call->start_ns - work->start_ns > DEFERRED_DOUBT_NS)
			mine->deferred.clamped += call->counts;
		work->start_ns = call->start_ns;
	}
	for (size_t i = 0; i < mine->listening_count; i++) {
		const struct listening *listening = &mine->listening[i];

		if (work->counts || listening->how.takes_uncounted)
			listening->how.take(listening->state,
					    listening->how.place ? places[listening->place]
								 : DEFERRED_NOTHING,
					    work);
	}
}

static void work_be_uncorrelated(struct deferred_state *mine, const struct deferred_work *work)
{
	if (work->is_on_device)
		mine->deferred.uncorrelated++;
	else
		mine->deferred.uncorrelated_waits++;
	for (size_t i = 0; i < mine->listening_count; i++)
		if (mine->listening[i].how.takes_uncorrelated)
			mine->listening[i].how.take(mine->listening[i].state, DEFERRED_NOTHING,
						    work);
}

static struct deferred_work *told_work_at(const struct deferred_state *mine, size_t at)
{
	return (struct deferred_work *)&mine->told_work[at * mine->work_bytes];
}

static void told_wait(struct deferred_state *mine, uint64_t id, uint64_t told_ns,
		      const struct deferred_work *work)
{
	struct map_entry *entry;
	bool added;

	mine->told = memory_room(mine->told, mine->told_count, &mine->told_room,
				 sizeof(*mine->told));
	mine->told_work = memory_room(mine->told_work, mine->told_count, &mine->told_work_room,
				      mine->work_bytes);
	memcpy(told_work_at(mine, mine->told_count), work, mine->work_bytes);
	entry = map_put(&mine->waiting, id, &added);
	mine->told[mine->told_count] = (struct deferred_pending){ .id = id,
								  .told_ns = told_ns,
								  .next = (uint32_t)entry->value };
	entry->value = ++mine->told_count;
}

/* The call has come after its work. */
static void told_join_waiting(struct deferred_state *mine, uint64_t id, size_t call)
{
	struct map_entry *entry = map_find(&mine->waiting, id);
	size_t next = 0;

	if (!entry)
		return;
	for (size_t at = entry->value; at; at = next) {
		struct deferred_pending *told = &mine->told[at - 1];

		next = told->next;
		if (!told->is_done)
			work_join(mine, call, told->told_ns, told_work_at(mine, at - 1));
		told->is_done = true;
	}
	map_remove(&mine->waiting, entry);
}

void deferred_put_work(struct deferred *deferred, uint64_t told_ns, struct deferred_work *work)
{
	struct deferred_state *mine = (struct deferred_state *)deferred;
	size_t call = deferred_calls_find(&mine->calls, work->process, work->correlation);

	mine->deferred.taken++;
	if (call != DEFERRED_NO_CALL)
		work_join(mine, call, told_ns, work);
	else
		told_wait(mine, deferred_id_of(work->process, work->correlation), told_ns, work);
}

static void told_give_up(struct deferred_state *mine, size_t at)
{
	if (!mine->told[at].is_done)
		work_be_uncorrelated(mine, told_work_at(mine, at));
	mine->told[at].is_done = true;
}

void deferred_renumber(struct deferred *deferred, uint32_t process)
{
	struct deferred_state *mine = (struct deferred_state *)deferred;

	deferred_calls_sweep(&mine->calls, call_is_of_process,
			     &(struct sweep){ .deferred = mine, .process = process });
	for (size_t at = mine->told_first; at < mine->told_count; at++)
		if (told_work_at(mine, at)->process == process)
			told_give_up(mine, at);
}

/* Moves the waiting pieces to the front, and corrects the links between them. */
static void told_compact(struct deferred_state *mine)
{
	size_t count = mine->told_count - mine->told_first;

	memmove(mine->told, &mine->told[mine->told_first], count * sizeof(*mine->told));
	memmove(mine->told_work, told_work_at(mine, mine->told_first), count * mine->work_bytes);
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

static void deferred_settle(void *state, uint64_t upto_ns)
{
	struct deferred_state *mine = state;

	while (mine->told_first < mine->told_count) {
		size_t at = mine->told_first;
		struct deferred_pending *told = &mine->told[at];

		if (!told->is_done && upto_ns != UINT64_MAX &&
		    told->told_ns + DEFERRED_WAIT_NS >= upto_ns)
			break;
		mine->told_first++;
		told_give_up(mine, at);
	}
	if (mine->told_first > TOLD_KEPT && mine->told_first > mine->told_count / 2)
		told_compact(mine);
	if (mine->told_first == mine->told_count && mine->told_count)
		told_compact(mine);
}

/* Called when no more work comes. */
static void deferred_finish(void *state)
{
	struct deferred_state *mine = state;

	for (size_t number = 0; mine->droppers && number < deferred_calls_end(&mine->calls);
	     number++) {
		struct deferred_call *call = &mine->calls.call[number];

		if (call->exists)
			call_drop(mine, number, call->has_work);
		call->exists = false;
	}
}

static void deferred_release(void *state)
{
	struct deferred_state *mine = state;

	deferred_calls_release(&mine->calls);
	map_release(&mine->waiting);
	free(mine->listening);
	free(mine->told);
	free(mine->told_work);
}

static const struct analysis_kind analysis_deferred = {
	.name = "deferred work",
	.state_bytes = sizeof(struct deferred_state),
	.start = deferred_start,
	.settle = deferred_settle,
	.finish = deferred_finish,
	.release = deferred_release,
};

struct deferred *deferred_provide(struct run *run, size_t work_bytes)
{
	struct deferred_state *mine = run_want(run, &analysis_deferred, NULL);

	mine->work_bytes = work_bytes;
	return &mine->deferred;
}

#define DEFERRED_PROVIDER(name) extern const struct analysis_kind analysis_##name;
#include "report/families.def"

struct deferred *deferred_want(struct run *run)
{
#define DEFERRED_PROVIDER(name) (void)run_want(run, &analysis_##name, NULL);
#include "report/families.def"
	return run_want(run, &analysis_deferred, NULL);
}
