/* SPDX-License-Identifier: MIT */
/*
 * The rule about steps that take much longer than the rest. A busy machine also makes steps slow,
 * but at random places: only what slow steps have in common is a cause.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/advice/bottleneck.h"
#include "report/advice/later_steps.h"
#include "report/advice/place_text.h"
#include "report/advice/slow_rhythm.h"
#include "report/advice/wait_text.h"
#include "report/base/memory.h"

#define SLOWEST_TOLD 3u
#define SLOWEST_BYTES (SLOWEST_TOLD * 24)
#define STEPS_FOR_P99 20u
/* CPU times are sampled now and then, so a shorter loop proves little */
#define RUNNABLE_WINDOW_NS 1000000000u
#define RUNNABLE_MIN 0.1   /* share of the steps' time */
#define OPERATORS_MORE 1.1 /* multiple of the other steps' operators */
#define CAUSE_BYTES (PLACE_BYTES + 96)

/*
 * A number of steps, and by how much they exceed the usual. Time counts, since a busy machine makes
 * many steps a little longer.
 */
struct tally {
	uint64_t steps, ns;
};

#define IDLE_SHARE 0.4      /* of what slow steps take more: the thread is on no CPU */
#define EVALUATES_SHARE 0.5 /* of what a step takes more than the others: it evaluates */

/* The search for what slow steps have in common. */
struct slow_steps {
	const struct bottleneck *bottleneck;
	const struct steps *steps;
	struct later_steps later;
	double limit_ns;
	uint64_t count, gain_ns;
	double usual_ns[STEP_CATEGORY_LIMIT]; /* average of the other steps */
	double usual_evaluation_ns;           /* likewise */
	double usual_idle_ns, more_idle_ns; /* the thread was on no CPU; more, of all slow steps */
	uint64_t usual_operators, usual_graded; /* the maximum of most other steps */
	struct tally of_category[STEP_CATEGORY_LIMIT], of_operators, of_graded, of_evaluation,
		of_places, of_labels;
	struct tally *of_place;    /* by index of gaps->place */
	size_t place_room, place;  /* the place in most slow steps */
	struct label_steps *label; /* by name */
	size_t label_room;
	uint32_t most_label; /* the label in most slow steps */
};

/*
 * In how many steps the user's name occurs; a slow step counts if the name holds most of its
 * excess.
 */
struct label_steps {
	struct tally slow;
	uint64_t label_ns, usual;
};

static void tally_add(struct tally *tally, uint64_t ns)
{
	tally->steps++;
	tally->ns += ns;
}

/* What steps asked the GPU for, if that is known of all of them. */
static const struct gpu_evidence *slow_gpu(const struct bottleneck *bottleneck)
{
	return bottleneck->steps->has_gpu_windows ? NULL : bottleneck_gpu(bottleneck);
}

static bool is_slow(const struct slow_steps *slow, size_t index)
{
	return !slow->later.left_out[index] && (double)slow->later.ns[index] > slow->limit_ns;
}

static struct label_steps *label_at(struct slow_steps *slow, uint32_t name)
{
	slow->label = memory_room(slow->label, name, &slow->label_room, sizeof(*slow->label));
	return &slow->label[name];
}

static const struct step_label *labels_of(const struct slow_steps *slow,
					  const struct evidence_sample *sample)
{
	return slow->bottleneck->evidence->labels.label + sample->first_label;
}

/* Returns for how long the thread was on no CPU in the step, as far as that is known. */
static double idle_ns_in(const struct step_row *row)
{
	const struct cpu_span *cpu = &row->cpu.all;

	return (double)cpu->wall_ns - ((double)cpu->low_ns + (double)cpu->high_ns) / 2;
}

/* What no other category took. */
static double rest_ns_of(const struct step_row *row)
{
	double rest_ns = (double)row->total_ns;

	for (int c = 0; c < STEP_CATEGORY_LIMIT; c++)
		rest_ns -= (double)row->ns[c];
	return rest_ns;
}

