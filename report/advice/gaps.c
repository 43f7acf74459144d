/* SPDX-License-Identifier: MIT */
/* Gaps between operators: see gaps.h. */
#include "report/advice/gaps.h"

#include <stdlib.h>

#include "report/base/memory.h"

#define MOSTLY 0.7 /* of the time of a place */
#define OPEN_MOST 0.1

struct gap {
	uint64_t key, took_ns, label_ns;
	uint32_t before, after, label, thread;
	struct cpu_span cpu;
};

struct gap_thread {
	uint32_t depth;   /* open operators */
	uint32_t last[2]; /* that ended: the last one, and the one before */
	bool is_known;    /* the thread is seen, and between operators since since_ns */
	uint64_t since_ns;
	struct cpu_clock clock;
	struct cpu_moment since; /* as of since_ns */
	uint64_t busy_since_ns;
	struct gaps_sum sum; /* of the step that is under way */
	uint32_t labels;     /* user scopes that began since then and are open */
	uint32_t label;      /* the outermost of them */
	uint64_t label_since_ns;
	uint32_t longest; /* of those that have ended: its name and time */
	uint64_t longest_ns;
	struct gap *pending; /* of the step that is under way */
	size_t pending_count, pending_room;
	uint64_t pending_beyond; /* that were too many */
};

void gaps_init(struct gaps *gaps)
{
	*gaps = (struct gaps){ .place = NULL };
	map_init(&gaps->places);
}

void gaps_release(struct gaps *gaps)
{
	for (size_t i = 0; i < gaps->place_count; i++)
		timing_release(&gaps->place[i].time);
	for (size_t i = 0; i < gaps->thread_room; i++)
		free(gaps->thread[i].pending);
	free(gaps->place);
	free(gaps->thread);
	map_release(&gaps->places);
}

static struct gap_thread *thread_at(struct gaps *gaps, uint32_t thread)
{
	gaps->thread = memory_room(gaps->thread, thread, &gaps->thread_room, sizeof(*gaps->thread));
	return &gaps->thread[thread];
}

static uint64_t key_of(const struct gap_thread *thread, uint32_t after)
{
	uint32_t names[3] = { thread->last[1], thread->last[0], after };

	return map_hash_bytes(names, sizeof(names), 0);
}

static void note_label(struct gap_thread *thread, uint32_t name, uint64_t took_ns)
{
	if (took_ns <= thread->longest_ns)
		return;
	thread->longest = name;
	thread->longest_ns = took_ns;
}

static void keep_pending(struct gap_thread *thread, struct nest_place place, uint32_t name)
{
	uint64_t took_ns = place.time_ns - thread->since_ns;
	struct cpu_span cpu = { 0 };

	if (took_ns < GAP_SHORT_NS)
		thread->sum.short_ns += took_ns;
	if (thread->pending_count >= GAP_PENDING_MAX) {
		thread->pending_beyond++;
		return;
	}
	if (thread->labels)
		note_label(thread, thread->label, place.time_ns - thread->label_since_ns);
	cpu_span_add_between(&cpu, thread->since, cpu_clock_at(&thread->clock, place.time_ns),
			     took_ns);
	thread->pending = memory_room(thread->pending, thread->pending_count, &thread->pending_room,
				      sizeof(*thread->pending));
	thread->pending[thread->pending_count++] = (struct gap){
		.key = key_of(thread, name),
		.took_ns = took_ns,
		.before = thread->last[0],
		.after = name,
		.label = thread->longest,
		.label_ns = thread->longest_ns,
		.thread = place.thread,
		.cpu = cpu,
	};
}

void gaps_busy(struct gaps *gaps, struct nest_place place, uint32_t name)
{
	struct gap_thread *thread = thread_at(gaps, place.thread);

	if (thread->depth++)
		return;
	thread->busy_since_ns = place.time_ns;
	if (thread->is_known && place.time_ns >= thread->since_ns)
		keep_pending(thread, place, name);
}

void gaps_idle(struct gaps *gaps, struct nest_place place, uint32_t name)
{
	struct gap_thread *thread = thread_at(gaps, place.thread);

	if (!thread->depth || --thread->depth)
		return;
	if (place.time_ns - thread->busy_since_ns < GAP_SMALL_NS)
		thread->sum.small_ns += place.time_ns - thread->busy_since_ns;
	thread->last[1] = thread->is_known ? thread->last[0] : GAP_NO_NAME;
	thread->last[0] = name;
	thread->is_known = true;
	thread->since_ns = place.time_ns;
	thread->since = cpu_clock_at(&thread->clock, place.time_ns);
	thread->labels = 0;
	thread->longest = GAP_NO_NAME;
	thread->longest_ns = 0;
}

void gaps_label_begins(struct gaps *gaps, struct nest_place place, uint32_t name)
{
	struct gap_thread *thread = thread_at(gaps, place.thread);

	if (thread->depth || !thread->is_known || thread->labels++)
		return;
	thread->label = name;
	thread->label_since_ns = place.time_ns;
}

