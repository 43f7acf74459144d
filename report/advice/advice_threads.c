/* SPDX-License-Identifier: MIT */
/*
 * The rules about threads. A loop's thread without a CPU does not prove that the program has too
 * many threads, for others may be busy on the machine: the recorded processes must keep its CPUs
 * busy themselves.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/advice/bottleneck.h"
#include "report/advice/machine.h"

#define WINDOW_NS_MIN 3000000000u /* CPU times of processes are reported every half second */
#define BUSY_MIN 0.85             /* share of all CPUs */

/*
 * Returns the process whose loop's thread had no CPU for the largest share of its settled steps;
 * NULL: not known.
 */
static const struct evidence_process *find_starved(const struct evidence *evidence,
						   double *ret_share)
{
	const struct evidence_process *found = NULL;

	*ret_share = 0;
	for (size_t i = 0; i < evidence->process_room; i++) {
		const struct evidence_process *at = &evidence->process[i];
		uint64_t window_ns = at->to.time_ns - at->from.time_ns;
		double share;

		if (!at->from.time_ns || !at->from.is_known || window_ns < WINDOW_NS_MIN)
			continue;
		share = (double)(at->to.runnable_ns - at->from.runnable_ns) / (double)window_ns;
		/* a look may come later than its time, as of a collector without a CPU itself */
		if (share > 1)
			share = 1;
		if (share <= *ret_share)
			continue;
		*ret_share = share;
		found = at;
	}
	return found;
}

struct starving {
	double busy; /* CPUs that the recorded processes kept busy meanwhile */
	unsigned long cores;
};

/*
 * Returns whether the loop's thread was runnable without a CPU for at least the advice's share of
 * the time.
 */
static bool loop_starves(const struct bottleneck *bottleneck, struct advice *advice,
			 struct starving *ret_starving)
{
	unsigned long cores = machine_cores(bottleneck);
	const struct evidence_process *starved;
	double share;

	starved = find_starved(bottleneck->evidence, &share);
	if (!starved || !cores || !machine_is_one(bottleneck) ||
	    !advice_exceeds(advice, 100 * share))
		return false;
	advice->gain_ns = (uint64_t)(share * (double)bottleneck->loop.total_ns);
	*ret_starving = (struct starving){ (double)(starved->to.cpu_ns - starved->from.cpu_ns) /
						   (double)(starved->to.time_ns -
							    starved->from.time_ns),
					   cores };
	if (ret_starving->busy > (double)cores)
		ret_starving->busy = (double)cores;
	return true;
}

bool advice_oversubscribed_threads(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct source_name *threads;
	struct starving starving;

	if (!loop_starves(bottleneck, advice, &starving) ||
	    starving.busy < BUSY_MIN * (double)starving.cores)
		return false;
	threads = bottleneck_fact(bottleneck, "torch_threads");
	advice_say(
		advice,
		"the thread of the loop was ready to run and had no CPU for %.1f %% of the time, "
		"and the recorded processes themselves kept %.1f of %lu CPUs busy%s%.*s.",
		advice->value, starving.busy, starving.cores,
		threads ? "; number of threads of torch at its import: " : "",
		threads ? (int)threads->length : 0, threads ? threads->text : "");
	if (!bottleneck->has_workers)
		advice->todo = "Use fewer threads, as many in all processes together as there are "
			       "CPUs: torch.set_num_threads(N) or OMP_NUM_THREADS.";
	return true;
}

/* The same without steps, for the main thread's whole life. */
static bool main_starves(const struct bottleneck *bottleneck, struct advice *advice)
{
	unsigned long cores = machine_cores(bottleneck);
	struct machine_thread thread;
	double busy;

	if (!cores || !machine_main_thread(bottleneck, &thread))
		return false;
	busy = (double)source_cpu_ns(bottleneck->source) / (double)bottleneck->wall_ns;
	if (busy >= BUSY_MIN * (double)cores ||
	    !advice_exceeds(advice, 100 * (double)thread.runnable_ns / (double)thread.life_ns))
		return false;
	advice->of = ADVICE_OF_RUN;
	advice->gain_ns = thread.runnable_ns;
	advice_say(
		advice,
		"the main thread was ready to run and had no CPU for %.1f %% of its life, though "
		"the recorded processes kept only %.1f of %lu CPUs busy.",
		advice->value, busy, cores);
	return true;
}

