/* SPDX-License-Identifier: MIT */
/* Gaps between operators: see gaps.h. */
#include "report/advice/gaps.h"

#include <stdlib.h>

#include "report/base/memory.h"

#define MOSTLY 0.7     /* of the time of a place */
#define MIXED_TIMES 2  /* the upper quartile is that much longer than the median */
#define MIXED_A_STEP 2 /* gaps */
#define OPEN_MOST 0.1
#define CALLED_MOST 0.1 /* in calls of CUDA, in parts of the rest of a gap */

struct gap {
	uint64_t key, took_ns, label_ns;
	uint64_t beside_ns; /* of it, others than helpers were in operators */
	uint32_t before, after, label, thread;
	uint32_t
		/*
		 * one of these threads; GAP_NO_NAME: none, or they were not done when the gap ended
		 */
		beside;
	struct cpu_span cpu;
};

struct gap_thread {
	uint32_t depth;   /* open operators */
	uint32_t last[2]; /* that ended: the last one, and the one before */
	bool is_known;    /* the thread is seen, and between operators since since_ns */
	uint64_t since_ns;
	struct cpu_clock clock;
	struct cpu_moment since; /* as of since_ns */
	uint64_t beside_ns;      /* busy_ns of its process then */
	uint64_t called_ns;      /* in calls of CUDA since then */
	uint64_t sent_ns;        /* gaps_sent_ns() of its process then */
	uint32_t calls;          /* of CUDA, since busy_since_ns */
	/* operators in a row that call no CUDA, with short gaps between them only */
	uint32_t run;
	uint64_t run_since_ns, run_ns; /* run_ns: what is not in sum.host_ns yet */
	uint64_t gap_ns;               /* the short gap before busy_since_ns */
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
	/*
	 * Of `depth`, operators of helpers, which end at the latest when the thread goes on itself:
	 * its next turn.
	 */
	uint32_t helped;
	uint64_t turn;
	uint32_t helps; /* the thread in whose depth it counts, + 1, in that turn of it */
	uint64_t helps_turn;
};

/* When any thread of it is busy, each moment once. */
struct gap_process {
	uint32_t busy; /* threads */
	uint32_t last; /* that became idle, + 1 */
	uint64_t since_ns, busy_ns;
	uint32_t sends; /* collectives that are under way */
	uint64_t sends_since_ns, sent_ns;
};

void gaps_init(struct gaps *gaps)
{
	*gaps = (struct gaps){ .seed_name = GAP_NO_NAME };
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
	free(gaps->process);
	map_release(&gaps->places);
}

static struct gap_thread *gaps_thread_at(struct gaps *gaps, uint32_t thread)
{
	gaps->thread = memory_room(gaps->thread, thread, &gaps->thread_room, sizeof(*gaps->thread));
	return &gaps->thread[thread];
}

static struct gap_process *gaps_process_at(struct gaps *gaps, uint32_t process)
{
	gaps->process = memory_room(gaps->process, process, &gaps->process_room,
				    sizeof(*gaps->process));
	return &gaps->process[process];
}

static uint64_t less(uint64_t ns, uint64_t part_ns)
{
	return ns > part_ns ? ns - part_ns : 0;
}

static uint64_t gaps_key_of(const struct gap_thread *thread, uint32_t after)
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

/* How long at least one collective has been under way, up to that time. */
static uint64_t gaps_sent_ns(const struct gaps *gaps, struct nest_place place)
{
	const struct gap_process *process = &gaps->process[place.process];

	return process->sent_ns +
	       (process->sends ? less(place.time_ns, process->sends_since_ns) : 0);
}

/* Calls of CUDA, and collectives: they may overlap. */
static uint64_t gaps_left_out_ns(const struct gaps *gaps, const struct gap_thread *thread,
				 struct nest_place place)
{
	uint64_t sent_ns = less(gaps_sent_ns(gaps, place), thread->sent_ns);

	return sent_ns > thread->called_ns ? sent_ns : thread->called_ns;
}

/* The gap, and what others did beside it. */
static struct gap gap_of(const struct gaps *gaps, const struct gap_thread *thread,
			 struct nest_place place)
{
	const struct gap_process *process = &gaps->process[place.process];
	struct gap gap = { .took_ns = less(place.time_ns - thread->since_ns,
					   gaps_left_out_ns(gaps, thread, place)),
			   .beside_ns = process->busy_ns - thread->beside_ns,
			   .beside = GAP_NO_NAME };

	if (gap.beside_ns > gap.took_ns)
		gap.beside_ns = gap.took_ns;
	if (gap.beside_ns && !process->busy && process->last && process->last - 1 != place.thread)
		gap.beside = process->last - 1;
	return gap;
}

