/* SPDX-License-Identifier: MIT */
/*
 * Rules about the threads of servers: who has the GIL, full pools, locks, more threads than CPUs,
 * memory that grows. All but the last rest on samples of the time in which the program served.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/advice/bottleneck.h"
#include "report/advice/growth_place.h"
#include "report/advice/machine.h"
#include "report/advice/request_lines.h"
#include "report/advice/run_growth.h"
#include "report/advice/serving_tally.h"
#include "report/advice/wait_text.h"
#include "report/base/memory.h"
#include "report/base/text.h"
#include "report/base/units.h"

/* --- the GIL --- */

static bool serving_waits_for_gil(const struct bottleneck *bottleneck, size_t row)
{
	return bottleneck->waits->row[row].look.state == EVT_PYTHON_GIL;
}

/*
 * Returns the thread that suffers: an event loop, because all of its tasks wait with it, else the
 * thread that waits most.
 */
static size_t starved_thread(const struct bottleneck *bottleneck, const struct serving_tally *tally)
{
	const struct serving *serving = &bottleneck->serving;
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < tally->threads; i++)
		if (serving->thread[i].is_loop && tally->by_thread[i] &&
		    (found == SIZE_MAX || tally->by_thread[i] > tally->by_thread[found]))
			found = i;
	return found == SIZE_MAX ? serving_tally_thread(tally) : found;
}

/* Sums the lines of those that had the GIL while the thread waited for it. */
static uint64_t sum_holders(const struct bottleneck *bottleneck, size_t thread,
			    struct line_sums *ret_lines, uint32_t *ret_tid)
{
	const struct wait_looks *looks = bottleneck->waits;
	uint64_t looks_seen = 0, most_ns = 0;
	struct own own;

	line_sums_init(ret_lines);
	own_places_init(&own, looks->samples, bottleneck->source, run_options(bottleneck->run));
	for (size_t i = 0; i < looks->row_count; i++) {
		const struct wait_row *row = &looks->row[i];
		struct wait_place place;

		if (!serving_has(row) || row->look.state != EVT_PYTHON_GIL || !row->look.owner ||
		    bottleneck->serving.chains.of[row->look.thread].first != thread)
			continue;
		wait_place_look(looks->samples, &own, row->look.owner_place, &place);
		if (row->ns > most_ns) {
			most_ns = row->ns;
			*ret_tid = row->look.owner;
		}
		if (!place.has_line || !place.line.is_users)
			continue;
		place.line.ns = row->ns;
		place.line.looks = row->looks;
		line_sums_add(ret_lines, &place.line);
		looks_seen += row->looks;
	}
	own_release(&own);
	return looks_seen;
}

static const struct source_thread *thread_of_tid(const struct source_process *process, uint32_t tid)
{
	const struct source_thread *thread = process->first_thread;

	while (thread && thread->tid != tid)
		thread = thread->next;
	return thread;
}

static void say_holders(const struct bottleneck *bottleneck, size_t thread, uint64_t waited_ns,
			struct advice *advice)
{
	const struct source_thread *starved = bottleneck->waits->thread[thread], *holder;
	char text[STEP_LINE_BYTES], name[PLACE_NAME_BYTES];
	struct line_sums lines;
	struct step_line line;
	uint32_t tid = 0;
	uint64_t looks = sum_holders(bottleneck, thread, &lines, &tid);

	if (line_sums_most(&lines, &line)) {
		holder = thread_of_tid(starved->process, tid);
		step_line_text(bottleneck->lines, &line, text);
		step_line_put(bottleneck->lines, &line, &advice->place);
		advice_add(advice,
			   " Other threads had it: for %.0f %% of that time in %s (%" PRIu64
			   " samples%s).",
			   100.0 * (double)line.ns / (double)waited_ns, text, line.looks,
			   looks < WAIT_LOOKS_MIN ? ", so this is a guess" : "");
		if (holder) {
			wait_thread_name(holder, name);
			advice_add(advice, " The one seen with it most was %s.", name);
		}
	}
	line_sums_release(&lines);
}

