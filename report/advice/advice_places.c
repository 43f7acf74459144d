/* SPDX-License-Identifier: MIT */
/*
 * Rules about where CPU time goes in programs without steps: a line of Python, or a native
 * function.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/advice/bottleneck.h"
#include "report/advice/native_works.h"
#include "report/advice/place_text.h"
#include "report/advice/step_function.h"
#include "report/base/memory.h"
#include "report/base/text.h"
#include "report/base/units.h"
#include "report/samples/lines.h"

#define LOOKS_MIN 20u      /* with fewer samples it is a guess */
#define GUESS_MIN 5u       /* with fewer samples nothing is said */
#define GUESS_PERCENT 50   /* share that a guess must have */
#define FUNCTION_MORE 10.0 /* points that the whole function must have more than its line */
#define WORK_MATTERS 0.4   /* share of the time of the main thread, or of those that serve */
#define WORK_MOST 0.5      /* likewise; it is the title then */
#define DEPTH_MIN 4.0      /* calls of one function on a stack, on average */

/* --- a line of Python --- */

/* CPU time of its own, without calls of CUDA: these spin while they wait for the GPU. */
static uint64_t line_work_ns(const struct line *line)
{
	return line->self.cpu_ns > line->self.cuda_ns ? line->self.cpu_ns - line->self.cuda_ns : 0;
}

/* Returns the user's line with the most CPU time of its own. */
static size_t hottest_line(const struct lines *lines)
{
	size_t most = SIZE_MAX;

	for (size_t i = 0; i < lines->count; i++)
		if (lines->line[i].file != SAMPLE_NONE &&
		    own_has_name(lines->own, lines->line[i].file) &&
		    (most == SIZE_MAX ||
		     line_work_ns(&lines->line[i]) > line_work_ns(&lines->line[most])))
			most = i;
	return most;
}

/* Returns the function of the line and not a comprehension on it: the one that begins first. */
static uint32_t advice_places_function_of(const struct samples *samples, struct own *own,
					  const struct line *line)
{
	uint32_t function = SAMPLE_NONE, first = UINT32_MAX;
	struct lines lines;

	lines_make_own(&lines, samples, LINES_BY_LINE, own, false);
	for (size_t i = 0; i < lines.count; i++)
		if (lines.line[i].file == line->file && lines.line[i].number == line->number &&
		    lines.line[i].first_line < first) {
			first = lines.line[i].first_line;
			function = lines.line[i].function;
		}
	lines_release(&lines);
	return function;
}

/* Of a server, with enough requests, the time of serving is what counts. */
static bool places_of_requests(const struct bottleneck *bottleneck)
{
	return bottleneck->serving.has_clients && samples_have_steps(bottleneck->lines->samples);
}

/* The CPU time that lines have shares of. */
static uint64_t places_cpu_ns(const struct bottleneck *bottleneck)
{
	const struct samples *samples = bottleneck->lines->samples;

	return places_of_requests(bottleneck) ? samples->steps.cpu_ns : samples->all.cpu_ns;
}

/* Says what all lines of the function have, if that is much more than the line has. */
static void advice_places_say_function(const struct bottleneck *bottleneck,
				       const struct lines *lines, const struct line *line,
				       struct advice *advice)
{
	uint64_t all_ns = places_cpu_ns(bottleneck), ns = 0;
	double percent;

	for (size_t i = 0; i < lines->count; i++)
		if (lines->line[i].file == line->file &&
		    lines->line[i].function == line->function &&
		    lines->line[i].first_line == line->first_line)
			ns += lines->line[i].self.cpu_ns;
	percent = all_ns ? 100.0 * (double)ns / (double)all_ns : 0;
	if (percent < advice->value + FUNCTION_MORE || !advice->place.function[0] ||
	    advice->place.function[0] == '<')
		return;
	advice->function_percent = percent;
	advice_add(advice, " All lines of '%s' together had %.0f %%.", advice->place.function,
		   percent);
}

static void say_line(const struct bottleneck *bottleneck, const struct lines *lines, size_t number,
		     struct advice *advice)
{
	const struct line *line = &lines->line[number];
	const struct line_link *caller = line_links_most(&lines->links, number, LINE_LINK_CALLER);
	const struct step_line found = { .file = line->file,
					 .function = advice_places_function_of(
						 bottleneck->lines->samples, lines->own, line),
					 .number = line->number,
					 .caller_file = caller ? caller->file : SAMPLE_NONE,
					 .caller_number = caller ? caller->number : 0,
					 .is_users = true,
					 .of_cpu = true,
					 .ns = line->self.cpu_ns,
					 .looks = line->self.cpu_looks };
	char text[STEP_LINE_BYTES], time[UNIT_TEXT_BYTES];

