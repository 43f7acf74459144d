/* SPDX-License-Identifier: MIT */
/* Rules that compare steps with each other, processes with each other, and steps with the run. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/advice/bottleneck.h"
#include "report/advice/late_rank.h"
#include "report/base/memory.h"
#include "report/base/text.h"
#include "report/base/units.h"
#include "report/torch/arrivals.h"

/* % of the run; a longer first step is a warning if it exceeds FIRST_STEP_NS too */
#define FIRST_STEP_OF_RUN 10
#define FIRST_STEP_NS 3000000000u
#define FIRST_STEP_SHARE_MIN 2 /* %; less is not worth saying */
#define STEP_NAME_MAX 64u
#define STARTUP_NS_MIN 10000000000u /* after the last step, too */
#define QUEUED_SHARE 0.2    /* of the time after the last step: the GPU still works for the steps */
#define STARTUP_IMPORTS 0.8 /* share of the time before the first step */

/* Returns the share of the run in %. A step that is compiled can be most of a short run. */
static double share_of_run(const struct bottleneck *bottleneck, uint64_t ns)
{
	return bottleneck->wall_ns ? 100.0 * (double)ns / (double)bottleneck->wall_ns : 0;
}

/* The first batch waits until the workers run. */
typedef bool outside_line(const struct step_lines *lines, uint32_t process,
			  struct step_line *ret_line, double *ret_percent);

/* Names the line that takes much of it, if one does. */
static bool say_outside_line(const struct bottleneck *bottleneck, outside_line *find,
			     struct advice *advice)
{
	const struct step_lines *lines = bottleneck->lines;
	char text[STEP_LINE_BYTES];
	struct step_line line;
	double percent;

	if (!lines || !bottleneck->process ||
	    !find(lines, bottleneck->process->index, &line, &percent) ||
	    percent * advice->value / 100 <= advice->rule->threshold)
		return false;
	step_line_text(lines, &line, text);
	step_line_put(lines, &line, &advice->place);
	advice_add(advice, " By samples, %.0f %% of that time was in %s.", percent, text);
	advice->place.part = percent;
	return true;
}

/* That part is all that the advice is about. */
static void take_outside_line(struct advice *advice)
{
	advice->gain_ns = (uint64_t)(advice->place.part / 100 * (double)advice->gain_ns);
	advice->place.part = 0;
	advice->severity = ADVICE_WARNING; /* a line is worth more than a note */
}

static void say_first_batch(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct steady_loop *loop = &bottleneck->loop;
	uint64_t ns = bottleneck->steps->ns[STEP_dataloader] - loop->ns[STEP_dataloader];
	char time[UNIT_TEXT_BYTES];

	if (2 * ns < loop->warm_ns)
		return;
	advice_add(advice, " %s waited for the DataLoader for %s.",
		   loop->warm_steps > 1 ? "They" : "It", unit_format_ns(time, ns));
	advice->todo = bottleneck->has_workers
			       ? "Workers start then, and with spawn or forkserver import all that "
				 "the program imports. Start them with fork where that is safe, "
				 "and keep the main module's imports small."
			       : "The first batch may read or prepare what later ones find in "
				 "memory.";
}

bool advice_first_step(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct steady_loop *loop = &bottleneck->loop;
	char warm[UNIT_TEXT_BYTES], median[UNIT_TEXT_BYTES], which[48] = "step";

	if (!loop->warm_steps ||
	    !advice_exceeds(advice, (double)loop->warm_longest_ns / (double)loop->median_ns))
		return false;
	advice->gain_ns = loop->warm_ns - loop->warm_steps * loop->median_ns;
	if (share_of_run(bottleneck, advice->gain_ns) < FIRST_STEP_SHARE_MIN)
		return false;
	if (advice->gain_ns > FIRST_STEP_NS &&
	    share_of_run(bottleneck, advice->gain_ns) > FIRST_STEP_OF_RUN)
		advice->severity = ADVICE_WARNING;
	if (loop->warm_steps > 1)
		snprintf(which, sizeof(which), "steps (%" PRIu64 ")", loop->warm_steps);
	advice_say(
		advice,
		"the first %s took %s, %.1f %% of the run; the median of the others is %s. Other "
		"percentages here do not include %s.",
		which, unit_format_ns(warm, loop->warm_ns), share_of_run(bottleneck, loop->warm_ns),
		unit_format_ns(median, loop->median_ns), loop->warm_steps > 1 ? "them" : "it");
	say_first_batch(bottleneck, advice);
	if (say_outside_line(bottleneck, step_lines_warm_imports, advice)) {
		advice_add(advice, " It imports Python modules there.");
		advice->todo = "Packages that load their parts on demand import most of them at "
			       "the first call.";
	} else {
		(void)say_outside_line(bottleneck, step_lines_warm, advice);
	}
	return true;
}

