/* SPDX-License-Identifier: MIT */
/* Rules about where the time of all steps together goes. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/advice/bottleneck.h"
#include "report/advice/compile_wraps.h"
#include "report/advice/place_text.h"
#include "report/advice/wait_text.h"
#include "report/base/text.h"
#include "report/base/units.h"

#define BESIDE_MATTERS 0.1 /* share of the place's time */
#define OPERATOR_SMALL_NS 10000u
#define STATE_BYTES 120
#define WORK_MATTERS 0.5   /* of the time in the DataLoader */
#define ITEM_SHARE_MIN 1   /* % */
#define ITEMS_MANY 100     /* a step */
#define LINE_LOOKS_MIN 20u /* samples that a line of many gaps needs */
#define NEARLY_ALL 0.9
#define GIL_MOST 0.1               /* of the samples' time */
#define LINE_TIMES 1.5             /* what it has of the largest of them */
#define OPERATORS_MANY 20u         /* a step */
#define OPTIMIZER_OPERATORS_MIN 40 /* operators a call: some parameters, one operator each */
#define OPTIMIZER_GROUPED_MAX 0.1

static double per_step(const struct bottleneck *bottleneck, uint64_t count)
{
	uint64_t steps = bottleneck->loop.steps;

	return steps ? (double)count / (double)steps : 0;
}

/* Sets the share of the steps' time, which limits the gain. Returns whether it is large enough. */
static bool share_exceeds(const struct bottleneck *bottleneck, struct advice *advice, uint64_t ns)
{
	advice->gain_ns = ns;
	return advice_exceeds(advice, bottleneck_share(bottleneck, ns));
}

/* Says where the workers were while the loop waited for them. */
static void say_workers(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct worker_waits *waits = &bottleneck->worker_waits;
	char text[STEP_LINE_BYTES];

	if (!waits->has_line || !waits->busy_ns || waits->busy_looks < WAIT_LOOKS_MIN)
		return;
	step_line_text(bottleneck->lines, &waits->line, text);
	step_line_put(bottleneck->lines, &waits->line, &advice->place);
	advice_add(advice,
		   " By samples, the workers were in %s for %.0f %% of their work meanwhile "
		   "(%" PRIu64 " samples).",
		   text, 100.0 * (double)waits->line.ns / (double)waits->busy_ns,
		   waits->line.looks);
}

#define WORKERS_TODO                                                                         \
	"The loop waits for its workers. lines has their lines: make faster what "           \
	"they do for each sample, or start more of them, and keep them from epoch to epoch " \
	"with persistent_workers=True."

/* Without steps: what the main thread waits for, and the workers' line. */
static bool loader_of_run(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct wait_cause *cause = wait_causes_of(bottleneck->wait_causes, WAIT_LOADER);
	char text[STEP_LINE_BYTES];
	struct step_line line;

	if (!wait_cause_exceeds(bottleneck, advice, cause))
		return false;
	advice_say(advice, "the main thread waits for the DataLoader for %.1f %% of the run.",
		   advice->value);
	wait_say_line(bottleneck, cause, advice);
	advice->todo = WORKERS_TODO;
	snprintf(advice->command, sizeof(advice->command), "lines");
	if (!line_sums_most(&cause->others, &line) || line.looks < WAIT_LOOKS_MIN ||
	    line.ns < cause->ns / 2) /* else they did other things, such as starting */
		return true;
	step_line_text(bottleneck->lines, &line, text);
	step_line_put(bottleneck->lines, &line, &advice->place);
	advice_add(advice,
		   " %.0f %% of the workers' time meanwhile was in %s (%" PRIu64 " samples).",
		   100.0 * (double)line.ns / (double)cause->others.ns, text, line.looks);
	return true;
}

/* Returns whether a line of the user's makes the samples in the loop's own process. */
static bool line_of_loader(const struct bottleneck *bottleneck)
{
	struct step_line line;
	double percent;

	return step_lines_find(bottleneck->lines, STEP_LINES(DATALOADER), &line, &percent) &&
	       line.is_users;
}

