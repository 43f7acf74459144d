/* SPDX-License-Identifier: MIT */
/*
 * A line is the advice's place if a change there is likely to help. Each sentence has the number of
 * its samples.
 */
#include "report/advice/wait_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/base/text.h"

#define LACKED_MIN 0.2    /* of the time: less without a CPU hides no wait */
#define WAIT_MATTERS 0.3  /* of the time outside of operators */
#define WAIT_MOST 0.5     /* of it all: it is the title then */
#define WORK_MATTERS 0.5  /* of that time */
#define NEARLY_ALL 0.8    /* share of the wait */
#define GIL_MIN 0.2       /* share of the time of those at work */
#define MEANWHILE_MIN 0.4 /* share of the CPU time of others */
#define BESIDE_MIN 0.3    /* share of the wait; less is not mentioned */
#define ANOTHER_MIN 0.5   /* share of the wait; a second thread with so much may be meant as well */

/* By the samples of what is said, here: of the line, not of the whole wait. */
static const char *wait_text_guess(uint64_t looks)
{
	return looks < WAIT_LOOKS_MIN ? ", so this is a guess" : "";
}

void wait_say_line_of(const struct bottleneck *bottleneck, const struct line_sums *lines,
		      uint64_t ns, uint64_t looks, struct advice *advice)
{
	char text[STEP_LINE_BYTES];
	struct step_line line;

	if (!line_sums_most(lines, &line) || !ns) {
		advice_add(advice, " That rests on %" PRIu64 " samples%s.", looks,
			   wait_text_guess(looks));
		advice->place.samples = looks;
		return;
	}
	step_line_text(bottleneck->lines, &line, text);
	step_line_put(bottleneck->lines, &line, &advice->place);
	snprintf(advice->waits_at, sizeof(advice->waits_at), "%s", advice->place.line);
	advice->place.part = 100.0 * (double)line.ns / (double)ns;
	advice_add(advice, " %.0f %% of that was in %s (%" PRIu64 " samples%s).",
		   advice->place.part, text, line.looks, wait_text_guess(line.looks));
}

void wait_say_line(const struct bottleneck *bottleneck, const struct wait_cause *cause,
		   struct advice *advice)
{
	wait_say_line_of(bottleneck, &cause->lines, cause->ns, cause->looks, advice);
}

void wait_thread_name(const struct source_thread *thread, char shown[PLACE_NAME_BYTES])
{
	char escaped[PLACE_NAME_BYTES / 2];
	size_t length;
	const char *name;

	thread_name(thread, &name, &length);
	text_escape(escaped, sizeof(escaped), name, length);
	if (length)
		snprintf(shown, PLACE_NAME_BYTES, "'%s' (%u)", escaped, thread->tid);
	else
		snprintf(shown, PLACE_NAME_BYTES, "%u", thread->tid);
}

/*
 * Returns whether another thread of the program ends the wait, and not a file, a clock or another
 * program.
 */
static bool follows_a_thread(const struct wait_cause *cause)
{
	return cause->kind == WAIT_LOCK || cause->kind == WAIT_QUEUE ||
	       cause->kind == WAIT_PROCESS_QUEUE || cause->kind == WAIT_FUTURE ||
	       cause->kind == WAIT_EVENT || cause->kind == WAIT_THREAD;
}

/* Returns whether a server in the program itself may be at the other end. */
static bool may_be_own_socket(const struct bottleneck *bottleneck, const struct wait_cause *cause,
			      const struct wait_beside *beside)
{
	return cause->state == EVT_PYTHON_IO &&
	       (cause->kind == WAIT_IN_C || cause->kind == WAIT_LIBRARY) &&
	       bottleneck->waits->thread[beside->thread]->process == bottleneck->process;
}

static unsigned int threads_at_work(const struct wait_cause *cause, double share)
{
	unsigned int count = 0;

	for (size_t i = 0; i < cause->beside_count; i++)
		count += (double)cause->beside[i].lines.ns >= share * (double)cause->ns;
	return count;
}

/*
 * Says that others waited for a lock meanwhile, and where those were that did not: one of them had
 * it. Returns false if nothing is said.
 */
static bool say_locked(const struct bottleneck *bottleneck, const struct wait_cause *cause,
		       struct advice *advice)
{
	char text[STEP_LINE_BYTES];
	struct step_line locked, line;