	step_line_put(bottleneck->lines, &found, &advice->place);
	step_line_text(bottleneck->lines, &found, text);
	advice_say(advice, "%.0f %% of the CPU time of Python's threads%s (%s) was spent in %s.",
		   advice->value, places_of_requests(bottleneck) ? " while it served" : "",
		   unit_format_ns(time, line->self.cpu_ns), text);
	advice_places_say_function(bottleneck, lines, line, advice);
}

/* Sums the known work of all threads that serve, while they computed; returns all of that time. */
static uint64_t sum_serving_works(const struct bottleneck *bottleneck, struct wait_works *works)
{
	const struct wait_looks *looks = bottleneck->waits;
	uint64_t all_ns = 0;

	*works = (struct wait_works){ .count = 0 };
	for (size_t i = 0; i < looks->row_count; i++) {
		const struct wait_row *row = &looks->row[i];
		const struct wait_place *place = &bottleneck->serving.place[i];

		if (!serving_has(row) || !serving_computes(row->look.state))
			continue;
		all_ns += row->ns;
		if (place->work && place->has_line && place->line.is_users)
			wait_works_put(works, place->work, row->ns, row->looks);
	}
	return all_ns;
}

static void say_serving_works(const struct bottleneck *bottleneck, struct advice *advice)
{
	struct wait_works works;
	uint64_t all_ns = sum_serving_works(bottleneck, &works);
	const struct wait_work *work = wait_works_most(&works);

	if (!work || work->looks < WAIT_LOOKS_MIN ||
	    (double)work->ns < WORK_MATTERS * (double)all_ns)
		return;
	advice_add(advice,
		   " After start-up, %.0f %% of the time in which threads computed was in %s "
		   "(%" PRIu64 " samples).",
		   100.0 * (double)work->ns / (double)all_ns, work->work->words, work->looks);
	advice->todo = work->work->todo;
	if ((double)work->ns >= WORK_MOST * (double)all_ns)
		advice_set_does(advice, work->work->words);
}

/* Says which part of Python's library runs there, and what is faster. */
static void advice_places_say_work(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct wait_causes *causes = bottleneck->wait_causes;
	const struct wait_work *work = wait_works_most(&causes->works);

	if (bottleneck->serving.is_server) {
		say_serving_works(bottleneck, advice);
		return;
	}
	if (!work || work->looks < WAIT_LOOKS_MIN ||
	    (double)work->ns < WORK_MATTERS * (double)causes->all_ns)
		return;
	advice_add(
		advice, " The main thread was in %s for %.0f %% of its time (%" PRIu64 " samples).",
		work->work->words, 100.0 * (double)work->ns / (double)causes->all_ns, work->looks);
	advice->todo = work->work->todo;
	if ((double)work->ns >= WORK_MOST * (double)causes->all_ns)
		advice_set_does(advice, work->work->words);
}

/* Parallel threads may use more CPU time than the run took; no more than the run can be saved. */
static uint64_t advice_places_within_run(const struct bottleneck *bottleneck, uint64_t cpu_ns)
{
	return !bottleneck->wall_ns || cpu_ns < bottleneck->wall_ns ? cpu_ns : bottleneck->wall_ns;
}

/* What the host does while its GPU is busy costs nothing. */
static bool gpu_hides_host(const struct bottleneck *bottleneck)
{
	uint64_t span_ns;

	return bottleneck_run_busy(bottleneck, &span_ns) >= BOTTLENECK_RUN_GPU_BOUND;
}

void advice_hot_line_add(const struct bottleneck *bottleneck, struct advice *advice)
{
	struct advice line = { .rule = advice->rule };

	if (!advice_hot_line(bottleneck, &line))
		return;
	advice->place = line.place;
	advice_add(advice, " %s", line.text);
}

bool advice_hot_line(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct samples *samples = bottleneck->lines->samples;
	bool of_requests = places_of_requests(bottleneck);
	struct lines lines;
	struct own own;
	size_t most;
	bool applies;

	if (bottleneck->steps->time.count || samples->all.cpu_looks < GUESS_MIN ||
	    gpu_hides_host(bottleneck))
		return false;
	if (of_requests)
		advice->of = ADVICE_OF_SERVING;
	own_init(&own, bottleneck->source, NULL);
	lines_make_own(&lines, samples, LINES_BY_NUMBER, &own, of_requests);
	most = hottest_line(&lines);
	applies = most != SIZE_MAX && lines.line[most].self.cpu_looks >= GUESS_MIN &&
		  line_work_ns(&lines.line[most]) * 2 >= lines.line[most].self.cpu_ns &&
		  advice_exceeds(advice, 100.0 * (double)lines.line[most].self.cpu_ns /
						 (double)places_cpu_ns(bottleneck)) &&
		  (lines.line[most].self.cpu_looks >= LOOKS_MIN || advice->value >= GUESS_PERCENT);
	if (applies) {
		advice->gain_ns = advice_places_within_run(bottleneck,
							   lines.line[most].self.cpu_ns);
		say_line(bottleneck, &lines, most, advice);
		advice_places_say_work(bottleneck, advice);
	}
	lines_release(&lines);
	own_release(&own);
	return applies;
}