/* What the loop itself does to get a batch: without workers, all that makes one. */
static void say_loader_work(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct wait_causes *causes = bottleneck->wait_causes;
	const struct wait_work *work = wait_works_most(&causes->loader);

	/* batches come from workers in shared memory: their pickles are small */
	if (!work || work->looks < WAIT_LOOKS_MIN || !strcmp(work->work->id, "PICKLE") ||
	    (double)work->ns < WORK_MATTERS * (double)causes->loader_ns)
		return;
	advice_add(advice, " %.0f %% of that time passes in %s (%" PRIu64 " samples).",
		   100.0 * (double)work->ns / (double)causes->loader_ns, work->work->words,
		   work->looks);
	advice->todo = work->work->todo;
}

bool advice_dataloader(const struct bottleneck *bottleneck, struct advice *advice)
{
	uint64_t ns = bottleneck->loop.ns[STEP_dataloader] - bottleneck->restarts.dataloader_ns;
	char time[UNIT_TEXT_BYTES], workers[UNIT_TEXT_BYTES];

	if (!bottleneck->steps->time.count)
		return loader_of_run(bottleneck, advice);
	if (!share_exceeds(bottleneck, advice, ns))
		return false;
	advice_say(advice,
		   "waiting for the DataLoader takes %.1f %% of the steps' time (%s a step)",
		   advice->value, unit_format_ns(time, ns / bottleneck->loop.steps));
	if (bottleneck->workers)
		advice_add(advice, "; %s worker process%s.",
			   unit_format_count(workers, bottleneck->workers),
			   bottleneck->workers > 1 ? "es were seen in all" : " was seen");
	else if (bottleneck->has_workers)
		advice_add(advice, "; its worker processes were not recorded.");
	else
		advice_add(advice, "; no worker process was seen.");
	if (bottleneck->has_workers)
		advice->todo = WORKERS_TODO;
	if (bottleneck->workers)
		say_workers(bottleneck, advice);
	else if (!bottleneck->has_workers && line_of_loader(bottleneck))
		advice->todo =
			"Make that line faster first, or do its work once, before the training. "
			"Worker processes of the DataLoader can do it while the loop runs.";
	say_loader_work(bottleneck, advice);
	return true;
}

/*
 * Returns the thread's run-queue time in all settled steps as a share of its CPU time; -1: not
 * known.
 */
static double runnable_share(const struct bottleneck *bottleneck, uint32_t thread)
{
	const struct evidence *evidence = bottleneck->evidence;

	for (size_t i = 0; i < evidence->process_room; i++) {
		const struct evidence_scheduler *from = &evidence->process[i].from,
						*to = &evidence->process[i].to;

		if (!from->time_ns || evidence->process[i].thread != thread)
			continue;
		if (!to->is_known || to->running_ns <= from->running_ns)
			return -1;
		return (double)(to->runnable_ns - from->runnable_ns) /
		       (double)(to->running_ns - from->running_ns);
	}
	return -1;
}

/* Adds a sentence on the thread's state, if one is known, and what helps. */
static void say_state(const struct bottleneck *bottleneck, const struct gap_place *place,
		      struct advice *advice, char text[STATE_BYTES])
{
	static const char *const todo[] = {
		[GAP_RUNNING] = "That is Python code, or C code that it calls. Make it faster, do "
				"its work once, before the loop, or leave it to workers, ahead of "
				"the loop.",
		[GAP_WAITING] = "Look at what it waits for there. Prepare data in workers or ahead "
				"of the loop, and keep files, locks and sleeps out of it.",
		[GAP_BOTH] = NULL,
	};
	static const char *const what[] = {
		[GAP_UNKNOWN] = NULL,
		[GAP_RUNNING] = "running there, for",
		[GAP_WAITING] = "waiting there: it was on a CPU for",
		[GAP_BOTH] = "partly running, partly waiting there: it was on a CPU for",
	};
	double share;
	enum gap_state state = gap_place_state(place, runnable_share(bottleneck, place->thread),
					       &share);

