/* SPDX-License-Identifier: MIT */
/* Chooses two steps: see two_steps.h. */
#include "report/step_diff/two_steps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/numbers.h"
#include "report/steps/step_events.h"

struct wanted_steps {
	bool are_given;
	uint64_t number[STEP_SIDES];
	uint64_t pid; /* FILTER_NO_ID: of any process */
};

/* --- which are wanted --- */

/* "812,40": the step to explain, and the one to compare it with. */
static bool wanted_steps_parse(struct wanted_steps *wanted, const char *text)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	wanted->number[STEP_SLOW] = strtoull(text, &end, 10);
	if (errno || *end != ',' || end[1] < '0' || end[1] > '9')
		return false;
	wanted->number[STEP_TYPICAL] = strtoull(end + 1, &end, 10);
	wanted->are_given = true;
	return !errno && !*end;
}

static bool step_is_of(const struct step_row *step, uint32_t process)
{
	return step->process == process && step->has_detail;
}

static const struct step_row *step_numbered(const struct steps *steps, uint32_t process,
					    uint64_t number)
{
	for (size_t i = 0; i < steps->row_count; i++)
		if (step_is_of(&steps->row[i], process) && steps->row[i].number == number)
			return &steps->row[i];
	return NULL;
}

/* --- the choice --- */

/* The first step of a process is slow for reasons of its own. */
static bool step_may_be_slow(const struct steps *steps, size_t at)
{
	const struct step_row *step = &steps->row[at];

	for (size_t i = 0; i < steps->row_count; i++)
		if (steps->row[i].process == step->process &&
		    steps->row[i].start_ns < step->start_ns)
			return step->has_detail;
	return false;
}

static const struct step_row *step_slowest(const struct steps *steps, const struct source *source,
					   uint64_t pid)
{
	const struct step_row *slowest = NULL;
	struct source_process *const *process;
	size_t count = source_processes(source, &process);

	for (size_t i = 0; i < steps->row_count; i++) {
		const struct step_row *step = &steps->row[i];

		if (pid != FILTER_NO_ID &&
		    (step->process >= count || process[step->process]->pid != pid))
			continue;
		if ((!slowest || step->total_ns > slowest->total_ns) && step_may_be_slow(steps, i))
			slowest = step;
	}
	return slowest;
}

/* The median of the process's steps with detail, and how many they are. */
static void two_steps_measure(struct two_steps *two, const struct steps *steps, uint32_t process)
{
	uint64_t *total = memory_zero(steps->row_count + 1, sizeof(*total));
	size_t count = 0;

	for (size_t i = 0; i < steps->row_count; i++)
		if (step_is_of(&steps->row[i], process))
			total[count++] = steps->row[i].total_ns;
	two->count = count;
	two->median_ns = numbers_median(total, count);
	free(total);
}

static uint64_t two_steps_apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* The step nearest to the median; of several, the one nearest in time. */
static const struct step_row *step_typical(const struct steps *steps, const struct step_row *slow,
					   uint64_t median_ns)
{
	const struct step_row *typical = NULL;

	for (size_t i = 0; i < steps->row_count; i++) {
		const struct step_row *step = &steps->row[i];
		uint64_t apart = two_steps_apart(step->total_ns, median_ns), best;

		if (step == slow || !step_is_of(step, slow->process))
			continue;
		best = typical ? two_steps_apart(typical->total_ns, median_ns) : UINT64_MAX;
		if (apart < best ||
		    (apart == best && two_steps_apart(step->number, slow->number) <
					      two_steps_apart(typical->number, slow->number)))
			typical = step;
	}
	return typical;
}

static void two_steps_put(struct two_steps *two, enum two_steps_side side,
			  const struct step_row *step)
{
	struct compared_step *into = &two->step[side];

	*into = (struct compared_step){
		step->number, step->start_ns, step->start_ns + step->total_ns, { 0 }
	};
	memcpy(into->ns, step->ns, sizeof(into->ns));
}