static void look_at_usual(struct slow_steps *slow)
{
	struct timing operators = { 0 }, graded = { 0 };
	double count = 0, detailed = 0;

	for (size_t i = 0; i < slow->steps->row_count; i++) {
		const struct step_row *row = &slow->steps->row[i];
		const struct evidence_sample *sample;

		if (slow->later.left_out[i] || is_slow(slow, i))
			continue;
		count++;
		detailed += row->has_detail;
		slow->usual_evaluation_ns += (double)row->phases.ns[PHASE_evaluation];
		slow->usual_idle_ns += idle_ns_in(row);
		/* 0 in steps without the GPU (INTERCEPT_GPU_STEPS) */
		for (int c = 0; c < STEP_CATEGORY_LIMIT; c++)
			slow->usual_ns[c] += (double)row->ns[c];
		if (slow->steps->has_sums && (row->has_detail || !slow->steps->has_gpu_windows))
			slow->usual_ns[STEP_other] += rest_ns_of(row);
		sample = evidence_sample_of(slow->bottleneck->evidence, row->process, row->number);
		if (!sample)
			continue;
		timing_add(&operators, sample->operators);
		timing_add(&graded, sample->graded);
		for (uint32_t l = 0; l < sample->labels; l++)
			label_at(slow, labels_of(slow, sample)[l].name)->usual++;
	}
	for (int c = 0; c < STEP_CATEGORY_LIMIT && count; c++)
		slow->usual_ns[c] /= slow->steps->has_gpu_windows ||
						     (!slow->steps->has_sums &&
						      (c == STEP_operators || c == STEP_other))
					     ? fmax(detailed, 1)
					     : count;
	slow->usual_evaluation_ns /= fmax(count, 1);
	slow->usual_idle_ns /= fmax(count, 1);
	slow->usual_operators = timing_percentile(&operators, 90);
	slow->usual_graded = timing_percentile(&graded, 90);
	timing_release(&operators);
	timing_release(&graded);
}

/*
 * What a step took in operators and outside of them, if that is not known, is what no other
 * category took.
 */
static double excess_in(const struct slow_steps *slow, const struct step_row *row, int category)
{
	if (steps_know(slow->steps, (enum step_category)category, row->has_detail))
		return (double)row->ns[category] - slow->usual_ns[category];
	if ((category != STEP_operators && category != STEP_other) ||
	    (slow->steps->has_gpu_windows && !row->has_detail))
		return 0;
	return rest_ns_of(row) - slow->usual_ns[STEP_operators] - slow->usual_ns[STEP_other];
}

static enum step_category advice_slow_excess_of(const struct slow_steps *slow,
						const struct step_row *row)
{
	enum step_category most = STEP_other;

	for (int c = 0; c < STEP_CATEGORY_LIMIT; c++)
		if (excess_in(slow, row, c) > excess_in(slow, row, most))
			most = (enum step_category)c;
	return most;
}

static void count_place(struct slow_steps *slow, size_t place, uint64_t excess_ns)
{
	slow->of_place = memory_room(slow->of_place, place > slow->place ? place : slow->place,
				     &slow->place_room, sizeof(*slow->of_place));
	tally_add(&slow->of_place[place], excess_ns);
	if (slow->of_place[place].ns <= slow->of_places.ns)
		return;
	slow->place = place;
	slow->of_places = slow->of_place[place];
}

static void count_labels(struct slow_steps *slow, const struct evidence_sample *sample,
			 uint64_t excess_ns)
{
	const struct step_label *label = labels_of(slow, sample);

	for (uint32_t i = 0; i < sample->labels; i++) {
		struct label_steps *at;

		if (label[i].ns <= excess_ns / 2)
			continue;
		at = label_at(slow, label[i].name);
		tally_add(&at->slow, excess_ns);
		at->label_ns += label[i].ns;
	}
}