	if (!follows_a_thread(cause) || cause->locked.ns <= cause->others.ns ||
	    !line_sums_most(&cause->locked, &locked) || locked.looks < WAIT_LOOKS_MIN)
		return false;
	step_line_text(bottleneck->lines, &locked, text);
	advice_add(advice,
		   " Other threads waited for a lock meanwhile, or for each other, most of them in "
		   "%s (%" PRIu64 " samples).",
		   text, locked.looks);
	if (!line_sums_most(&cause->others, &line) || line.looks < WAIT_LOOKS_MIN ||
	    (double)line.ns < NEARLY_ALL * (double)cause->others.ns)
		return true;
	step_line_text(bottleneck->lines, &line, text);
	advice_add(advice,
		   " Those that did not wait for it were in %s for %.0f %% of their time (%" PRIu64
		   " samples): the lock was likely held there, which was not recorded.",
		   text, 100 * (double)line.ns / (double)cause->others.ns, line.looks);
	step_line_put(bottleneck->lines, &line, &advice->place);
	memcpy(advice->at_work, advice->place.line, sizeof(advice->place.line));
	advice->todo = "Hold the lock for less: do the work and the waiting before, and take the "
		       "lock only to store the result.";
	return true;
}

/*
 * Says that others worked meanwhile, nearly always in one line, so the wait was for that line
 * whichever thread it was. Returns false if nothing is said.
 */
static bool say_others(const struct bottleneck *bottleneck, const struct wait_cause *cause,
		       struct advice *advice)
{
	char text[STEP_LINE_BYTES];
	struct step_line line;
	double share;

	if (!follows_a_thread(cause) || threads_at_work(cause, ANOTHER_MIN) < 2 ||
	    !line_sums_most(&cause->others, &line) || line.looks < WAIT_LOOKS_MIN)
		return false;
	share = (double)line.ns / (double)cause->others.ns;
	if (share < NEARLY_ALL)
		return false;
	step_line_text(bottleneck->lines, &line, text);
	advice_add(advice,
		   " %zu other threads were at work meanwhile, for %.0f %% of their time in %s "
		   "(%" PRIu64 " samples).",
		   cause->beside_count, 100 * share, text, line.looks);
	step_line_put(bottleneck->lines, &line, &advice->place);
	memcpy(advice->at_work, advice->place.line, sizeof(advice->place.line));
	return true;
}

/* Says that threads which compute at the same time take turns. */
static void say_turns(const struct wait_cause *cause, struct advice *advice)
{
	if (!follows_a_thread(cause) || threads_at_work(cause, ANOTHER_MIN) < 2 ||
	    cause->gil_ns < cause->running_ns ||
	    (double)cause->gil_ns < GIL_MIN * (double)cause->others.ns)
		return;
	advice_add(advice,
		   " They waited for the GIL for %.0f %% of that, and ran for %.0f %%: only one "
		   "thread of a process runs Python at a time.",
		   100.0 * (double)cause->gil_ns / (double)cause->others.ns,
		   100.0 * (double)cause->running_ns / (double)cause->others.ns);
	advice->todo = "Threads do not make Python code faster. Use processes instead "
		       "(ProcessPoolExecutor, multiprocessing), or a library that lets the GIL go "
		       "while it computes.";
}

/* Says what the library did for it in other threads and processes. */
static void say_meanwhile(const struct wait_cause *cause, struct advice *advice)
{
	const struct wait_work *most = wait_works_most(&cause->meanwhile);
	char waits_for[sizeof(advice->waits_for)];
	double share = most ? (double)most->ns / (double)cause->computed_ns : 0;

	if (!most || share < MEANWHILE_MIN || most->looks < WAIT_LOOKS_MIN ||
	    strcmp(most->work->id, "PICKLE") != 0)
		return;
	advice_add(advice,
		   " Meanwhile other threads or processes were on a CPU, for %.0f %% of that in %s "
		   "(%" PRIu64 " samples).",
		   100 * share, most->work->words, most->looks);
	advice->todo = most->work->todo;
	snprintf(waits_for, sizeof(waits_for), "%.36s while objects are pickled",
		 advice->waits_for);
	if (advice->waits_for[0])
		memcpy(advice->waits_for, waits_for, sizeof(waits_for));
}