bool advice_gil_starvation(const struct bottleneck *bottleneck, struct advice *advice)
{
	struct serving_tally tally;
	char time[UNIT_TEXT_BYTES], who[SERVING_WHO_BYTES];
	size_t thread = 0;
	bool applies;

	serving_tally_make(&tally, bottleneck, serving_waits_for_gil);
	applies = serving_tally_exceeds(&tally, bottleneck, advice);
	if (applies) {
		thread = starved_thread(bottleneck, &tally);
		advice->gain_ns = tally.by_thread[thread];
		applies = advice_exceeds(advice, 100.0 * (double)advice->gain_ns /
							 (double)bottleneck->serving.ns);
	}
	if (applies) {
		serving_say_who(bottleneck, thread, who);
		advice_say(advice,
			   "%s%s waited for the GIL for %.1f %% of the time after start-up (%s).",
			   bottleneck->serving.thread[thread].is_loop ? "the event loop on " : "",
			   who, advice->value, unit_format_ns(time, advice->gain_ns));
		say_holders(bottleneck, thread, advice->gain_ns, advice);
	}
	serving_tally_release(&tally);
	return applies;
}

/* --- pools --- */

#define POOL_LOOKS_MIN 20u

/* The threads of one pool: of one process, with names that differ in their last number only. */
struct pool {
	const struct source_thread *first;
	size_t name_length; /* of the name, without that number */
	uint64_t threads, ns, task_ns, task_waits_ns;
	uint64_t limit; /* threads that it may have; 0: not known */
};

static size_t pool_name_length(const char *name, size_t length)
{
	while (length && name[length - 1] >= '0' && name[length - 1] <= '9')
		length--;
	while (length && (name[length - 1] == '_' || name[length - 1] == '-'))
		length--;
	return length;
}

static bool is_of_pool(const struct pool *pool, const struct source_thread *thread)
{
	const char *name, *first;
	size_t length, first_length;

	if (pool->first->process != thread->process)
		return false;
	thread_name(thread, &name, &length);
	thread_name(pool->first, &first, &first_length);
	length = pool_name_length(name, length);
	return length == pool->name_length && !memcmp(name, first, length);
}

/* Returns the pools; the caller frees them. */
static struct pool *pools_of(const struct bottleneck *bottleneck, size_t *ret_count)
{
	const struct serving *serving = &bottleneck->serving;
	struct pool *pool = memory_zero(serving->thread_count + 1, sizeof(*pool));
	size_t count = 0;

	for (size_t i = 0; i < serving->thread_count; i++) {
		const struct source_thread *thread = bottleneck->waits->thread[i];
		size_t at = 0, length;
		const char *name;

		if (!thread || !serving->thread[i].pool_ns)
			continue;
		while (at < count && !is_of_pool(&pool[at], thread))
			at++;
		if (at == count) {
			thread_name(thread, &name, &length);
			pool[count++] = (struct pool){
				.first = thread, .name_length = pool_name_length(name, length)
			};
		}
		pool[at].threads++;
		if (thread->pool_threads > pool[at].limit)
			pool[at].limit = thread->pool_threads;
		pool[at].ns += serving->thread[i].pool_ns;
		pool[at].task_ns += serving->thread[i].task_ns;
		pool[at].task_waits_ns += serving->thread[i].task_waits_ns;
	}
	*ret_count = count;
	return pool;
}

#define CROWDED 1.5 /* requests at a time for each thread */

/*
 * How many requests were open at a time for each thread of pools whose limit is not known, as
 * anyio's, whose limiter is no part of the pool.
 */
static double pools_crowd(const struct bottleneck *bottleneck, const struct pool *pool,
			  size_t count)
{
	uint64_t threads = 0, all_ns = bottleneck->serving.ns;

	for (size_t i = 0; i < count; i++)
		threads += pool[i].limit ? 0 : pool[i].threads;
	return threads && all_ns ? (double)request_lines_total_ns(bottleneck->request_lines) /
					   (double)all_ns / (double)threads
				 : 0;
}

/*
 * Returns the busiest pool that has all the threads it may have, and whose tasks wait more than
 * they compute; NULL: there is none. A pool below its limit starts another thread instead.
 */
static const struct pool *pool_most(const struct pool *pool, size_t count, double crowd)
{
	const struct pool *most = NULL;

	for (size_t i = 0; i < count; i++)
		if ((pool[i].limit ? pool[i].threads >= pool[i].limit : crowd >= CROWDED) &&
		    pool[i].task_waits_ns * 2 > pool[i].task_ns &&
		    (!most || pool[i].task_ns / pool[i].threads > most->task_ns / most->threads))
			most = &pool[i];
	return most;
}