static void keep_pending(struct gaps *gaps, struct nest_place place, uint32_t name, struct gap gap)
{
	struct gap_thread *thread = &gaps->thread[place.thread];

	if (thread->pending_count >= GAP_PENDING_MAX) {
		thread->pending_beyond++;
		return;
	}
	if (thread->labels)
		note_label(thread, thread->label, place.time_ns - thread->label_since_ns);
	if (gaps_left_out_ns(gaps, thread, place) > gap.took_ns * CALLED_MOST)
		cpu_span_add_unread(&gap.cpu,
				    gap.took_ns); /* it may have been the calls that ran */
	else
		cpu_span_add_between(&gap.cpu, thread->since,
				     cpu_clock_at(&thread->clock, place.time_ns), gap.took_ns);
	gap.key = gaps_key_of(thread, name);
	gap.before = thread->last[0];
	gap.after = name;
	gap.label = thread->longest;
	gap.label_ns = thread->longest_ns;
	gap.thread = place.thread;
	thread->pending = memory_room(thread->pending, thread->pending_count, &thread->pending_room,
				      sizeof(*thread->pending));
	thread->pending[thread->pending_count++] = gap;
}

/* Returns how long it was if it is a long one of the program, otherwise 0. */
static uint64_t end_gap(struct gaps *gaps, struct nest_place place, uint32_t name, bool is_helpers)
{
	struct gap_thread *thread = &gaps->thread[place.thread];
	struct gap gap = gap_of(gaps, thread, place);
	bool is_short = gap.took_ns < GAP_SHORT_NS;

	if (is_short)
		thread->sum.short_ns += gap.took_ns;
	thread->gap_ns = is_short ? gap.took_ns : 0;
	thread->run = is_short ? thread->run : 0;
	if (is_helpers && thread->last[0] != GAP_NO_NAME && thread->last[0] == gaps->seed_name)
		return 0;
	keep_pending(gaps, place, name, gap);
	return is_short ? 0 : place.time_ns - thread->since_ns;
}

/*
 * The thread, or a helper of it, is in an operator from now on. Returns the length of the long gap
 * that has ended.
 */
static uint64_t gaps_enter(struct gaps *gaps, struct nest_place place, uint32_t name,
			   bool is_helpers)
{
	struct gap_thread *thread = gaps_thread_at(gaps, place.thread);
	struct gap_process *process = gaps_process_at(gaps, place.process);
	uint64_t gap_ns = 0;

	if (thread->depth++)
		return 0;
	thread->busy_since_ns = place.time_ns;
	thread->calls = 0;
	if (process->busy)
		process->busy_ns += less(place.time_ns, process->since_ns);
	process->since_ns = place.time_ns;
	if (thread->is_known && place.time_ns >= thread->since_ns)
		gap_ns = end_gap(gaps, place, name, is_helpers);
	process->busy++;
	return gap_ns;
}

static void process_leave(struct gaps *gaps, struct nest_place place)
{
	struct gap_process *process = gaps_process_at(gaps, place.process);

	process->busy_ns += less(place.time_ns, process->since_ns);
	process->since_ns = place.time_ns;
	process->busy -= process->busy > 0;
	process->last = place.thread + 1;
}

/* A short operator without a call. Returns how long the run has taken if it is a long one. */
static uint64_t gaps_run_goes_on(struct gap_thread *thread, uint64_t now_ns)
{
	if (!thread->run++) {
		thread->run_since_ns = thread->busy_since_ns;
		thread->run_ns = 0;
	} else {
		thread->run_ns += thread->gap_ns;
	}
	thread->run_ns += less(now_ns, thread->busy_since_ns);
	if (thread->run < GAP_RUN_LONG)
		return 0;
	thread->sum.host_ns += thread->run_ns;
	thread->run_ns = 0;
	return less(now_ns, thread->run_since_ns);
}

/* Returns how long the CPU has worked for it, as gaps_idle() does. */
static uint64_t end_work(struct gap_thread *thread, uint64_t now_ns, bool may_launch)
{
	uint64_t took_ns = less(now_ns, thread->busy_since_ns);

	if (took_ns < GAP_SMALL_NS)
		thread->sum.small_ns += took_ns;
	if (!may_launch || thread->calls) {
		thread->run = 0;
		return 0;
	}
	if (took_ns < GAP_SHORT_NS)
		return gaps_run_goes_on(thread, now_ns);
	thread->sum.host_ns += took_ns;
	return took_ns;
}

