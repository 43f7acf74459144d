/* SPDX-License-Identifier: MIT */
/*
 * Runs the rules in their order, limits what is at stake, and leaves out advice that other advice
 * explains.
 */
#include "report/advice/advice.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/advice/bottleneck.h"
#include "report/base/memory.h"

const char *const advice_severity_names[ADVICE_SEVERITIES] = { "problem", "warning", "note" };

static const struct advice_rule rules[] = {
#define ADVICE(id, severity, unit, threshold, todo, command) \
	{ #id, ADVICE_##severity, #unit, threshold, todo, command, advice_##id },
#include "report/advice/advice.def"
};

#define SHARE_OF_PROBLEM 50 /* % */
#define IDLE_EXPLAINED 5    /* % of the steps' time */
#define IDLE_MATTERS 1.0    /* the same */

#define RULES (sizeof(rules) / sizeof(rules[0]))

/*
 * Returns whether the advice names no cause. Slow steps whose cause is known are a warning instead.
 */
static bool is_guess(const struct advice *advice)
{
	return advice->rule->look == advice_small_operators ||
	       advice->rule->look == advice_small_kernels ||
	       advice->rule->look == advice_gpu_idle ||
	       (advice->rule->look == advice_slow_steps && advice->severity == ADVICE_NOTE);
}

/*
 * Returns whether the advice is about time in which the GPU works, which does not explain its idle
 * time.
 */
static bool is_of_gpu(const struct advice *advice)
{
	return advice->rule->look == advice_no_tensor_cores ||
	       advice->rule->look == advice_throttled;
}

/*
 * Returns whether the advice is about host time, which costs the loop nothing while its GPU works.
 */
static bool is_of_host(const struct advice *advice)
{
	static bool (*const looks[])(const struct bottleneck *, struct advice *) = {
		advice_dataloader,         advice_slow_worker,
		advice_child_process,      advice_lock_wait,
		advice_between_operators,  advice_gil_contention,
		advice_graph_breaks,       advice_small_operators,
		advice_synchronising,      advice_item,
		advice_device_allocations, advice_pageable_copies,
		advice_blocking_copies,    advice_blocking_sets,
		advice_optimizer,          advice_zero_grad,
		advice_step_function,      advice_small_copies,
		advice_host_operators,     advice_dense_embedding,
	};

	for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++)
		if (advice->rule->look == looks[i])
			return true;
	return false;
}

/*
 * Limits the stake to the GPU's idle time. Returns false if that is too little for advice. Where
 * work was lost or reported late the GPU may have been idle for less, so it is a note then.
 */
static bool advice_limit(const struct bottleneck *bottleneck, struct advice *advice)
{
	bool is_exact;
	uint64_t idle_ns = bottleneck_idle_at_most_ns(bottleneck, &is_exact);
	bool is_share = !strcmp(advice->rule->unit, "percent");
	double idle = bottleneck_share(bottleneck, idle_ns);
	size_t length = strlen(advice->text);

	if (!is_of_host(advice) || advice->gain_ns <= idle_ns)
		return true;
	if (idle <= (is_share ? advice->rule->threshold : IDLE_MATTERS))
		return false;
	advice->gain_ns = idle_ns;
	if (!is_exact)
		advice->severity = ADVICE_NOTE;
	snprintf(advice->text + length, sizeof(advice->text) - length,
		 " The GPU was idle for %s%.1f %% of the steps' time; the rest of that time cost "
		 "nothing.",
		 is_exact ? "" : "at most ", idle);
	return true;
}

/* Returns whether the cause's seconds are, or may be, part of the guess's. */
static bool explains(const struct advice *cause, const struct advice *guess)
{
	/* a function may do in that time what other advice is about */
	if (is_guess(cause) || cause->rule->look == advice_step_function ||
	    advice_base_of(cause) != ADVICE_OF_STEPS)
		return false;
	if (guess->rule->look == advice_gpu_idle)
		return !is_of_gpu(cause);
	return guess->rule->look == advice_slow_steps ||
	       guess->rule->look == advice_small_kernels || cause->rule->look == advice_optimizer ||
	       cause->rule->look == advice_zero_grad || cause->rule->look == advice_item;
}