/* Returns for how long its tasks waited for a lock: with more threads they would wait longer. */
static uint64_t sum_tasks(const struct bottleneck *bottleneck, const struct pool *pool,
			  struct line_sums *ret_lines)
{
	const struct wait_looks *looks = bottleneck->waits;
	uint64_t locks_ns = 0;

	line_sums_init(ret_lines);
	for (size_t i = 0; i < looks->row_count; i++) {
		const struct wait_row *row = &looks->row[i];
		const struct wait_place *place = &bottleneck->serving.place[i];
		struct step_line line = place->line;

		if (!serving_has(row) || !place->is_in_task || !place->has_line || !line.is_users ||
		    !is_of_pool(pool, looks->thread[row->look.thread]))
			continue;
		line.ns = row->ns;
		line.looks = row->looks;
		line_sums_add(ret_lines, &line);
		if (serving_waits_for_lock(row, place))
			locks_ns += row->ns;
	}
	return locks_ns;
}

static void say_pool(struct advice *advice, const struct pool *pool, const char *name, double crowd)
{
	advice_say(
		advice,
		"the pool '%s' has %s%" PRIu64 " thread%s, which had a task for %.0f %% of their "
		"time and waited in it for %.0f %% of that.",
		name, pool->limit ? "all of its " : "", pool->threads, unit_plural(pool->threads),
		advice->value, 100.0 * (double)pool->task_waits_ns / (double)pool->task_ns);
	if (pool->limit)
		advice_add(advice,
			   " While all are busy, further tasks wait in the pool's queue; how many "
			   "was not recorded.");
	else
		advice_add(advice,
			   " For each of them %.1f requests were open at a time: that some waited "
			   "for a thread is likely, but was not recorded.",
			   crowd);
}

bool advice_pool_exhausted(const struct bottleneck *bottleneck, struct advice *advice)
{
	size_t count;
	struct pool *pools = pools_of(bottleneck, &count);
	double crowd = pools_crowd(bottleneck, pools, count);
	const struct pool *pool = pool_most(pools, count, crowd);
	char escaped[PLACE_NAME_BYTES];
	struct line_sums lines;
	uint64_t locks_ns;
	const char *name;
	size_t length;
	bool applies = pool &&
		       advice_exceeds(advice, 100.0 * (double)pool->task_ns / (double)pool->ns);

	if (applies) {
		locks_ns = sum_tasks(bottleneck, pool, &lines);
		thread_name(pool->first, &name, &length);
		text_escape(escaped, sizeof(escaped) / 2, name, pool->name_length);
		advice->of = ADVICE_OF_SERVING;
		advice->gain_ns = pool->task_ns / pool->threads;
		say_pool(advice, pool, escaped, crowd);
		applies = lines.looks >= POOL_LOOKS_MIN && locks_ns < pool->task_waits_ns / 2;
		wait_say_line_of(bottleneck, &lines, pool->task_ns, lines.looks, advice);
		line_sums_release(&lines);
	}
	free(pools);
	return applies;
}

/* --- workers and threads --- */

#define DEMAND_MIN 2.0 /* threads for each CPU */
#define USED_MIN 0.5   /* share of the CPUs that the recorded processes have */
#define CROWD_MIN \
	6.0 /* threads for each CPU, where other programs have more of the CPUs than that */
#define PART_MIN 0.02 /* of the CPU time; a process or thread with less does not count */

struct demand {
	double threads; /* that wanted a CPU, on average */
	double cpus;    /* that the recorded processes had, on average */
	double waiting; /* share of that time in which they had none */
	unsigned int processes;
	unsigned int counted; /* threads that wanted one for a part of the time */
};

/*
 * What a thread wanted: by samples, without its start-up; a thread without Python by the kernel's
 * counters, over its whole life.
 */