static uint64_t leave(struct gaps *gaps, struct nest_place place, uint32_t name, bool may_launch)
{
	struct gap_thread *thread = gaps_thread_at(gaps, place.thread);
	uint64_t host_ns;

	if (!thread->depth || --thread->depth)
		return 0;
	host_ns = end_work(thread, place.time_ns, may_launch);
	process_leave(gaps, place);
	thread->last[1] = thread->is_known ? thread->last[0] : GAP_NO_NAME;
	thread->last[0] = name;
	thread->is_known = true;
	thread->since_ns = place.time_ns;
	thread->since = cpu_clock_at(&thread->clock, place.time_ns);
	thread->beside_ns = gaps->process[place.process].busy_ns;
	thread->called_ns = 0;
	thread->sent_ns = gaps_sent_ns(gaps, place);
	thread->labels = 0;
	thread->longest = GAP_NO_NAME;
	thread->longest_ns = 0;
	return host_ns;
}

/* --- helpers --- */

/* The thread goes on itself: what its helpers are still in is not for it to wait for. */
static void begin_turn(struct gaps *gaps, struct nest_place place)
{
	struct gap_thread *thread = gaps_thread_at(gaps, place.thread);

	thread->turn++;
	for (; thread->helped; thread->helped--)
		(void)leave(gaps, place, GAP_NO_NAME, false);
}

static bool is_helping(const struct gaps *gaps, const struct gap_thread *helper)
{
	return helper->helps && gaps->thread[helper->helps - 1].turn == helper->helps_turn;
}

static void help_begin(struct gaps *gaps, struct nest_place place, uint32_t name)
{
	uint32_t owner = gaps->helpers ? helpers_owner(gaps->helpers, place.thread) : NEST_NONE;
	struct nest_place there = { .time_ns = place.time_ns,
				    .thread = owner,
				    .process = place.process };
	struct gap_thread *helper;

	if (owner == NEST_NONE || is_helping(gaps, &gaps->thread[place.thread]))
		return;
	(void)gaps_enter(gaps, there, name, true);
	helper = &gaps->thread[place.thread];
	helper->helps = owner + 1;
	helper->helps_turn = gaps->thread[owner].turn;
	gaps->thread[owner].helped++;
}

static void help_end(struct gaps *gaps, struct nest_place place, uint32_t name, bool may_launch)
{
	struct gap_thread *helper = &gaps->thread[place.thread];
	struct nest_place there = { .time_ns = place.time_ns,
				    .thread = helper->helps - 1,
				    .process = place.process };

	if (is_helping(gaps, helper)) {
		gaps->thread[there.thread].helped--;
		(void)leave(gaps, there, name, may_launch);
	}
	helper->helps = 0;
}

uint64_t gaps_busy(struct gaps *gaps, struct nest_place place, uint32_t name)
{
	uint64_t gap_ns;

	begin_turn(gaps, place);
	gap_ns = gaps_enter(gaps, place, name, false);
	help_begin(gaps, place, name);
	return gap_ns;
}

uint64_t gaps_idle(struct gaps *gaps, struct nest_place place, uint32_t name, bool may_launch)
{
	uint64_t host_ns;

	begin_turn(gaps, place);
	host_ns = leave(gaps, place, name, may_launch);
	if (!gaps->thread[place.thread].depth)
		help_end(gaps, place, name, may_launch);
	return host_ns;
}

void gaps_call(struct gaps *gaps, struct nest_place place, uint64_t duration_ns)
{
	struct gap_thread *thread = gaps_thread_at(gaps, place.thread);

	thread->calls++;
	if (is_helping(gaps, thread))
		gaps->thread[thread->helps - 1].calls++;
	gaps_pause(gaps, place, duration_ns);
}

void gaps_pause(struct gaps *gaps, struct nest_place place, uint64_t duration_ns)
{
	struct gap_thread *thread = gaps_thread_at(gaps, place.thread);

	if (thread->depth || !thread->is_known)
		return;
	thread->called_ns += duration_ns < less(place.time_ns, thread->since_ns)
				     ? duration_ns
				     : less(place.time_ns, thread->since_ns);
}

void gaps_sends(struct gaps *gaps, struct nest_place place)
{
	struct gap_process *process = gaps_process_at(gaps, place.process);

	if (!process->sends++)
		process->sends_since_ns = place.time_ns;
}

void gaps_sent(struct gaps *gaps, struct nest_place place)
{
	struct gap_process *process = gaps_process_at(gaps, place.process);

	if (process->sends && !--process->sends)
		process->sent_ns += less(place.time_ns, process->sends_since_ns);
}

void gaps_label_begins(struct gaps *gaps, struct nest_place place, uint32_t name)
{
	struct gap_thread *thread = gaps_thread_at(gaps, place.thread);

	if (thread->depth || !thread->is_known || thread->labels++)
		return;
	thread->label = name;
	thread->label_since_ns = place.time_ns;
}