struct rank {
	uint64_t steps, total_ns, communication_ns;
};

static struct rank *ranks_look(const struct steps *steps, size_t *ret_room)
{
	struct rank *rank = NULL;

	*ret_room = 0;
	for (size_t i = 0; i < steps->row_count; i++) {
		const struct step_row *row = &steps->row[i];

		rank = memory_room(rank, row->process, ret_room, sizeof(*rank));
		rank[row->process].steps++;
		rank[row->process].total_ns += row->total_ns;
		rank[row->process].communication_ns += row->ns[STEP_communication];
	}
	return rank;
}

static double rank_share(const struct rank *rank)
{
	return rank->total_ns ? 100.0 * (double)rank->communication_ns / (double)rank->total_ns : 0;
}

static uint64_t ranks_waited_ns(const struct rank *rank, size_t room, size_t least)
{
	uint64_t waited_ns = 0;

	for (size_t i = 0; i < room; i++)
		if (rank[i].communication_ns > rank[least].communication_ns)
			waited_ns += rank[i].communication_ns - rank[least].communication_ns;
	return waited_ns;
}

/*
 * Returns the share of the collectives' time before the last rank had begun them, -1 if it is not
 * known: calls that are not matched, or whose end only the GPU sees.
 */
static double collectives_waiting_share(const struct bottleneck *bottleneck)
{
	const struct collectives *all = bottleneck->collectives;
	uint64_t wait_ns = 0, total_ns = 0;

	for (size_t i = 0; i < all->row_count; i++) {
		const struct collective_row *row = &all->row[i];
		const struct source_name *name = source_name_at(bottleneck->source, row->name);
		struct collective_label label;

		if (row->is_kernel || row->matched != row->time.count || !name || !name->text ||
		    !collective_label_of(name->text, name->length, &label) ||
		    !collective_is_timed(&label))
			return -1;
		wait_ns += row->wait_ns;
		total_ns += row->time.total_ns;
	}
	return total_ns ? (double)wait_ns / (double)total_ns : -1;
}

/* Time of steps that ranks wait for a later one: see ranks_waiting_share(). */
static uint64_t ranks_waiting_ns(const struct bottleneck *bottleneck, const struct rank *rank,
				 size_t room)
{
	double share = collectives_waiting_share(bottleneck);
	size_t least = SIZE_MAX;
	uint64_t all_ns = 0;

	for (size_t i = 0; i < room; i++) {
		all_ns += rank[i].communication_ns;
		if (rank[i].steps &&
		    (least == SIZE_MAX || rank_share(&rank[i]) < rank_share(&rank[least])))
			least = i;
	}
	if (share >= 0)
		return (uint64_t)(share * (double)all_ns);
	return least == SIZE_MAX || !rank[least].communication_ns
		       ? 0
		       : ranks_waited_ns(rank, room, least);
}

double ranks_waiting_share(const struct bottleneck *bottleneck)
{
	size_t room;
	struct rank *rank = ranks_look(bottleneck->steps, &room);
	uint64_t all_ns = 0, waited_ns = ranks_waiting_ns(bottleneck, rank, room);

	for (size_t i = 0; i < room; i++)
		all_ns += rank[i].communication_ns;
	free(rank);
	return all_ns ? (double)waited_ns / (double)all_ns : 0;
}

#define RANK_NAME_BYTES 64

/* Writes "rank 1 (process 4711)", or "process 4711" without a rank. */
static const char *rank_name(char room[RANK_NAME_BYTES], const struct source *source,
			     const struct source_process *process)
{
	uint64_t rank = source_rank(source, process);

	if (rank == UINT64_MAX)
		snprintf(room, RANK_NAME_BYTES, "process %u", process->pid);
	else
		snprintf(room, RANK_NAME_BYTES, "rank %" PRIu64 " (process %u)", rank,
			 process->pid);
	return room;
}