static bool is_more(uint64_t count, uint64_t usual)
{
	return (double)count > OPERATORS_MORE * (double)usual + 1;
}

/*
 * Waits for data or for other ranks are causes wherever they are, because a busy machine makes the
 * rest longer too. Kernels are what the step's operators requested.
 */
static void look_at_one(struct slow_steps *slow, size_t index)
{
	const struct step_row *row = &slow->steps->row[index];
	enum step_category category = advice_slow_excess_of(slow, row);
	const struct evidence_sample *sample = evidence_sample_of(slow->bottleneck->evidence,
								  row->process, row->number);
	uint64_t excess_ns = slow->later.ns[index] - slow->later.p50_ns;

	slow->count++;
	slow->gain_ns += excess_ns;
	slow->more_idle_ns += idle_ns_in(row) - slow->usual_idle_ns;
	if (category != STEP_other && category != STEP_operators && category != STEP_kernel)
		tally_add(&slow->of_category[category], excess_ns);
	if (!sample)
		return;
	count_labels(slow, sample, excess_ns);
	if (is_more(sample->graded, slow->usual_graded))
		tally_add(&slow->of_graded, excess_ns);
	if ((double)row->phases.ns[PHASE_evaluation] - slow->usual_evaluation_ns >
	    EVALUATES_SHARE * (double)excess_ns)
		tally_add(&slow->of_evaluation, excess_ns);
	if (is_more(sample->operators, slow->usual_operators))
		tally_add(&slow->of_operators, excess_ns);
	else if (sample->gap_place != GAP_NO_PLACE && sample->gap_ns > excess_ns / 2)
		count_place(slow, sample->gap_place, excess_ns);
}

/* Chooses the name that is in most of the slow steps and in few others. */
static void choose_label(struct slow_steps *slow)
{
	uint64_t others = slow->later.time.count - slow->count, most_ns = 0;

	for (size_t i = 0; i < slow->label_room; i++) {
		const struct label_steps *at = &slow->label[i];

		if (!at->slow.steps || at->usual * 2 >= others ||
		    at->slow.ns < slow->of_labels.ns ||
		    (at->slow.ns == slow->of_labels.ns && at->label_ns <= most_ns))
			continue;
		slow->of_labels = at->slow;
		slow->most_label = (uint32_t)i;
		most_ns = at->label_ns;
	}
}

static void slow_steps_look(struct slow_steps *slow, const struct bottleneck *bottleneck,
			    double threshold)
{
	*slow = (struct slow_steps){ .bottleneck = bottleneck, .steps = bottleneck->steps };
	later_steps_look(&slow->later, &(struct later_steps_of){ .steps = slow->steps,
								 .evidence = bottleneck->evidence,
								 .loop = &bottleneck->loop,
								 .gpu = slow_gpu(bottleneck) });
	slow->limit_ns = threshold * (double)slow->later.p50_ns;
	look_at_usual(slow);
	for (size_t i = 0; i < slow->steps->row_count; i++)
		if (is_slow(slow, i))
			look_at_one(slow, i);
	choose_label(slow);
}

static void slow_steps_release(struct slow_steps *slow)
{
	later_steps_release(&slow->later);
	free(slow->of_place);
	free(slow->label);
}

static bool most_have(const struct slow_steps *slow, struct tally tally)
{
	return tally.steps > 1 && tally.ns > slow->gain_ns / 2;
}

/* A place in most steps has advice of its own, and does not set slow steps apart. */
static bool is_rare(const struct slow_steps *slow, size_t place)
{
	return slow->bottleneck->evidence->gaps.place[place].time.count * 2 <
	       slow->later.time.count;
}