static void say_thread(const struct bottleneck *bottleneck, const struct wait_cause *cause,
		       struct advice *advice)
{
	const struct wait_beside *beside = wait_cause_beside(cause);
	struct advice_place at_work = { .samples = 0 };
	char text[STEP_LINE_BYTES], name[PLACE_NAME_BYTES];
	struct step_line line;
	double share;

	if (say_locked(bottleneck, cause, advice) || say_others(bottleneck, cause, advice))
		return;
	if (!beside || !line_sums_most(&beside->lines, &line) || !cause->ns ||
	    (!follows_a_thread(cause) && !may_be_own_socket(bottleneck, cause, beside)))
		return;
	share = (double)line.ns / (double)cause->ns;
	if (share < BESIDE_MIN || line.looks < WAIT_LOOKS_MIN)
		return;
	step_line_text(bottleneck->lines, &line, text);
	wait_thread_name(bottleneck->waits->thread[beside->thread], name);
	advice_add(advice,
		   " At the same time thread %s was in %s for %.0f %% of it (%" PRIu64
		   " samples)%s.",
		   name, text, 100 * (share < 1 ? share : 1), line.looks,
		   threads_at_work(cause, ANOTHER_MIN) > 1
			   ? ", and other threads were at work, too; which one it waited for was "
			     "not recorded"
			   : "; that it waited for that is likely, but was not recorded");
	if (share < NEARLY_ALL || threads_at_work(cause, ANOTHER_MIN) != 1)
		return;
	step_line_put(bottleneck->lines, &line, &at_work);
	memcpy(advice->at_work, at_work.line, sizeof(at_work.line));
	if (follows_a_thread(cause))
		advice->place = at_work;
}

void wait_say_beside(const struct bottleneck *bottleneck, const struct wait_cause *cause,
		     struct advice *advice)
{
	say_thread(bottleneck, cause, advice);
	say_turns(cause, advice);
	say_meanwhile(cause, advice);
}

/* --- the loop's thread, outside of operators --- */

bool wait_lacks_cpu(uint64_t ready_ns, uint64_t all_ns)
{
	return (double)ready_ns >= LACKED_MIN * (double)all_ns && ready_ns < all_ns;
}

const struct wait_cause *wait_say_cause(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct wait_causes *causes = bottleneck->wait_causes;
	bool lacks_cpu = wait_lacks_cpu(causes->outside_ready_ns, causes->outside_ns);
	uint64_t own_ns = causes->outside_ns - (lacks_cpu ? causes->outside_ready_ns : 0);
	const struct wait_cause *most = NULL;
	char room[64];
	const char *words;

	for (size_t i = 0; i < causes->count; i++)
		if (!most || causes->cause[i].ns > most->ns)
			most = &causes->cause[i];
	if (!most || most->looks < WAIT_LOOKS_MIN ||
	    (double)most->ns < WAIT_MATTERS * (double)own_ns)
		return NULL;
	words = wait_cause_text(most, room);
	advice_add(advice, " For %.0f %% of the time outside of operators%s it waits for %s.",
		   100.0 * (double)most->ns / (double)own_ns, lacks_cpu ? WAIT_WITHOUT_CPU "," : "",
		   words);
	if ((double)most->ns >= WAIT_MOST * (double)causes->outside_ns)
		snprintf(advice->waits_for, sizeof(advice->waits_for), "%s", words);
	if (most->kind == WAIT_CHECKPOINT)
		advice->todo = "Save less often, to a faster disk, or while the training goes on "
			       "(torch.distributed.checkpoint.async_save()).";
	return most;
}

/* Says which part of Python's library runs there, and what is faster. */
void wait_say_work(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct wait_causes *causes = bottleneck->wait_causes;
	const struct wait_work *work = wait_works_most(&causes->works);

	if (!work || work->looks < WAIT_LOOKS_MIN ||
	    (double)work->ns < WORK_MATTERS * (double)causes->outside_ns)
		return;
	advice_add(advice,
		   " %.0f %% of the time outside of operators passes in %s (%" PRIu64 " samples).",
		   100.0 * (double)work->ns / (double)causes->outside_ns, work->work->words,
		   work->looks);
	advice->todo = work->work->todo;
	advice_set_does(advice, work->work->words);
}