struct rank_waits {
	struct rank *rank; /* of processes, by index */
	size_t room;
	struct arrivals *arrivals;
	size_t least, most; /* that communicate least and most; SIZE_MAX: there is no rank */
};

/* Says what the late rank does in a step that the others do not; false: that is not known. */
static bool say_late(const struct bottleneck *bottleneck, const struct rank_waits *waits,
		     struct advice *advice)
{
	const struct rank *most = &waits->rank[waits->most], *least = &waits->rank[waits->least];
	uint64_t *steps = memory_zero(waits->room, sizeof(*steps));
	struct late_rank late = { (uint32_t)waits->least, steps, waits->room,
				  (double)most->communication_ns / (double)most->steps -
					  (double)least->communication_ns / (double)least->steps };
	char text[STEP_LINE_BYTES], time[UNIT_TEXT_BYTES];
	struct step_line line;
	double excess_ns;
	bool is_known;

	for (size_t i = 0; i < waits->room; i++)
		steps[i] = waits->rank[i].steps;
	is_known = late_rank_line(bottleneck, &late, &line, &excess_ns);
	free(steps);
	if (!is_known)
		return false;
	step_line_text(bottleneck->lines, &line, text);
	step_line_put(bottleneck->lines, &line, &advice->place);
	advice_add(advice,
		   " By samples, it spends %s a step more than the others in %s (%" PRIu64
		   " samples).",
		   unit_format_ns(time, (uint64_t)excess_ns), text, line.looks);
	return true;
}

/*
 * Names the late rank in the title, unless another one is nearly as late: then nobody can tell whom
 * the others wait for.
 */
static void name_late(const struct bottleneck *bottleneck, const struct rank_waits *waits,
		      struct advice *advice)
{
	const struct rank *rank = waits->rank;
	double half = (rank_share(&rank[waits->most]) + rank_share(&rank[waits->least])) / 2;
	struct source_process *const *process;
	uint64_t number;

	for (size_t i = 0; i < waits->room; i++)
		if (i != waits->least && rank[i].steps && rank_share(&rank[i]) < half)
			return;
	source_processes(bottleneck->source, &process);
	number = source_rank(bottleneck->source, process[waits->least]);
	if (number != UINT64_MAX)
		snprintf(advice->late, sizeof(advice->late), "rank %" PRIu64, number);
}

/* Another rank is late each time, so that it is not one of them that the others wait for. */
static void say_one_another(const struct bottleneck *bottleneck, const struct rank_waits *waits,
			    struct advice *advice)
{
	struct source_process *const *process;
	char name[RANK_NAME_BYTES];
	size_t last = waits->least;

	source_processes(bottleneck->source, &process);
	for (size_t i = 0; i < waits->room; i++)
		if (waits->arrivals[i].late_count > waits->arrivals[last].late_count)
			last = i;
	advice_add(advice,
		   ". The ranks wait for one another: none is the last to arrive most of the time, "
		   "%s at %" PRIu64 " of %" PRIu64 " collectives.",
		   rank_name(name, bottleneck->source, process[last]),
		   waits->arrivals[last].late_count, waits->arrivals[last].calls);
	snprintf(advice->late, sizeof(advice->late), "one another");
	advice->todo = "Look for work that differs from step to step: data of unequal lengths, or "
		       "what a rank does now and then.";
}

static void ranks_waits_look(const struct bottleneck *bottleneck, struct rank_waits *waits)
{
	const struct rank *rank = waits->rank;

	for (size_t i = 0; i < waits->room; i++) {
		if (!rank[i].steps)
			continue;
		if (waits->least == SIZE_MAX ||
		    rank_share(&rank[i]) < rank_share(&rank[waits->least]))
			waits->least = i;
		if (waits->most == SIZE_MAX ||
		    rank_share(&rank[i]) > rank_share(&rank[waits->most]))
			waits->most = i;
	}
	waits->arrivals = arrivals_make(bottleneck->source, bottleneck->collectives);
}