/* Writes a known cause: waits, or what the user has named. */
static bool known_cause_shown(const struct slow_steps *slow, char shown[CAUSE_BYTES])
{
	char name[PLACE_NAME_BYTES];

	for (int c = 0; c < STEP_CATEGORY_LIMIT; c++) {
		if (!most_have(slow, slow->of_category[c]))
			continue;
		snprintf(shown, CAUSE_BYTES, "mostly for: %s",
			 c == STEP_gc ? "Python's garbage collector" : step_category_names[c]);
		return true;
	}
	if (!most_have(slow, slow->of_labels))
		return false;
	place_name(source_name_at(slow->bottleneck->source, slow->most_label), name);
	snprintf(shown, CAUSE_BYTES, "mostly in '%s', which few other steps have", name);
	return true;
}

/*
 * Tells how long the thread of the longest loop was runnable without a CPU, and of how much time.
 * `ret_blocked_ns`: how long it waited for anything else. Returns false if that is not known.
 */
static bool step_thread_runnable(const struct bottleneck *bottleneck, double *ret_runnable_ns,
				 double *ret_blocked_ns, uint64_t *ret_wall_ns)
{
	const struct evidence_process *longest = evidence_longest(bottleneck->evidence);
	const struct evidence_scheduler *from = longest ? &longest->from : NULL,
					*to = longest ? &longest->to : NULL;

	if (!to || !to->is_known || to->time_ns < from->time_ns + RUNNABLE_WINDOW_NS)
		return false;
	*ret_runnable_ns = (double)(to->runnable_ns - from->runnable_ns);
	*ret_wall_ns = to->time_ns - from->time_ns;
	/* a collector that is preempted during a look sees a little more */
	if (*ret_runnable_ns > (double)*ret_wall_ns)
		*ret_runnable_ns = (double)*ret_wall_ns;
	*ret_blocked_ns = fmax((double)*ret_wall_ns - *ret_runnable_ns -
				       (double)(to->running_ns - from->running_ns),
			       0);
	return true;
}

/*
 * Returns whether slow steps are long because the thread had no CPU in them: then no line is their
 * cause. Threads that compute together wait for the one without a CPU, and may spin meanwhile.
 */
static bool lacks_cpu_in_slow(const struct slow_steps *slow)
{
	double runnable, blocked;
	uint64_t wall_ns;

	return step_thread_runnable(slow->bottleneck, &runnable, &blocked, &wall_ns) &&
	       slow->steps->processes == 1 &&
	       slow->more_idle_ns >= IDLE_SHARE * (double)slow->gain_ns &&
	       2 * runnable >= slow->more_idle_ns && 2 * blocked < slow->more_idle_ns;
}

/* Returns whether they have more operators than the others, of an evaluation as far as is known. */
static bool is_evaluation(const struct slow_steps *slow)
{
	return most_have(slow, slow->of_operators) &&
	       (most_have(slow, slow->of_evaluation) || !most_have(slow, slow->of_graded));
}

/* Says what these operators do. */
static const char *evaluation_words(const struct slow_steps *slow)
{
	if (!is_evaluation(slow))
		return "";
	return most_have(slow, slow->of_graded)
		       ? ", and most of the difference is an evaluation"
		       : ", which record no gradients, as in an evaluation";
}

/* Writes the cause. Returns false if the slow steps have nothing in common. */
static bool cause_shown(const struct slow_steps *slow, char shown[CAUSE_BYTES])
{
	char place[PLACE_BYTES];
	uint64_t wall_ns;
	double runnable, blocked;

	if (known_cause_shown(slow, shown))
		return true;
	if (most_have(slow, slow->of_operators)) {
		snprintf(shown, CAUSE_BYTES, "with more operators than the others%s",
			 evaluation_words(slow));
		return true;
	}
	if (most_have(slow, slow->of_places) && is_rare(slow, slow->place)) {
		place_text(slow->bottleneck, &slow->bottleneck->evidence->gaps.place[slow->place],
			   place);
		snprintf(shown, CAUSE_BYTES, "mostly outside of operators, %s", place);
		return true;
	}
	/* a busy machine is a cause only if a thread waited for a CPU */
	if (step_thread_runnable(slow->bottleneck, &runnable, &blocked, &wall_ns) &&
	    runnable > RUNNABLE_MIN * (double)wall_ns)
		snprintf(shown, CAUSE_BYTES,
			 "and the loop's thread was ready to run and had no CPU for %.0f %% of the "
			 "steps' time: the machine is busy",
			 100 * runnable / (double)wall_ns);
	else
		snprintf(shown, CAUSE_BYTES, "and their cause was not recorded");
	return false;
}