/* A guess counts for the part of its seconds that known causes leave. */
static void advice_weigh(struct advice *advice, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t explained_ns = 0;

		for (size_t j = 0; is_guess(&advice[i]) && j < count; j++)
			if (explains(&advice[j], &advice[i]))
				explained_ns += advice[j].gain_ns;
		advice[i].weight_ns = advice[i].gain_ns > explained_ns
					      ? advice[i].gain_ns - explained_ns
					      : 0;
		/* it ends in a failure, however long that takes */
		if (advice[i].is_unbounded)
			advice[i].weight_ns = UINT64_MAX;
		/* about the machine: what the program itself does comes first */
		if (advice[i].rule->look == advice_cpu_contention)
			advice[i].weight_ns = 0;
	}
}

static bool is_there(const struct advice *advice, size_t count, const void *look)
{
	for (size_t i = 0; i < count; i++)
		if ((const void *)advice[i].rule->look == look)
			return true;
	return false;
}

/*
 * Returns whether other advice has the same seconds and knows why nothing runs beside the copies.
 */
static bool is_said_of_copies(const struct advice *advice, size_t count)
{
	return is_there(advice, count, (const void *)advice_pageable_copies) ||
	       is_there(advice, count, (const void *)advice_small_copies) ||
	       is_there(advice, count, (const void *)advice_blocking_copies);
}

/* Returns whether `waits` is about waits at the other's line, as far as both are known. */
static bool is_same_place(const struct advice *waits, const struct advice *other)
{
	const char *line = *other->waits_at ? other->waits_at : other->place.line;

	return !*waits->waits_at || !*line || !strcmp(waits->waits_at, line) ||
	       !strcmp(waits->waits_at, other->place.caller);
}

static bool is_of_requests(const struct advice *advice)
{
	return advice->rule->look == advice_request_waits ||
	       advice->rule->look == advice_slow_requests;
}

/* Of two, a note; of two of the same severity, the one about the slowest requests. */
static bool is_lesser(const struct advice *of, const struct advice *other)
{
	bool is_note = of->severity == ADVICE_NOTE, other_is = other->severity == ADVICE_NOTE;

	if (is_note != other_is)
		return is_note;
	return of->rule->look == advice_slow_requests && other->rule->look == advice_request_waits;
}

/* Returns whether both are about one line, as far as that is known. */
static bool is_at_line(const struct advice *of, const struct advice *other)
{
	return *of->place.line && (!strcmp(of->place.line, other->place.line) ||
				   !strcmp(of->place.line, other->waits_at));
}

/* The line of a loop's callbacks may be another one than that of all CPU time. */
static bool is_in_function(const struct advice *of, const struct advice *other)
{
	return *of->place.function && !strcmp(of->place.function, other->place.function);
}

/* Returns whether other advice has the same seconds and knows what is waited for. */
static bool is_said_of_waits(const struct advice *of, const struct advice *advice, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct advice_rule *rule = advice[i].rule;

		if (of->rule->look == advice_dataloader && rule->look == advice_slow_worker)
			return true;
		if (of->rule->look == advice_between_operators &&
		    (rule->look == advice_child_process || rule->look == advice_lock_wait) &&
		    advice[i].gain_ns >= of->gain_ns / 2 && is_same_place(&advice[i], of))
			return true;
		if (of->waits_for_ranks && rule->look == advice_ranks_wait &&
		    advice[i].gain_ns >= of->gain_ns / 2)
			return true;
		if (of->rule->look == advice_hot_line && rule->severity != ADVICE_NOTE &&
		    advice[i].gain_ns >= of->gain_ns / 2 && *of->place.line &&
		    !strcmp(of->place.line, advice[i].place.line))
			return true;
		if (of->rule->look == advice_waits && rule->look == advice_hot_line &&
		    *of->at_work && !strcmp(of->at_work, advice[i].place.line))
			return true;
		if (is_of_requests(of) && advice[i].severity != ADVICE_NOTE &&
		    !is_of_requests(&advice[i]) && is_at_line(of, &advice[i]))
			return true;
		if (is_of_requests(of) && is_of_requests(&advice[i]) &&
		    is_at_line(of, &advice[i]) && is_lesser(of, &advice[i]))
			return true;
		if (of->rule->look == advice_waits && rule->look == advice_blocked_event_loop &&
		    is_same_place(&advice[i], of))
			return true;
		if (of->rule->look == advice_hot_line && rule->look == advice_blocked_event_loop &&
		    (is_at_line(of, &advice[i]) || is_in_function(of, &advice[i])))
			return true;
	}
	return false;
}