	*text = 0;
	if (state < sizeof(todo) / sizeof(todo[0]) && todo[state])
		advice->todo = todo[state];
	if (what[state])
		snprintf(text, STATE_BYTES, " The thread was %s %.0f %% of that time.", what[state],
			 100.0 * share);
}

static const struct source_thread *thread_of(const struct bottleneck *bottleneck, uint32_t index)
{
	struct source_process *const *process;
	size_t count = source_processes(bottleneck->source, &process);

	for (size_t i = 0; i < count; i++)
		for (const struct source_thread *thread = process[i]->first_thread; thread;
		     thread = thread->next)
			if (thread->index == index)
				return thread;
	return NULL;
}

/* Writes the thread's name and number, since several threads often share a name. */
static void show_thread(const struct source_thread *thread, char shown[PLACE_NAME_BYTES])
{
	char escaped[PLACE_NAME_BYTES / 2];
	size_t length;
	const char *name;

	thread_name(thread, &name, &length);
	text_escape(escaped, sizeof(escaped), name, length);
	snprintf(shown, PLACE_NAME_BYTES, "%s%s%u", escaped, length ? " " : "", thread->tid);
}

/*
 * Adds a sentence if other threads ran operators and it is not known whether they were waited for.
 */
static void say_beside(const struct bottleneck *bottleneck, const struct gap_place *place,
		       struct advice *advice)
{
	double share = place->time.total_ns
			       ? (double)place->beside_ns / (double)place->time.total_ns
			       : 0;
	const struct source_thread *thread = NULL;
	char shown[PLACE_NAME_BYTES];
	size_t length = strlen(advice->text);

	if (share < BESIDE_MATTERS || place->beside == GAP_NO_NAME)
		return;
	thread = thread_of(bottleneck, place->beside);
	if (!thread)
		return;
	show_thread(thread, shown);
	snprintf(advice->text + length, sizeof(advice->text) - length,
		 " Another thread of the process, %s, was in operators for %.0f %% of that time; "
		 "whether the step waited for it was not recorded.",
		 shown, 100.0 * share);
}

/*
 * Says what the thread mostly waits for outside of operators, and what another thread does
 * meanwhile.
 */
static void say_wait(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct wait_cause *most = wait_say_cause(bottleneck, advice);
	struct advice_place place = { .samples = 0 };
	struct step_line line;

	if (!most)
		return;
	if (line_sums_most(&most->lines, &line)) {
		step_line_put(bottleneck->lines, &line, &place);
		snprintf(advice->waits_at, sizeof(advice->waits_at), "%s", place.line);
	}
	wait_say_beside(bottleneck, most, advice);
	if (wait_cause_is_sync(most))
		advice->todo = WAIT_SYNC_TODO;
	advice->waits_for_ranks = most->kind == WAIT_RANKS;
	if (advice->waits_for_ranks)
		advice->todo = "See which rank the others wait for, and what it does meanwhile: "
			       "prof-report ranks.";
}

/*
 * A line that goes from one operator to the next has many places, none of which is large. Returns
 * its time outside of operators, most of which is in long gaps; 0: it is not known, or not more
 * than the largest place alone.
 */
static uint64_t line_of_gaps(const struct bottleneck *bottleneck, uint64_t largest_ns)
{
	const struct step_lines *lines = bottleneck->lines;
	struct step_line line;
	double percent;
	uint64_t ns;

	/* waits for the GIL have advice of their own */
	if (!lines || (double)lines->gil_ns > GIL_MOST * (double)lines->all_ns ||
	    !step_lines_find(lines, STEP_LINES(GAPS), &line, &percent) || !line.is_users ||
	    line.looks < LINE_LOOKS_MIN)
		return 0;
	ns = step_lines_line_ns(lines, STEP_LINES(OUTSIDE) | STEP_LINES(GAPS), &line);
	if (line.ns < ns / 2)
		return 0;
	ns = (uint64_t)((double)ns /
			(double)(lines->ns[STEP_LINES_OUTSIDE] + lines->ns[STEP_LINES_GAPS]) *
			(double)bottleneck->loop.ns[STEP_other]);
	return (double)ns > LINE_TIMES * (double)largest_ns ? ns : 0;
}