/* Writes "12, 30 and 7": the slowest of the steps that count. */
static const char *slowest_of(const struct slow_steps *slow, char text[SLOWEST_BYTES])
{
	const struct steps *steps = slow->steps;
	size_t most[SLOWEST_TOLD] = { 0 }, count = 0, used = 0;

	for (size_t i = 0; i < steps->row_count; i++) {
		size_t at = count < SLOWEST_TOLD ? count++ : SLOWEST_TOLD;

		if (!is_slow(slow, i)) {
			count -= at < SLOWEST_TOLD;
			continue;
		}
		for (; at && slow->later.ns[most[at - 1]] < slow->later.ns[i]; at--)
			if (at < SLOWEST_TOLD)
				most[at] = most[at - 1];
		if (at < SLOWEST_TOLD)
			most[at] = i;
	}
	for (size_t i = 0; i < count; i++)
		used += (size_t)snprintf(text + used, SLOWEST_BYTES - used, "%s%" PRIu64,
					 i ? ", " : "", steps->row[most[i]].number);
	return count ? text : "none";
}

/* Returns how many steps apart they are, in the process with the slowest one; 0: no rhythm. */
static uint64_t slow_steps_apart(const struct slow_steps *slow)
{
	const struct steps *steps = slow->steps;
	struct slow_step *step = memory_zero(slow->count + 1, sizeof(*step));
	size_t slowest = SIZE_MAX, count = 0;
	uint64_t apart;

	for (size_t i = 0; i < steps->row_count; i++)
		if (is_slow(slow, i) &&
		    (slowest == SIZE_MAX || slow->later.ns[i] > slow->later.ns[slowest]))
			slowest = i;
	for (size_t i = 0; i < steps->row_count; i++)
		if (is_slow(slow, i) && steps->row[i].process == steps->row[slowest].process)
			step[count++] = (struct slow_step){ .number = steps->row[i].number,
							    .excess_ns = slow->later.ns[i] -
									 slow->later.p50_ns };
	apart = slow_rhythm_find(step, count);
	free(step);
	return apart;
}

/* The steps that are slow, by process and number. */
static bool step_is_slow(const void *state, uint32_t process, uint64_t step)
{
	const uint64_t words[] = { process, step };

	return map_find(state, map_hash_bytes(words, sizeof(words), 0));
}

/* Finds the user's line in which the slow steps spend most of their time. */
static bool slow_steps_line(const struct slow_steps *slow, struct step_line *ret_line,
			    double *ret_percent)
{
	struct map numbers;
	bool is_found, added;

	map_init(&numbers);
	for (size_t i = 0; i < slow->steps->row_count; i++) {
		const struct step_row *row = &slow->steps->row[i];
		const uint64_t words[] = { row->process, row->number };

		if (is_slow(slow, i))
			(void)map_put(&numbers, map_hash_bytes(words, sizeof(words), 0), &added);
	}
	is_found = step_lines_of_steps(slow->bottleneck->lines, step_is_slow, &numbers, ret_line,
				       ret_percent);
	map_release(&numbers);
	return is_found;
}

/* Says the line, and what the loop's thread does or waits for between operators, if it is known. */
static void slow_steps_say_line(const struct slow_steps *slow, const struct step_line *line,
				double percent, struct advice *advice)
{
	char text[STEP_LINE_BYTES], guess[STEP_LINE_GUESS_BYTES];

	step_line_put(slow->bottleneck->lines, line, &advice->place);
	step_line_text(slow->bottleneck->lines, line, text);
	advice_add(advice, " By samples, %.0f %% of the slow steps' time was in %s%s.", percent,
		   text, step_line_guess(line, guess));
	(void)wait_say_cause(slow->bottleneck, advice);
	wait_say_work(slow->bottleneck, advice);
	advice->waits_for[0] = '\0'; /* the title is about steps */
	advice->does[0] = '\0';
}