/* One without a beginning in the gap was open when the gap began. */
void gaps_label_ends(struct gaps *gaps, struct nest_place place, uint32_t name)
{
	struct gap_thread *thread = thread_at(gaps, place.thread);

	if (thread->depth || !thread->is_known)
		return;
	if (!thread->labels)
		note_label(thread, name, place.time_ns - thread->since_ns);
	else if (!--thread->labels)
		note_label(thread, thread->label, place.time_ns - thread->label_since_ns);
}

void gaps_clock(struct gaps *gaps, struct nest_place place, uint64_t cpu_ns)
{
	thread_at(gaps, place.thread)->clock = (struct cpu_clock){ true, place.time_ns, cpu_ns };
}

void gaps_cut(struct gaps *gaps, uint32_t thread)
{
	struct gap_thread *at = thread_at(gaps, thread);

	at->depth = 0;
	at->is_known = false;
	at->pending_count = 0;
	at->pending_beyond = 0;
	at->sum = (struct gaps_sum){ 0 };
}

static struct gap_place *place_of(struct gaps *gaps, const struct gap *gap)
{
	struct map_entry *entry;
	bool added;

	if (gaps->place_count >= GAP_PLACES_MAX && !map_find(&gaps->places, gap->key))
		return NULL;
	entry = map_put(&gaps->places, gap->key, &added);
	if (!added)
		return &gaps->place[entry->value];
	entry->value = gaps->place_count;
	gaps->place = memory_room(gaps->place, gaps->place_count, &gaps->place_room,
				  sizeof(*gaps->place));
	gaps->place[gaps->place_count] = (struct gap_place){ .before = gap->before,
							     .after = gap->after,
							     .label = GAP_NO_NAME,
							     .thread = gap->thread };
	return &gaps->place[gaps->place_count++];
}

static void keep(struct gaps *gaps, const struct gap *gap, struct gaps_sum *sum)
{
	struct gap_place *place = place_of(gaps, gap);

	if (!place) {
		gaps->beyond++;
		return;
	}
	timing_add(&place->time, gap->took_ns);
	if (gap->thread == place->thread)
		cpu_span_add(&place->cpu, &gap->cpu);
	if (gap->took_ns > sum->longest_ns) {
		sum->longest_ns = gap->took_ns;
		sum->longest = (size_t)(place - gaps->place);
	}
	if (gap->label_ns > place->label_ns) {
		place->label = gap->label;
		place->label_ns = gap->label_ns;
	}
}

struct gaps_sum gaps_step(struct gaps *gaps, uint32_t thread, const struct gaps_step *step)
{
	struct gap_thread *at = thread_at(gaps, thread);
	struct gaps_sum sum = at->sum;

	sum.longest_ns = 0;
	sum.longest = GAP_NO_PLACE;
	for (size_t i = 0; i < at->pending_count && step->counts && step->settled; i++)
		keep(gaps, &at->pending[i], &sum);
	if (step->counts && step->settled)
		gaps->beyond += at->pending_beyond;
	at->pending_count = 0;
	at->pending_beyond = 0;
	at->sum = (struct gaps_sum){ 0 };
	return step->counts ? sum : (struct gaps_sum){ .longest = GAP_NO_PLACE };
}

enum gap_state gap_place_state(const struct gap_place *place, double runnable_share,
			       double *ret_running_share)
{
	double wall = (double)place->cpu.wall_ns, low = (double)place->cpu.low_ns,
	       high = (double)place->cpu.high_ns, runnable = GAP_CAUTION * runnable_share * high;

	*ret_running_share = wall > 0 ? (low + high) / 2 / wall : 0;
	if (wall <= 0)
		return GAP_UNKNOWN;
	if (low >= MOSTLY * wall)
		return GAP_RUNNING;
	if (runnable_share < 0)
		return GAP_UNKNOWN;
	if (wall - high - runnable >= MOSTLY * wall)
		return GAP_WAITING;
	if (high - low > OPEN_MOST * wall || runnable > OPEN_MOST * wall)
		return GAP_UNKNOWN;
	return GAP_BOTH;
}

uint64_t gap_place_ns(const struct gap_place *place)
{
	uint64_t median_ns = timing_percentile(&place->time, 50);

	return median_ns >= GAP_SHORT_NS ? median_ns * place->time.count : 0;
}

const struct gap_place *gaps_largest(const struct gaps *gaps)
{
	const struct gap_place *largest = NULL;
	uint64_t largest_ns = 0;

	for (size_t i = 0; i < gaps->place_count; i++) {
		uint64_t ns = gap_place_ns(&gaps->place[i]);

		if (ns <= largest_ns)
			continue;
		largest = &gaps->place[i];
		largest_ns = ns;
	}
	return largest;
}