/* Returns whether calls of CUDA were made that nothing recorded: a wait may be for the GPU. */
static bool calls_are_unseen(const struct bottleneck *bottleneck)
{
	const struct run *run = bottleneck->run;

	return run_events(run, EVT_gpu_cupti) && !run_events(run, EVT_gpu_call) &&
	       !run_events(run, EVT_cuda_call) && !run_events(run, EVT_cuda_launch);
}

/*
 * Of a sample of the operators the places between them are not known, but where the loop's thread
 * sleeps, or waits for a file or a socket, is seen in any step.
 */
static bool rests_of_samples(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct step_lines *lines = bottleneck->lines;
	char text[STEP_LINE_BYTES], guess[STEP_LINE_GUESS_BYTES];
	struct step_line line;
	double percent, share;
	bool sleeps;

	if (!lines || !lines->told_ns || calls_are_unseen(bottleneck) ||
	    !step_lines_find(lines, STEP_LINES(RESTS), &line, &percent) || !line.is_users)
		return false;
	share = (double)line.ns / (double)lines->told_ns;
	sleeps = (double)lines->sleep_ns >= NEARLY_ALL * (double)lines->ns[STEP_LINES_RESTS];
	if (!share_exceeds(bottleneck, advice,
			   (uint64_t)(share * (double)bottleneck->loop.total_ns)))
		return false;
	if (line.looks < LINE_LOOKS_MIN)
		advice->severity = ADVICE_NOTE;
	step_line_text(lines, &line, text);
	step_line_put(lines, &line, &advice->place);
	advice_say(advice, "the loop's thread %s for %.0f %% of the steps' time in %s%s.",
		   sleeps ? "sleeps" : "sleeps, or waits for a file or a socket,", advice->value,
		   text, step_line_guess(&line, guess));
	if (line.looks < LINE_LOOKS_MIN)
		return true;
	advice_add(advice, " That rests on %" PRIu64 " samples.", line.looks);
	snprintf(advice->command, sizeof(advice->command), "lines");
	if (sleeps)
		snprintf(advice->waits_for, sizeof(advice->waits_for), "a sleep");
	return true;
}

bool advice_between_operators(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct gap_place *place = gaps_largest(&bottleneck->evidence->gaps);
	char time[UNIT_TEXT_BYTES], shown[PLACE_BYTES], waited[STATE_BYTES];
	char label[PLACE_NAME_BYTES];
	uint64_t each_ns, line_ns;
	bool is_mixed;

	if (bottleneck->sampled)
		return rests_of_samples(bottleneck, advice);
	if (!place || !share_exceeds(bottleneck, advice, gap_place_ns(place)))
		return false;
	line_ns = line_of_gaps(bottleneck, gap_place_ns(place));
	if (line_ns) {
		(void)share_exceeds(bottleneck, advice, line_ns);
		advice_say(advice,
			   "the loop spends %s a step in one line, outside of operators, in gaps "
			   "between several of them: %.1f %% of the steps' time.",
			   unit_format_ns(time, line_ns / bottleneck->loop.steps), advice->value);
		say_wait(bottleneck, advice);
		wait_say_work(bottleneck, advice);
		return true;
	}
	is_mixed = gap_place_is_mixed(place);
	each_ns = is_mixed ? gap_place_ns(place) / place->time.count
			   : timing_percentile(&place->time, 50);
	place_text(bottleneck, place, shown);
	if (place_label(bottleneck, place, label)) /* unless samples have a line */
		snprintf(advice->place.function, sizeof(advice->place.function), "%s", label);
	say_state(bottleneck, place, advice, waited);
	advice_say(advice,
		   "the loop spends %s %s outside of operators, %s: %.1f %% of the steps' time.%s",
		   unit_format_ns(time, each_ns), is_mixed ? "on average" : "each time", shown,
		   advice->value, waited);
	say_beside(bottleneck, place, advice);
	say_wait(bottleneck, advice);
	wait_say_work(bottleneck, advice);
	return true;
}