/* Says so if an evaluation, without gradients, is most of what slow steps have more. */
static void say_evaluation(const struct slow_steps *slow, struct advice *advice)
{
	const struct steady_loop *loop = &slow->bottleneck->loop;
	uint64_t ns = loop->phases.ns[PHASE_evaluation];

	/* one in each step does not set slow steps apart, however long it takes */
	if (!is_evaluation(slow))
		return;
	if (loop->total_ns && ns >= slow->gain_ns / 2)
		advice_add(advice, " Evaluation takes %.1f %% of the steps' time.",
			   100.0 * (double)ns / (double)loop->total_ns);
	advice_set_does(advice, "an evaluation");
	advice->todo = "Evaluate less often, or on fewer samples (in Lightning: "
		       "val_check_interval, check_val_every_n_epoch, limit_val_batches; in "
		       "Transformers: eval_steps). prof-report step-diff compares the slowest step "
		       "with a typical one.";
}

/* Says so if they come at a regular distance: then something runs once in so many steps. */
static void say_rhythm(const struct slow_steps *slow, struct advice *advice)
{
	advice->steps_apart = slow_steps_apart(slow);
	if (!advice->steps_apart)
		return;
	advice_add(advice, " Nearly all of them are %" PRIu64 " steps apart.", advice->steps_apart);
	if (!is_evaluation(slow))
		advice->todo =
			"Something runs once in so many steps, and counts to the step that it is "
			"in: samples are collected, the model is evaluated or saved, or an epoch "
			"begins. Do it less often, or make it faster. prof-report step-diff "
			"compares the slowest step with a typical one.";
}

bool advice_slow_steps(const struct bottleneck *bottleneck, struct advice *advice)
{
	char slowest[SLOWEST_BYTES], cause[CAUSE_BYTES];
	struct slow_steps slow;
	struct step_line line;
	bool applies, has_line;
	double percent;

	slow_steps_look(&slow, bottleneck, advice->rule->threshold);
	/* other advice is about steps with detail: their part of it */
	advice->gain_ns = bottleneck->loop.all_ns ? (uint64_t)((double)slow.gain_ns *
							       (double)bottleneck->loop.total_ns /
							       (double)bottleneck->loop.all_ns)
						  : slow.gain_ns;
	applies = slow.later.time.count >= STEPS_FOR_P99 && slow.later.p50_ns && slow.count > 1 &&
		  advice_exceeds(advice, (double)timing_percentile(&slow.later.time, 99) /
						 (double)slow.later.p50_ns);
	has_line = applies && !lacks_cpu_in_slow(&slow) && slow_steps_line(&slow, &line, &percent);
	if (!cause_shown(&slow, cause)) {
		if (has_line)
			snprintf(cause, sizeof(cause), "mostly in one line");
		if (!has_line || step_line_is_guess(&line))
			advice->severity = ADVICE_NOTE;
	}
	advice_say(
		advice,
		"%" PRIu64 " of %" PRIu64
		" steps %s more than %.0f times the median, %s; the slowest: %s. The p99 is %.1f "
		"times the median.%s",
		slow.count, slow.later.time.count, slow_gpu(bottleneck) ? "cost" : "took",
		advice->rule->threshold, cause, slowest_of(&slow, slowest), advice->value,
		slow_gpu(bottleneck)
			? " A step costs the GPU time that it asks for, and the time that the "
			  "GPU idles in it."
			: "");
	if (has_line)
		slow_steps_say_line(&slow, &line, percent, advice);
	if (applies) {
		say_evaluation(&slow, advice);
		say_rhythm(&slow, advice);
	}
	slow_steps_release(&slow);
	return applies;
}