static void ranks_wait_say(const struct bottleneck *bottleneck, const struct rank_waits *waits,
			   struct advice *advice)
{
	const struct rank *most = &waits->rank[waits->most], *least = &waits->rank[waits->least];
	char waiting[RANK_NAME_BYTES], late[RANK_NAME_BYTES];
	struct source_process *const *process;
	struct advice tried;

	source_processes(bottleneck->source, &process);
	advice_say(advice, "%s communicates for %.1f %% of its steps' time, %s for %.1f %%",
		   rank_name(waiting, bottleneck->source, process[waits->most]), rank_share(most),
		   rank_name(late, bottleneck->source, process[waits->least]), rank_share(least));
	tried = *advice;
	advice_add(&tried, ": most likely the first waits for the second.");
	name_late(bottleneck, waits, &tried);
	if (say_late(bottleneck, waits, &tried) ||
	    arrivals_are_last(&waits->arrivals[waits->least]))
		*advice = tried;
	else
		say_one_another(bottleneck, waits, advice);
}

bool advice_ranks_wait(const struct bottleneck *bottleneck, struct advice *advice)
{
	struct rank_waits waits = { .least = SIZE_MAX, .most = SIZE_MAX };
	struct source_process *const *process;
	size_t processes = source_processes(bottleneck->source, &process);
	bool applies = false;

	waits.rank = ranks_look(bottleneck->steps, &waits.room);
	waits.room = waits.room < processes ? waits.room : processes;
	ranks_waits_look(bottleneck, &waits);
	if (waits.least != SIZE_MAX && waits.rank[waits.least].communication_ns)
		applies = advice_exceeds(advice, rank_share(&waits.rank[waits.most]) -
							 rank_share(&waits.rank[waits.least]));
	if (applies) {
		advice->gain_ns += ranks_waiting_ns(bottleneck, waits.rank, waits.room);
		ranks_wait_say(bottleneck, &waits, advice);
	}
	free(waits.arrivals);
	free(waits.rank);
	return applies;
}

static bool say_startup_line(const struct bottleneck *bottleneck, struct advice *advice)
{
	if (!say_outside_line(bottleneck, step_lines_before, advice))
		return false;
	take_outside_line(advice);
	advice->todo = "Do that once and keep what it makes in a file, do it for many items at a "
		       "time, or share it out to several processes (in datasets.map(): "
		       "batched=True, num_proc=N).";
	snprintf(advice->command, sizeof(advice->command), "lines");
	return true;
}

bool advice_startup(const struct bottleneck *bottleneck, struct advice *advice)
{
	char before[UNIT_TEXT_BYTES], import[UNIT_TEXT_BYTES];
	const struct source_process *process = bottleneck->process;
	uint64_t ns = bottleneck->first_step_ns;

	if (!process || ns <= process->start_ns || bottleneck->limited)
		return false;
	if (ns < STARTUP_NS_MIN || !bottleneck->wall_ns ||
	    !advice_exceeds(advice, 100.0 * (double)ns / (double)bottleneck->wall_ns))
		return false;
	advice_say(advice, "%s passed before the first step, %.1f %% of the run%s%s.",
		   unit_format_ns(before, ns), advice->value,
		   bottleneck->imported_ns ? "; import torch had ended after " : "",
		   bottleneck->imported_ns ? unit_format_ns(import, bottleneck->imported_ns) : "");
	advice->gain_ns = ns;
	if (say_startup_line(bottleneck, advice))
		return true;
	if (bottleneck->imported_ns > STARTUP_IMPORTS * (double)ns)
		advice->todo = "Most of that are imports: see which modules take it.";
	return true;
}

/* Returns for how long a GPU works on for the steps when the host has done the last one. */
static uint64_t queued_ns(const struct steps *steps)
{
	uint64_t asked_ns = step_phases_asked(&steps->phases);

	return asked_ns > steps->gpu_ns ? asked_ns - steps->gpu_ns : 0;
}