/*
 * The same if the recorded processes leave CPUs free: other programs have them, or a limit holds.
 */
bool advice_cpu_contention(const struct bottleneck *bottleneck, struct advice *advice)
{
	struct starving starving;

	if (!bottleneck->steps->time.count)
		return main_starves(bottleneck, advice);
	if (!loop_starves(bottleneck, advice, &starving) ||
	    starving.busy >= BUSY_MIN * (double)starving.cores)
		return false;
	advice_say(advice,
		   "the thread of the loop was ready to run and had no CPU for %.1f %% of the "
		   "time, though the recorded processes kept only %.1f of %lu CPUs busy.",
		   advice->value, starving.busy, starving.cores);
	return true;
}

#define STOPS_NS_MIN 2000000000u /* it is known to a second */

/* A signal had stopped a process: it neither ran nor waited for anything. */
bool advice_stopped(const struct bottleneck *bottleneck, struct advice *advice)
{
	struct source_process *const *process;
	const struct source_process *longest = NULL;
	size_t count = source_processes(bottleneck->source, &process), others = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t ns = process_stops_ns(process[i]);

		others += ns >= STOPS_NS_MIN;
		if (ns >= STOPS_NS_MIN && (!longest || ns > process_stops_ns(longest)))
			longest = process[i];
	}
	if (!longest || !bottleneck->wall_ns || run_filters(bottleneck->run)->any)
		return false;
	advice->gain_ns = process_stops_ns(longest);
	advice->of = ADVICE_OF_RUN;
	if (!advice_exceeds(advice, 100.0 * (double)advice->gain_ns / (double)bottleneck->wall_ns))
		return false;
	advice_say(advice, "a signal (SIGSTOP) had stopped process %u for about %.0f s",
		   longest->pid, (double)advice->gain_ns / 1e9);
	if (others > 1)
		advice_add(advice, ", and %zu other%s as well", others - 1, others == 2 ? "" : "s");
	advice_add(advice, ".");
	return true;
}

#define GIL_LOOKS_MIN 50u

/*
 * Names the line that has the GIL meanwhile, if one stands out. If that is not the user's, the
 * place is the user's line that waits, which may well have asked for the other's work.
 */
static void say_gil_lines(const struct step_lines *lines, struct advice *advice)
{
	char text[STEP_LINE_BYTES], guess[STEP_LINE_GUESS_BYTES];
	struct step_line holder, line;
	double percent;
	bool has_holder = step_lines_find(lines, STEP_LINES(HOLDERS), &holder, &percent);

	if (has_holder) {
		step_line_text(lines, &holder, text);
		step_line_put(lines, &holder, &advice->place);
		advice_add(advice, " Another thread had it: %.0f %% of that time in %s%s.", percent,
			   text, step_line_guess(&holder, guess));
	}
	if (advice->place.line[0] ||
	    !step_lines_find(lines, STEP_LINES(STARVED), &line, &percent) || !line.is_users)
		return;
	step_line_text(lines, &line, text);
	step_line_put(lines, &line, &advice->place);
	if (has_holder)
		step_line_put_name(lines->source, holder.file, holder.number, advice->has_gil);
	advice_add(advice, " The loop waited for it in %s, for %.0f %% of that time%s.", text,
		   percent, step_line_guess(&line, guess));
}

/* The loop's thread waits for the GIL in its steps. */
bool advice_gil_contention(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct step_lines *lines = bottleneck->lines;
	double share;

	if (!lines || lines->all_looks < GIL_LOOKS_MIN || !lines->all_ns)
		return false;
	share = (double)lines->gil_ns / (double)lines->all_ns;
	if (!advice_exceeds(advice, 100 * share))
		return false;
	advice->gain_ns = (uint64_t)(share * (double)bottleneck->loop.total_ns);
	advice_say(
		advice,
		"by samples, the thread of the loop waited for the GIL for %.1f %% of the steps' "
		"time.",
		advice->value);
	say_gil_lines(lines, advice);
	return true;
}
