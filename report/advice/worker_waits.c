/* SPDX-License-Identifier: MIT */
/*
 * A worker is slow if it worked for at least half of the time that the loop waited during its life,
 * and every worker beside it for less than a third of its share. Few samples make no slow worker.
 */
#include "report/advice/worker_waits.h"

#include <stdlib.h>

#include "report/advice/bottleneck.h"
#include "report/advice/line_sums.h"
#include "report/advice/wait_looks.h"
#include "report/advice/wait_places.h"
#include "report/base/memory.h"

#define BUSY_MIN 0.5  /* share of the loop's waits */
#define TIMES_MIN 3.0 /* multiple of any other worker's share */
#define LOOKS_MIN 20u

/* A worker while the loop waited. */
struct worker {
	const struct source_process *process; /* NULL: no worker, or not seen then */
	uint64_t seen_ns, busy_ns, busy_looks;
	bool is_slow;
};

struct looking {
	const struct bottleneck *bottleneck;
	const struct wait_looks *looks;
	struct own own;
	struct worker *worker; /* by index of the process */
	size_t count;
};

/*
 * Returns whether a worker's main thread is making a sample. It runs also if its stack could not be
 * read.
 */
static bool worker_waits_is_at_work(const struct wait_pair *pair, const struct wait_place *place)
{
	return place->is_in_sample || (!place->is_worker && pair->state == EVT_PYTHON_TORN);
}

static void each_pair(struct looking *looking,
		      void (*take)(struct looking *, const struct wait_pair *,
				   const struct wait_place *, void *),
		      void *context)
{
	const struct wait_looks *looks = looking->looks;

	for (size_t i = 0; i < looks->pair_count; i++) {
		const struct wait_pair *pair = &looks->pair[i];
		const struct source_thread *thread = looks->thread[pair->thread];
		struct wait_place place;

		if (looks->row[pair->row].look.of != WAIT_OF_LOADER ||
		    thread->tid != thread->process->pid || !bottleneck_is_worker(thread->process))
			continue;
		wait_place_look(looks->samples, &looking->own, pair->place, &place);
		take(looking, pair, &place, context);
	}
}

static void add_worker(struct looking *looking, const struct wait_pair *pair,
		       const struct wait_place *place, void *context)
{
	struct worker *worker = &looking->worker[pair->process];

	(void)context;
	worker->process = looking->looks->process[pair->process];
	worker->seen_ns += pair->ns;
	if (!worker_waits_is_at_work(pair, place))
		return;
	worker->busy_ns += pair->ns;
	worker->busy_looks += pair->looks;
}

struct sums {
	struct line_sums all, slow;
};

static void add_line(struct looking *looking, const struct wait_pair *pair,
		     const struct wait_place *place, void *context)
{
	struct sums *sums = context;
	struct step_line line = place->line;

	if (!worker_waits_is_at_work(pair, place) || !place->has_line)
		return;
	line.ns = pair->ns;
	line.looks = pair->looks;
	line_sums_add(&sums->all, &line);
	if (looking->worker[pair->process].is_slow)
		line_sums_add(&sums->slow, &line);
}

/* --- sets --- */

static bool lived_beside(const struct source_process *one, const struct source_process *other)
{
	uint64_t from_ns = one->start_ns > other->start_ns ? one->start_ns : other->start_ns;
	uint64_t to_ns = one->end_ns < other->end_ns ? one->end_ns : other->end_ns;

	return one->parent == other->parent && from_ns < to_ns &&
	       (to_ns - from_ns) * 2 >= one->end_ns - one->start_ns;
}

static double worker_waits_share_of(const struct worker *worker)
{
	return worker->seen_ns ? (double)worker->busy_ns / (double)worker->seen_ns : 0;
}

/* Adds the worker's samples if all others worked much less. */
static void worker_waits_judge(struct looking *looking, struct worker *slow,
			       struct worker_waits *waits)
{
	uint64_t others = 0, busy_ns = 0, seen_ns = 0, cpu_ns = 0;

	if (!slow->process || slow->busy_looks < LOOKS_MIN ||
	    worker_waits_share_of(slow) < BUSY_MIN)
		return;
	for (size_t i = 0; i < looking->count; i++) {
		const struct worker *other = &looking->worker[i];

		if (other == slow || !other->process ||
		    !lived_beside(slow->process, other->process))
			continue;
		if (worker_waits_share_of(other) * TIMES_MIN > worker_waits_share_of(slow))
			return;
		others++;
		busy_ns += other->busy_ns;
		seen_ns += other->seen_ns;
		cpu_ns += other->process->cpu_ns;
	}
	if (!others)
		return;
	slow->is_slow = true;
	waits->slow_pid = waits->sets ? waits->slow_pid : slow->process->pid;
	waits->sets++;
	waits->workers += (unsigned int)others + 1;
	waits->others += others;
	waits->slow_busy_ns += slow->busy_ns;
	waits->slow_seen_ns += slow->seen_ns;
	waits->slow_looks += slow->busy_looks;
	waits->slow_cpu_ns += slow->process->cpu_ns;
	waits->others_busy_ns += busy_ns;
	waits->others_seen_ns += seen_ns;
	waits->others_cpu_ns += cpu_ns;
}

/* --- the whole --- */

static void find_workers(struct looking *looking, struct worker_waits *waits)
{
	const struct wait_looks *looks = looking->looks;

	each_pair(looking, add_worker, NULL);
	for (size_t i = 0; i < looking->count; i++) {
		worker_waits_judge(looking, &looking->worker[i], waits);
		waits->busy_ns += looking->worker[i].busy_ns;
		waits->busy_looks += looking->worker[i].busy_looks;
	}
	for (size_t i = 0; i < looks->row_count; i++)
		if (looks->row[i].look.of == WAIT_OF_LOADER &&
		    wait_is_one(looks->row[i].look.state))
			waits->all_seen_ns += looks->row[i].ns;
}

void worker_waits_look(const struct bottleneck *bottleneck, struct worker_waits *ret_waits)
{
	struct looking looking = { .bottleneck = bottleneck,
				   .looks = bottleneck->waits,
				   .count = bottleneck->waits->process_room };
	struct sums sums;

	*ret_waits = (struct worker_waits){ .sets = 0 };
	if (!looking.looks->pair_count)
		return;
	own_places_init(&looking.own, looking.looks->samples, bottleneck->source,
			run_options(bottleneck->run));
	looking.worker = memory_zero(looking.count, sizeof(*looking.worker));
	find_workers(&looking, ret_waits);
	line_sums_init(&sums.all);
	line_sums_init(&sums.slow);
	each_pair(&looking, add_line, &sums);
	ret_waits->has_line = line_sums_most(&sums.all, &ret_waits->line);
	ret_waits->has_slow_line = line_sums_most(&sums.slow, &ret_waits->slow_line);
	ret_waits->slow_line_of_ns = sums.slow.ns;
	line_sums_release(&sums.all);
	line_sums_release(&sums.slow);
	free(looking.worker);
	own_release(&looking.own);
}