/* What runs then is not the usual work, so it is said only where a line takes the time. */
bool advice_after_steps(const struct bottleneck *bottleneck, struct advice *advice)
{
	uint64_t last_ns = bottleneck->last_step_ns, wall_ns = bottleneck->wall_ns;
	char after[UNIT_TEXT_BYTES];

	if (!last_ns || wall_ns < last_ns + STARTUP_NS_MIN || bottleneck->limited)
		return false;
	advice->gain_ns = wall_ns - last_ns;
	if (!advice_exceeds(advice, 100.0 * (double)advice->gain_ns / (double)wall_ns) ||
	    queued_ns(bottleneck->steps) >= QUEUED_SHARE * (double)advice->gain_ns)
		return false;
	advice_say(advice, "%s passed after the last step, %.1f %% of the run.",
		   unit_format_ns(after, advice->gain_ns), advice->value);
	if (!say_outside_line(bottleneck, step_lines_after, advice))
		return false;
	take_outside_line(advice);
	return true;
}

/* Returns the user scope or NVTX range that occurs most often, which may be a step; NULL: none. */
static const struct source_name *most_frequent(const struct bottleneck *bottleneck)
{
	const struct source_name *most = NULL, *name;
	uint64_t count = 1;

	for (size_t i = 0; i < bottleneck->operators->row_count; i++) {
		const struct operator_row *row = &bottleneck->operators->row[i];

		name = source_name_at(bottleneck->source, row->name);
		if (row->scope != EVT_SCOPE_USER || row->calls <= count || !name || !name->text ||
		    evidence_kind_of(name->text, name->length, row->scope) != EVIDENCE_LABEL)
			continue;
		most = name;
		count = row->calls;
	}
	for (size_t i = 0; i < bottleneck->ranges->row_count; i++) {
		const struct range_row *row = &bottleneck->ranges->row[i];

		name = source_name_at(bottleneck->source, row->name);
		if (row->count <= count || !name || !name->text)
			continue;
		most = name;
		count = row->count;
	}
	return most;
}

/* Sets the command that records it as steps, if the name needs nothing but quotes in a shell. */
static void say_step(struct advice *advice, const struct source_name *name)
{
	char escaped[STEP_NAME_MAX * 4 + 1];

	if (!name || name->length > STEP_NAME_MAX)
		return;
	text_escape(escaped, sizeof(escaped), name->text, name->length);
	if (strlen(escaped) == name->length && !strpbrk(escaped, "'\\"))
		snprintf(advice->command, sizeof(advice->command), "steps --step '%.*s'",
			 (int)STEP_NAME_MAX, escaped);
}

bool advice_no_steps(const struct bottleneck *bottleneck, struct advice *advice)
{
	char calls[UNIT_TEXT_BYTES];

	if (bottleneck->steps->time.count ||
	    !advice_exceeds(advice, (double)bottleneck->operator_calls))
		return false;
	advice_say(advice, "%s operators were called, but no step of a training loop was seen.",
		   unit_format_count(calls, bottleneck->operator_calls));
	say_step(advice, most_frequent(bottleneck));
	return true;
}

bool advice_ranks_missing(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct source_name *world = bottleneck_fact(bottleneck, "WORLD_SIZE");
	uint32_t ranks = bottleneck->steps->processes;
	char digits[16] = "";
	unsigned long size;

	if (!world || !ranks || run_filters(bottleneck->run)->any)
		return false;
	snprintf(digits, sizeof(digits), "%.*s", (int)world->length, world->text);
	size = strtoul(digits, NULL, 10);
	if (size <= ranks || !advice_exceeds(advice, (double)(size - ranks)))
		return false;
	advice_say(advice, "%u of %lu ranks (WORLD_SIZE) are in what was read.", ranks, size);
	return true;
}

/*
 * Only where all of the evaluation records gradients: then its share of the selected steps is that
 * of such evaluation. By the host's time: on a GPU, most of it may be the GPU's.
 */
bool advice_evaluation_gradients(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct steps *steps = bottleneck->steps;

	if (!steps->detailed_ns || steps->unused_ns < steps->evaluation_ns ||
	    !advice_exceeds(advice, 100.0 * (double)steps->phases.ns[PHASE_evaluation] /
					    (double)steps->detailed_ns))
		return false;
	advice_say(advice,
		   "for %.1f %% of the steps' time the loop runs matrix products or convolutions "
		   "that record gradients, but no backward uses what they recorded.",
		   advice->value);
	return true;
}