/* Returns whether other advice knows what the function does that takes much of the steps. */
static bool is_said_of_function(const struct advice *of, const struct advice *advice, size_t count)
{
	for (size_t i = 0; i < count && of->rule->look == advice_step_function; i++)
		if (&advice[i] != of && advice[i].severity != ADVICE_NOTE &&
		    advice[i].gain_ns >= of->gain_ns / 2 &&
		    (!strcmp(of->place.function, advice[i].place.function) ||
		     is_at_line(of, &advice[i])))
			return true;
	return false;
}

/*
 * Returns whether the line in which slow steps spend their time is one that collects garbage. The
 * seconds differ: other ranks wait for a slow step, too.
 */
static bool is_said_of_slow(const struct advice *of, const struct advice *advice, size_t count)
{
	for (size_t i = 0; i < count && of->rule->look == advice_slow_steps; i++)
		if (advice[i].rule->look == advice_gc_pauses && is_at_line(of, &advice[i]))
			return true;
	return false;
}

/* Returns whether the rule knows what callbacks of an event loop, or a line, do. */
static bool knows_work(const struct advice_rule *rule)
{
	return rule->look == advice_serialisation || rule->look == advice_sync_logging ||
	       rule->look == advice_client_per_request;
}

/* Returns whether other advice has half of the same seconds or more, and knows what is done. */
static bool is_said_of_work(const struct advice *of, const struct advice *advice, size_t count)
{
	if (of->rule->look != advice_blocked_event_loop && of->rule->look != advice_hot_line)
		return false;
	for (size_t i = 0; i < count; i++)
		if (knows_work(advice[i].rule) && advice[i].severity != ADVICE_NOTE &&
		    advice[i].gain_ns >= of->gain_ns / 2)
			return true;
	return false;
}

/* Leaves out that a GPU waits if other advice says why. */
static size_t advice_leave_out(const struct bottleneck *bottleneck, struct advice *advice,
			       size_t count)
{
	bool copies_are_said = is_said_of_copies(advice, count);
	bool small_copies_are_said = is_there(advice, count, (const void *)advice_small_copies);
	bool pauses_are_said = is_there(advice, count, (const void *)advice_gc_pauses);
	bool restarts_are_said = is_there(advice, count, (const void *)advice_worker_restarts);
	bool leak_is_said = is_there(advice, count, (const void *)advice_leak);
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t explained_ns = advice[i].gain_ns - advice[i].weight_ns;

		if (advice[i].rule->look == advice_gpu_idle &&
		    bottleneck_share(bottleneck, explained_ns) >= IDLE_EXPLAINED)
			continue;
		if (advice[i].rule->look == advice_exposed_copies && copies_are_said)
			continue;
		if (advice[i].rule->look == advice_pageable_copies && small_copies_are_said)
			continue;
		if (advice[i].rule->look == advice_memory_growth && leak_is_said)
			continue;
		if (is_said_of_waits(&advice[i], advice, count) ||
		    is_said_of_work(&advice[i], advice, count) ||
		    is_said_of_function(&advice[i], advice, count) ||
		    is_said_of_slow(&advice[i], advice, count))
			continue;
		if (advice[i].rule->look == advice_slow_steps && restarts_are_said &&
		    bottleneck->restarts.excess_ns >= advice[i].gain_ns / 2)
			continue;
		if (advice[i].rule->look == advice_slow_steps && pauses_are_said &&
		    bottleneck->loop.ns[STEP_gc] >= advice[i].gain_ns / 2)
			continue;
		if (advice[i].rule->look == advice_gpu_idle)
			advice[i].gain_ns = advice[i].weight_ns;
		advice[kept++] = advice[i];
	}
	return kept;
}

/* Returns whether the advice makes all figures doubtful, or says that the run failed. */
static bool is_failure(const struct advice *advice)
{
	return advice->rule->severity == ADVICE_PROBLEM;
}

static int advice_compare(const void *a, const void *b)
{
	const struct advice *left = a, *right = b;

	if (is_failure(left) != is_failure(right))
		return is_failure(left) ? -1 : 1;
	if ((left->severity == ADVICE_NOTE) != (right->severity == ADVICE_NOTE))
		return left->severity == ADVICE_NOTE ? 1 : -1;
	if (left->weight_ns != right->weight_ns)
		return left->weight_ns > right->weight_ns ? -1 : 1;
	if (is_guess(left) != is_guess(right))
		return is_guess(left) ? 1 : -1;
	if (left->severity != right->severity)
		return left->severity < right->severity ? -1 : 1;
	return left->rule < right->rule ? -1 : left->rule > right->rule;
}

/* Returns the time of all steps, also where only some of them have detail. */
static uint64_t advice_steps_ns(const struct bottleneck *bottleneck)
{
	const struct steady_loop *loop = &bottleneck->loop;

	return loop->all_ns > loop->total_ns ? loop->all_ns : loop->total_ns;
}