bool advice_small_operators(const struct bottleneck *bottleneck, struct advice *advice)
{
	uint64_t median_ns = timing_percentile(&bottleneck->operator_times, 50);
	const struct evidence_work *work = &bottleneck->loop.work;
	double operators = per_step(bottleneck, work->operators);
	char median[UNIT_TEXT_BYTES];

	if (bottleneck->sampled || operators < OPERATORS_MANY ||
	    bottleneck_launching_ns(bottleneck) || median_ns >= OPERATOR_SMALL_NS ||
	    !share_exceeds(bottleneck, advice, work->short_gaps_ns + work->small_operators_ns))
		return false;
	advice_say(advice,
		   "%.1f %% of the steps' time goes into calling operators: %.1f %% into short "
		   "gaps between them, the rest into those of less than 10 us; a step calls %.0f, "
		   "half of which take less than %s.",
		   advice->value, bottleneck_share(bottleneck, work->short_gaps_ns), operators,
		   unit_format_ns(median, median_ns));
	if (!bottleneck->launches)
		advice->todo =
			"Use a larger batch or torch.compile; write fewer, larger operators.";
	compile_wraps_say(bottleneck, advice);
	return true;
}

/* Blocking copies are the subject of another rule. */
bool advice_synchronising(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct evidence_work *work = &bottleneck->loop.work;
	const struct gpu_evidence_work *blocking = &bottleneck->gpu->work;
	uint64_t waits_ns = bottleneck_copies_wait_ns(bottleneck);
	uint64_t ns = work->sync_ns + waits_ns, calls = work->sync_calls;
	char time[UNIT_TEXT_BYTES];

	calls += waits_ns ? work->hidden_copies : 0;
	ns -= ns < blocking->blocking_ns ? ns : blocking->blocking_ns;
	calls -= calls < blocking->blocking_copies ? calls : blocking->blocking_copies;
	if (!share_exceeds(bottleneck, advice, ns))
		return false;
	advice_say(
		advice,
		"CUDA calls that wait for the GPU take %.1f %% of the steps' time: %.1f calls and "
		"%s a step%s",
		advice->value, per_step(bottleneck, calls),
		unit_format_ns(time, ns / bottleneck->loop.steps), work->items ? ";" : ".");
	if (work->items)
		advice_add(advice, " aten::item %.1f times a step.",
			   per_step(bottleneck, work->items));
	return true;
}

/* On a CPU there is nothing to wait for: only the time of the call itself counts. */
static bool item_matters(const struct bottleneck *bottleneck)
{

	for (size_t i = 0; i < bottleneck->tensors->device_count; i++)
		if (bottleneck->tensors->device[i].device >> 8)
			return true;
	return bottleneck->launches || highwater_peak(&bottleneck->cuda->memory.device) ||
	       bottleneck_share(bottleneck, bottleneck->loop.work.item_ns) >= ITEM_SHARE_MIN;
}

bool advice_item(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct evidence_work *work = &bottleneck->loop.work;
	char time[UNIT_TEXT_BYTES];

	if (bottleneck->sampled || !item_matters(bottleneck) ||
	    !advice_exceeds(advice, per_step(bottleneck, work->items)))
		return false;
	advice->gain_ns = work->item_ns;
	if (advice->value >= ITEMS_MANY &&
	    bottleneck_share(bottleneck, work->item_ns) >= ITEM_SHARE_MIN)
		advice->severity = ADVICE_WARNING;
	advice_say(advice, "%.1f values a step are read from tensors (aten::item), %s a step.",
		   advice->value, unit_format_ns(time, work->item_ns / bottleneck->loop.steps));
	return true;
}