static void two_steps_set(struct two_steps *two, const struct source *source,
			  const struct step_row *slow, const struct step_row *typical)
{
	struct source_process *const *process;
	size_t count = source_processes(source, &process);

	if (slow->process >= count)
		return;
	two_steps_put(two, STEP_SLOW, slow);
	two_steps_put(two, STEP_TYPICAL, typical);
	two->process = process[slow->process]->number;
	two->pid = process[slow->process]->pid;
	snprintf(two->path, sizeof(two->path), "%s", process[slow->process]->file->path);
	two->are_known = true;
}

/* The first process that has both steps. */
static void two_steps_set_given(struct two_steps *two, const struct steps *steps,
				const struct source *source, const struct wanted_steps *wanted)
{
	struct source_process *const *process;
	size_t count = source_processes(source, &process);

	for (uint32_t i = 0; i < count && !two->are_known; i++) {
		const struct step_row *slow = step_numbered(steps, i, wanted->number[STEP_SLOW]);
		const struct step_row *typical = step_numbered(steps, i,
							       wanted->number[STEP_TYPICAL]);

		if (!slow || !typical ||
		    (wanted->pid != FILTER_NO_ID && process[i]->pid != wanted->pid))
			continue;
		two_steps_measure(two, steps, i);
		two_steps_set(two, source, slow, typical);
	}
	if (!two->are_known)
		snprintf(two->problem, sizeof(two->problem),
			 "no process has steps %" PRIu64 " and %" PRIu64
			 " from begin to end; prof-report steps lists them",
			 wanted->number[STEP_SLOW], wanted->number[STEP_TYPICAL]);
}

static void two_steps_choose(struct two_steps *two, const struct steps *steps,
			     const struct source *source, const struct wanted_steps *wanted)
{
	const struct step_row *slow, *typical;

	if (wanted->are_given) {
		two_steps_set_given(two, steps, source, wanted);
		return;
	}
	slow = step_slowest(steps, source, wanted->pid);
	if (slow)
		two_steps_measure(two, steps, slow->process);
	typical = slow ? step_typical(steps, slow, two->median_ns) : NULL;
	if (typical)
		two_steps_set(two, source, slow, typical);
	else
		snprintf(two->problem, sizeof(two->problem),
			 "there are no two whole steps to compare; prof-report steps lists them");
}

/* --- the first reading --- */

static void two_steps_read(struct two_steps *two, struct source *source,
			   const struct wanted_steps *wanted)
{
	static const struct filter_settings all = { .pid = FILTER_NO_ID,
						    .tid = FILTER_NO_ID,
						    .to_ns = UINT64_MAX };
	struct run *run = run_new(source, &all);
	const struct steps *steps = steps_want(
		run, &(struct steps_options){ .wants_rows = true, .host_only = true });

	run_read(run, true);
	two_steps_choose(two, steps, source, wanted);
	run_free(run);
}

void two_steps_find(struct two_steps *two, const struct report_request *request)
{
	const struct options *options = request->options;
	const char *given = options->of_report[REPORT_OPTION_steps].text;
	struct wanted_steps wanted = { .pid = request->scope.pid };
	struct source *source;

	*two = (struct two_steps){ .are_known = false };
	if (given && !wanted_steps_parse(&wanted, given)) {
		snprintf(two->problem, sizeof(two->problem),
			 "--steps '%.40s' is no pair of steps, as in 812,40", given);
		return;
	}
	if (source_open_again(&source, request->source)) {
		snprintf(two->problem, sizeof(two->problem), "the files cannot be read twice");
		return;
	}
	(void)source_share_clocks(source, request->source);
	two_steps_read(two, source, &wanted);
	source_close(source);
}

bool two_steps_have(const struct two_steps *two, const struct source_process *process)
{
	return two->are_known && process->number == two->process &&
	       !strcmp(process->file->path, two->path);
}