/* What the steps with detail show is taken to be so in all of them. */
static void advice_estimate(const struct bottleneck *bottleneck, struct advice *advice)
{
	uint64_t detailed_ns = bottleneck->loop.total_ns;

	if (advice_base_of(advice) == ADVICE_OF_STEPS && detailed_ns)
		advice->gain_ns = (uint64_t)((double)advice->gain_ns / (double)detailed_ns *
					     (double)advice_steps_ns(bottleneck));
}

double advice_share(const struct bottleneck *bottleneck, const struct advice *advice)
{
	const uint64_t all_ns[] = { [ADVICE_OF_STEPS] = advice_steps_ns(bottleneck),
				    [ADVICE_OF_RUN] = bottleneck->wall_ns,
				    [ADVICE_OF_SERVING] = bottleneck->serving.ns,
				    [ADVICE_OF_LOOP] = bottleneck->serving.ns };
	uint64_t of_ns = all_ns[advice_base_of(advice)];
	double share = of_ns ? 100.0 * (double)advice->gain_ns / (double)of_ns : 0;

	return share < 100 ? share : 100;
}

bool advice_is_of_cpu(const struct advice *advice)
{
	return advice->rule->look == advice_hot_line || advice->rule->look == advice_hot_function ||
	       advice->rule->look == advice_hot_library;
}

enum advice_base advice_base_of(const struct advice *advice)
{
	bool is_of_run = advice->rule->look == advice_first_step ||
			 advice->rule->look == advice_startup ||
			 advice->rule->look == advice_after_steps ||
			 advice->rule->look == advice_slow_imports || advice_is_of_cpu(advice);

	return is_of_run && advice->of != ADVICE_OF_SERVING ? ADVICE_OF_RUN : advice->of;
}

const char *advice_base_text(const struct advice *advice)
{
	static const char *const texts[] = {
		[ADVICE_OF_STEPS] = "steps' time",
		[ADVICE_OF_RUN] = "run",
		[ADVICE_OF_SERVING] = "serving time",
		[ADVICE_OF_LOOP] = "time after start-up",
	};

	return texts[advice_base_of(advice)];
}

struct advice *advice_gather(const struct bottleneck *bottleneck, size_t *ret_count)
{
	struct advice *advice = memory_zero(RULES, sizeof(*advice));
	size_t count = 0;

	for (size_t i = 0; i < RULES; i++) {
		advice[count] = (struct advice){ .rule = &rules[i],
						 .severity = rules[i].severity,
						 .todo = rules[i].todo };
		snprintf(advice[count].command, ADVICE_COMMAND_BYTES, "%s", rules[i].command);
		if (!rules[i].look(bottleneck, &advice[count]) ||
		    !advice_limit(bottleneck, &advice[count]))
			continue;
		if (advice[count].of == ADVICE_OF_SERVING && !bottleneck->waits->has_clients)
			advice[count].of = ADVICE_OF_LOOP;
		advice_estimate(bottleneck, &advice[count]);
		/*
		 * of a sample of the operators it is not known which of them are backward's, or are
		 * followed by a gap
		 */
		if (bottleneck->lines &&
		    !(bottleneck->sampled && (rules[i].look == advice_launch_bound ||
					      rules[i].look == advice_between_operators)))
			step_lines_say(bottleneck->lines, &advice[count]);
		if (advice[count].severity == ADVICE_WARNING &&
		    advice_share(bottleneck, &advice[count]) > SHARE_OF_PROBLEM)
			advice[count].severity = ADVICE_PROBLEM;
		count++;
	}
	advice_weigh(advice, count);
	count = advice_leave_out(bottleneck, advice, count);
	qsort(advice, count, sizeof(*advice), advice_compare);
	*ret_count = count;
	return advice;
}

void advice_set_does(struct advice *advice, const char *words)
{
	snprintf(advice->does, sizeof(advice->does), "%.*s", (int)strcspn(words, ","), words);
}

bool advice_exceeds(struct advice *advice, double value)
{
	advice->value = value;
	return value > advice->rule->threshold;
}

void advice_say(struct advice *advice, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(advice->text, sizeof(advice->text), format, arguments);
	va_end(arguments);
}

void advice_add(struct advice *advice, const char *format, ...)
{
	size_t used = strlen(advice->text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(advice->text + used, sizeof(advice->text) - used, format, arguments);
	va_end(arguments);
}