/* On a GPU, copies are the subject of other rules. */
bool advice_copies(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct evidence_work *work = &bottleneck->loop.work;
	char time[UNIT_TEXT_BYTES];

	if (bottleneck_gpu(bottleneck))
		return advice_clones(bottleneck, advice);
	if (bottleneck->sampled || bottleneck->launches || bottleneck->steps->has_sums ||
	    !share_exceeds(bottleneck, advice, work->copies_ns))
		return false;
	advice_say(advice,
		   "copying tensors (clone(), contiguous(), to(), copy_()) takes %.1f %% of the "
		   "steps' time: %.1f times and %s a step.",
		   advice->value, per_step(bottleneck, work->copies),
		   unit_format_ns(time, work->copies_ns / bottleneck->loop.steps));
	return true;
}

/* Types of inputs are known of all steps (INTERCEPT_TRACE=+shapes), or of a few. */
static bool has_double_operators(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct evidence_work *work = &bottleneck->loop.work;
	bool of_few = work->typed_steps < work->settled_steps;
	uint64_t ns = work->double_ns, steps = work->typed_steps;
	char time[UNIT_TEXT_BYTES];

	if (of_few && work->typed_ns)
		ns = (uint64_t)((double)ns / (double)work->typed_ns *
				(double)bottleneck->loop.total_ns);
	if (!share_exceeds(bottleneck, advice, ns))
		return false;
	advice_say(advice,
		   "operators on tensors of double precision (float64) take %.1f %% of the steps' "
		   "time, %s a step",
		   advice->value, unit_format_ns(time, ns / bottleneck->loop.steps));
	if (of_few)
		advice_add(advice,
			   ". Types of tensors were recorded in %" PRIu64 " step%s, and the others "
			   "are taken to be alike",
			   steps, steps == 1 ? "" : "s");
	advice_add(advice, ".");
	return true;
}

bool advice_double_precision(const struct bottleneck *bottleneck, struct advice *advice)
{
	if (bottleneck->steps->has_sums)
		return advice_summed_doubles(bottleneck, advice);
	if (bottleneck->sampled)
		return false;
	return bottleneck_gpu(bottleneck) ? advice_double_kernels(bottleneck, advice)
					  : has_double_operators(bottleneck, advice);
}

bool advice_optimizer(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct evidence_work *work = &bottleneck->loop.work;
	char text[UNIT_TEXT_BYTES];
	double operators;

	if (bottleneck->sampled || !work->optimizer_steps)
		return false;
	operators = (double)work->optimizer_operators / (double)work->optimizer_steps;
	if (operators < OPTIMIZER_OPERATORS_MIN ||
	    (double)work->optimizer_grouped >
		    OPTIMIZER_GROUPED_MAX * (double)work->optimizer_operators ||
	    !share_exceeds(bottleneck, advice, work->optimizer_ns))
		return false;
	advice_say(advice,
		   "the optimizer takes %.1f %% of the steps' time and calls %s operators a step, "
		   "%s of them on many tensors at once.",
		   advice->value, unit_format_count(text, (uint64_t)(operators + 0.5)),
		   work->optimizer_grouped ? "few" : "none");
	return true;
}

bool advice_zero_grad(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct evidence_work *work = &bottleneck->loop.work;

	if (!share_exceeds(bottleneck, advice, work->zero_grad_ns))
		return false;
	advice_say(advice, "zero_grad takes %.1f %% of the steps' time.", advice->value);
	return true;
}

bool advice_communication(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct steps *steps = bottleneck->steps;
	double ns = (double)bottleneck->loop.ns[STEP_communication],
	       waits = ranks_waiting_share(bottleneck);

	/* no bucket size makes a late rank earlier: see ranks_wait */
	if (!share_exceeds(bottleneck, advice, (uint64_t)(ns * (1 - waits))))
		return false;
	advice_say(
		advice,
		"communication takes %.1f %% of the steps' time, in %u process%s, as the host sees "
		"it%s.",
		advice->value, steps->processes, steps->processes == 1 ? "" : "es",
		waits > 0.05 ? ", beside what ranks wait for each other" : "");
	if (steps->processes == 1 && !waits)
		advice->todo = "Whether that is data on its way or a wait for a later rank shows "
			       "when the files of all ranks are named together. For data: larger "
			       "buckets (bucket_cap_mb), no_sync(), or a lower precision.";
	return true;
}