/* --- a function of the steps --- */

bool advice_step_function(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct step_lines *lines = bottleneck->lines;
	struct step_function found;
	char text[STEP_LINE_BYTES];
	double share;

	if (!bottleneck->steps->time.count || !lines->all_ns ||
	    !step_function_find(bottleneck, &found) || found.looks < LOOKS_MIN)
		return false;
	share = (double)found.ns / (double)lines->all_ns;
	advice->gain_ns = (uint64_t)(share * (double)bottleneck->loop.total_ns);
	if (!advice_exceeds(advice, 100 * share))
		return false;
	step_line_text(lines, &found.line, text);
	step_line_put(lines, &found.line, &advice->place);
	advice->place.samples = found.looks;
	advice_say(advice,
		   "%.0f %% of the steps' time passes in '%s', a function beside the model, and in "
		   "what it calls (%" PRIu64 " samples); %.0f %% of that in %s.",
		   advice->value, advice->place.function, found.looks,
		   100.0 * (double)found.line.ns / (double)found.ns, text);
	/* of a sample of the operators no other rule knows what is done there */
	if (bottleneck->sampled && !steady_loop_is_gpu_bound(&bottleneck->loop))
		advice->severity = ADVICE_WARNING;
	if (!found.work)
		return true;
	/* what it does is known, and what to do about it */
	advice->severity = ADVICE_WARNING;
	advice_add(advice, " Most of it is %s.", found.work->words);
	advice_set_does(advice, found.work->words);
	advice->todo = found.work->todo;
	return true;
}

/* --- a function of native code --- */

/* Returns the CPU time by row. The caller frees it. */
static struct native_counts *sum_functions(const struct native_reading *native,
					   struct stack_rows *rows)
{
	struct native_counts *sum = NULL;
	size_t room = 0;

	for (size_t i = 0; i < native->row_count; i++) {
		const struct native_row *row = &native->row[i];
		struct stack_use use;
		size_t place;

		if (!row->key)
			continue;
		use = *stack_keys_use(native->stack_keys, row->key);
		use.weight = row->counts.cpu_ns;
		place = stack_rows_place(rows, &use);
		if (place == STACK_LEFT_OUT)
			continue;
		sum = memory_room(sum, place, &room, sizeof(*sum));
		native_counts_add(&sum[place], &row->counts);
	}
	return sum;
}

/*
 * Returns the CPU time by function, `own`: by the innermost one of the user's code, and the place
 * with most of it. The caller frees both.
 */
static struct native_counts *sum_hottest(const struct bottleneck *bottleneck, bool own,
					 struct stack_rows *rows, size_t *ret_most)
{
	struct native_counts *sum;
	size_t most = 0;

	stack_rows_init(rows, bottleneck->source, run_options(bottleneck->run), STACK_BY_FUNCTION,
			STACK_COLUMNS_NONE);
	rows->names.of_samples = rows->names.for_people = true;
	if (own)
		stack_rows_pick_own(rows);
	sum = sum_functions(bottleneck->native, rows);
	for (size_t i = 1; i < rows->place_count; i++)
		if (sum[i].cpu_ns > sum[most].cpu_ns)
			most = i;
	*ret_most = most;
	return sum;
}

/* Returns whether native code was sampled in a program without steps, whose time that explains. */
static bool has_native_time(const struct bottleneck *bottleneck)
{
	const struct native_reading *native = bottleneck->native;

	return !gpu_hides_host(bottleneck) && !bottleneck->steps->time.count &&
	       native->all.samples >= GUESS_MIN && native->all.cpu_ns;
}

static bool is_hot(const struct bottleneck *bottleneck, const struct native_counts *counts,
		   struct advice *advice)
{
	return counts->samples >= GUESS_MIN &&
	       advice_exceeds(advice, 100.0 * (double)counts->cpu_ns /
					      (double)bottleneck->native->all.cpu_ns) &&
	       (counts->samples >= LOOKS_MIN || advice->value >= GUESS_PERCENT);
}