static void demand_of_thread(const struct bottleneck *bottleneck,
			     const struct source_thread *thread, uint64_t *ret_runs_ns,
			     uint64_t *ret_ready_ns)
{
	const struct serving *serving = &bottleneck->serving;

	*ret_runs_ns = *ret_ready_ns = 0;
	if (thread->index < serving->thread_count && serving->thread[thread->index].all_ns) {
		*ret_runs_ns = serving->thread[thread->index].runs_ns;
		*ret_ready_ns = serving->thread[thread->index].ready_ns;
	} else if (thread->cpu.is_looked && thread->cpu.last_ns > thread->cpu.start_ns) {
		*ret_runs_ns = thread->cpu.last_ns - thread->cpu.start_ns;
		*ret_ready_ns = thread->cpu.runnable_ns - thread->cpu.first_runnable_ns;
	}
}

static struct demand demand_of(const struct bottleneck *bottleneck)
{
	struct source_process *const *process;
	size_t count = source_processes(bottleneck->source, &process);
	uint64_t runs_ns = 0, ready_ns = 0, all_ns = bottleneck->serving.ns;
	struct demand demand = { .threads = 0 };

	for (size_t i = 0; i < count; i++) {
		unsigned int before = demand.counted;

		for (const struct source_thread *thread = process[i]->first_thread; thread;
		     thread = thread->next) {
			uint64_t runs, ready;

			demand_of_thread(bottleneck, thread, &runs, &ready);
			runs_ns += runs;
			ready_ns += ready;
			demand.counted += (double)(runs + ready) > PART_MIN * (double)all_ns;
		}
		demand.processes += demand.counted > before;
	}
	if (!all_ns || !(runs_ns + ready_ns))
		return demand;
	demand.threads = (double)(runs_ns + ready_ns) / (double)all_ns;
	demand.cpus = (double)source_cpu_ns(bottleneck->source) / (double)bottleneck->wall_ns;
	demand.waiting = (double)ready_ns / (double)(runs_ns + ready_ns);
	return demand;
}

static bool serving_runs(const struct bottleneck *bottleneck, size_t row)
{
	return serving_computes(bottleneck->waits->row[row].look.state);
}

bool advice_workers_times_threads(const struct bottleneck *bottleneck, struct advice *advice)
{
	unsigned long cores = machine_cores(bottleneck);
	struct serving_tally tally;
	struct demand demand;

	if (!bottleneck->serving.is_server || !cores || !machine_is_one(bottleneck) ||
	    bottleneck->limited || run_filters(bottleneck->run)->any)
		return false;
	demand = demand_of(bottleneck);
	if (demand.threads < (demand.cpus < USED_MIN * (double)cores ? CROWD_MIN : DEMAND_MIN) *
				     (double)cores ||
	    demand.counted <= cores || !advice_exceeds(advice, demand.threads / (double)cores))
		return false;
	advice->of = ADVICE_OF_SERVING;
	advice->gain_ns = (uint64_t)(demand.waiting * (double)bottleneck->serving.ns);
	advice_say(advice,
		   "%u process%s with %u threads in all wanted %.1f CPUs at a time on average, and "
		   "there are %lu: each thread waited for a CPU for %.0f %% of the time that it "
		   "could run.",
		   demand.processes, demand.processes == 1 ? "" : "es", demand.counted,
		   demand.threads, cores, 100 * demand.waiting);
	serving_tally_make(&tally, bottleneck, serving_runs);
	wait_say_line_of(bottleneck, &tally.lines, tally.ns, tally.looks, advice);
	advice->waits_at[0] = '\0';
	serving_tally_release(&tally);
	return true;
}

/* --- memory --- */

bool advice_memory_growth(const struct bottleneck *bottleneck, struct advice *advice)
{
	uint64_t peak_bytes = bottleneck->heap->totals.peak_bytes;
	char peak[UNIT_TEXT_BYTES];
	struct growth_place found;

	if (!bottleneck->serving.is_server)
		return run_growth_say(bottleneck, advice);
	found = growth_place_say_kept(bottleneck, bottleneck->heap_growth, advice);
	if (!found.is_found) {
		found = growth_place_say_kept(bottleneck, bottleneck->object_growth, advice);
		peak_bytes = 0;
	}
	if (!found.is_found)
		return run_growth_say(bottleneck, advice);
	if (!advice_exceeds(advice, (double)found.bytes))
		return false;
	advice->is_unbounded = peak_bytes && found.bytes > peak_bytes / 2;
	if (advice->is_unbounded)
		advice_add(advice, " That is most of the heap, whose peak is %s.",
			   unit_format_bytes(peak, peak_bytes));
	return true;
}