/* One without a beginning in the gap was open when the gap began. */
void gaps_label_ends(struct gaps *gaps, struct nest_place place, uint32_t name)
{
	struct gap_thread *thread = gaps_thread_at(gaps, place.thread);

	if (thread->depth || !thread->is_known)
		return;
	if (!thread->labels)
		note_label(thread, name, place.time_ns - thread->since_ns);
	else if (!--thread->labels)
		note_label(thread, thread->label, place.time_ns - thread->label_since_ns);
}

void gaps_clock(struct gaps *gaps, struct nest_place place, uint64_t cpu_ns)
{
	gaps_thread_at(gaps, place.thread)->clock = (struct cpu_clock){ true, place.time_ns,
									cpu_ns };
}

void gaps_forget(struct gaps *gaps, uint32_t thread)
{
	struct gap_thread *at = gaps_thread_at(gaps, thread);

	at->is_known &= at->depth != 0;
}

void gaps_cut(struct gaps *gaps, struct nest_place place)
{
	struct gap_thread *at = gaps_thread_at(gaps, place.thread);

	if (at->depth)
		process_leave(gaps, place);
	help_end(gaps, place, GAP_NO_NAME, false);
	at = &gaps->thread[place.thread];
	at->turn++;
	at->helped = 0;
	at->depth = 0;
	at->is_known = false;
	at->run = 0;
	at->pending_count = 0;
	at->pending_beyond = 0;
	at->sum = (struct gaps_sum){ 0 };
}

static struct gap_place *gaps_place_of(struct gaps *gaps, const struct gap *gap)
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
							     .beside = GAP_NO_NAME,
							     .thread = gap->thread };
	return &gaps->place[gaps->place_count++];
}

/*
 * What others did is the step's own when one of them ran its forward operators, as is known by now.
 */
static void settle_beside(const struct gaps *gaps, struct gap *gap)
{
	if (gap->beside == GAP_NO_NAME || !gaps->helpers ||
	    !helpers_is_forward(gaps->helpers, gap->beside))
		return;
	gap->took_ns -= gap->beside_ns;
	gap->beside_ns = 0;
}

static void gaps_keep(struct gaps *gaps, struct gap *gap, struct gaps_sum *sum)
{
	struct gap_place *place = gaps_place_of(gaps, gap);

	if (!place) {
		gaps->beyond++;
		return;
	}
	place->steps += place->last_step != gaps->steps;
	place->last_step = gaps->steps;
	settle_beside(gaps, gap);
	place->beside_ns += gap->beside_ns;
	if (gap->beside != GAP_NO_NAME && gap->beside_ns)
		place->beside = gap->beside;
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
	struct gap_thread *at = gaps_thread_at(gaps, thread);
	struct gaps_sum sum = at->sum;

	gaps->steps += step->counts && step->settled;
	sum.longest_ns = 0;
	sum.longest = GAP_NO_PLACE;
	for (size_t i = 0; i < at->pending_count && step->counts && step->settled; i++)
		gaps_keep(gaps, &at->pending[i], &sum);
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

/*
 * Long and short gaps in one place, as of a function that is called for large and small tensors:
 * their sum, as if none were longer than the upper quartile. Rare ones are the subject of
 * slow_steps.
 */
static uint64_t gaps_mixed_ns(const struct timing *time, uint64_t limit_ns)
{
	uint64_t tenths_ns = 0;

	for (unsigned int i = 0; i < 10; i++) {
		uint64_t ns = timing_percentile(time, 5 + 10 * i);

		tenths_ns += ns < limit_ns ? ns : limit_ns;
	}
	return (uint64_t)((double)tenths_ns / 10 * (double)time->count);
}

bool gap_place_is_mixed(const struct gap_place *place)
{
	uint64_t upper_ns = timing_percentile(&place->time, 75);

	return place->time.count >= MIXED_A_STEP * place->steps && upper_ns >= GAP_SHORT_NS &&
	       upper_ns > MIXED_TIMES * timing_percentile(&place->time, 50);
}

uint64_t gap_place_ns(const struct gap_place *place)
{
	uint64_t median_ns = timing_percentile(&place->time, 50), ns;

	if (gap_place_is_mixed(place))
		ns = gaps_mixed_ns(&place->time, timing_percentile(&place->time, 75));
	else
		ns = median_ns < GAP_SHORT_NS ? 0 : median_ns * place->time.count;
	/* the median may be of the longer half */
	return ns < place->time.total_ns ? ns : place->time.total_ns;
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