/* Sums what the function at the place of the rows does. */
static void sum_native_works(const struct native_reading *native, struct stack_rows *rows,
			     size_t place, struct native_works *works)
{
	*works = (struct native_works){ .depth = 0 };
	for (size_t i = 0; i < native->row_count; i++) {
		const struct native_row *row = &native->row[i];
		struct stack_use use;

		if (!row->key)
			continue;
		use = *stack_keys_use(native->stack_keys, row->key);
		if (stack_rows_place(rows, &use) == place)
			native_works_add(
				works, &rows->names,
				named_stack_of(&rows->names, use.process, use.stack, use.time_ns),
				&row->counts);
	}
}

static void say_native_works(const struct native_works *works, const struct native_counts *all,
			     struct advice *advice)
{
	struct native_counts counts;
	const struct native_work *work = native_works_most(works, &counts);
	double depth = native_works_depth(works);

	if (work) {
		advice_add(advice, " %.0f %% of that passed in %s (%" PRIu64 " samples).",
			   100.0 * (double)counts.cpu_ns / (double)works->all.cpu_ns, work->words,
			   counts.samples);
		advice->todo = work->todo;
		if ((double)counts.cpu_ns >= WORK_MATTERS * (double)all->cpu_ns)
			advice_set_does(advice, work->words);
	} else if (depth >= DEPTH_MIN) {
		advice_add(advice, " It calls itself: it is on the stack %.0f times, on average.",
			   depth);
		advice->todo =
			"If it is called with the same arguments again and again, keep the "
			"results. Otherwise make that function faster, or call it less often.";
	}
}

static void say_function(const struct named_frame *frame, const struct native_counts *counts,
			 struct advice *advice)
{
	char name[PLACE_FRAME_BYTES], time[UNIT_TEXT_BYTES];

	place_of_frame(frame, &advice->place);
	advice->place.samples = counts->samples;
	place_frame_text(frame, name);
	advice_say(advice,
		   "%.0f %% of the CPU time (%s) was spent in %s and the libraries it calls.",
		   advice->value, unit_format_ns(time, counts->cpu_ns), name);
}

bool advice_hot_function(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct native_reading *native = bottleneck->native;
	const struct named_frame *frame;
	struct native_counts *sum;
	struct native_works works;
	struct stack_rows rows;
	size_t most;
	bool applies;

	if (!has_native_time(bottleneck))
		return false;
	sum = sum_hottest(bottleneck, true, &rows, &most);
	frame = rows.place_count ? stack_rows_frame(&rows, most) : NULL;
	applies = frame && frame->function && frame->is_users &&
		  is_hot(bottleneck, &sum[most], advice);
	if (applies) {
		advice->gain_ns = advice_places_within_run(bottleneck, sum[most].cpu_ns);
		say_function(frame, &sum[most], advice);
		sum_native_works(native, &rows, most, &works);
		say_native_works(&works, &native->all, advice);
	}
	free(sum);
	stack_rows_release(&rows);
	return applies;
}

/* Code without names, as of a stripped library: its module is all that can be said. */
bool advice_hot_library(const struct bottleneck *bottleneck, struct advice *advice)
{
	struct advice function = { .rule = advice->rule };
	const struct named_frame *frame;
	struct native_counts *sum;
	struct stack_rows rows;
	char time[UNIT_TEXT_BYTES];
	size_t most;
	bool applies;

	if (!has_native_time(bottleneck) || bottleneck_is_python(bottleneck) ||
	    advice_hot_function(bottleneck, &function))
		return false;
	sum = sum_hottest(bottleneck, false, &rows, &most);
	frame = rows.place_count ? stack_rows_frame(&rows, most) : NULL;
	applies = frame && !frame->function && frame->module && frame->module[0] != '[' &&
		  is_hot(bottleneck, &sum[most], advice);
	if (applies) {
		text_escape(advice->place.function, sizeof(advice->place.function), frame->module,
			    strlen(frame->module));
		advice->place.samples = sum[most].samples;
		advice->gain_ns = advice_places_within_run(bottleneck, sum[most].cpu_ns);
		advice_say(advice,
			   "%.0f %% of the CPU time (%s) was spent in the code of %s, which has no "
			   "names of functions.",
			   advice->value, unit_format_ns(time, sum[most].cpu_ns),
			   advice->place.function);
	}
	free(sum);
	stack_rows_release(&rows);
	return applies;
}

void advice_hot_function_add(const struct bottleneck *bottleneck, struct advice *advice)
{
	struct advice function = { .rule = advice->rule };

	if (advice_hot_function(bottleneck, &function))
		advice_add(advice, " %s", function.text);
}
