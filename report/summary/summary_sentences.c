/* SPDX-License-Identifier: MIT */
/*
 * The first lines of the summary: what used the time, which causes have the most seconds, and who
 * held memory. A sentence is printed only if the recording proves it; what was not recorded is
 * named.
 */
#include <signal.h>
#include <string.h>

#include "report/advice/place_text.h"
#include "report/core/why_empty.h"
#include "report/summary/summary.h"
#include "report/summary/summary_screen.h"
#include "report/steps/rows_steps.h"

#define TAKEN_SHOWN 2

/* Only a part of the run was recorded or selected. */
static bool is_in_part(const struct summary *summary)
{
	return run_filters(summary->run)->any || why_empty_is_limited(summary->run);
}

/* --- what used the time --- */

void summary_print_steps(const struct summary *summary, const struct screen *screen)
{
	const struct steady_loop *loop = &summary->bottleneck.loop;
	char left_out[STEADY_LOOP_TEXT_BYTES];
	struct prose line;

	if (!loop->total_ns)
		return;
	steady_loop_left_out(loop, left_out);
	prose_begin(&line, screen);
	fprintf(line.screen.out, "In the steps%s%s: ", *left_out ? ", " : "", left_out);
	steps_print_shares(loop->ns, &loop->cpu, loop->total_ns, &line.screen);
	fputs(".", line.screen.out);
	prose_end(&line, screen);
	prose_begin(&line, screen);
	fputs("By phase, with the time outside of operators: ", line.screen.out);
	steps_print_phases(&(struct step_phases_shown){ summary->steps, &loop->host, &loop->phases,
							loop->steps },
			   &line.screen);
	if (step_phases_asked(&loop->phases)) {
		fputs(". What the GPU worked for: ", line.screen.out);
		steps_print_asked(&loop->phases, &line.screen);
	}
	fputs(".", line.screen.out);
	prose_end(&line, screen);
}

/* The time of one kind of call, of all threads together, and the largest part of it. */
struct taken {
	const char *what, *most;
	size_t most_length;
	uint64_t ns, most_ns;
	const char *quote; /* around the name of the largest part, which may be any text */
	/* each moment of a process counts once; false: all threads are added up */
	bool is_by_process;
};

static struct taken taken_by_operators(const struct summary *summary)
{
	const struct operators *operators = summary->operators;
	struct taken taken = { .what = "PyTorch's operators",
			       .ns = cover_ns(&operators->busy, 0),
			       .is_by_process = true };

	for (size_t i = 0; i < operators->row_count; i++) {
		const struct operator_row *row = &operators->row[i];
		struct operator_text name;

		if (row->self.ns <= taken.most_ns || !ops_row_is_shown(summary->source, row))
			continue;
		name = ops_row_name(summary->source, row);
		taken.most = name.text;
		taken.most_length = name.length;
		taken.most_ns = row->self.ns;
	}
	return taken;
}

static struct taken taken_by_ranges(const struct summary *summary)
{
	const struct range_row *most = NULL;
	struct taken taken = { .what = "NVTX ranges",
			       .quote = "'",
			       .ns = cover_ns(&summary->ranges->cover, 0),
			       .is_by_process = true };

	for (size_t i = 0; i < summary->ranges->row_count; i++) {
		const struct range_row *row = &summary->ranges->row[i];

		if (row->self_ns > (most ? most->self_ns : 0))
			most = row;
	}
	if (most) {
		taken.most = name_text(source_name_at(summary->source, most->name),
				       &taken.most_length);
		taken.most_ns = most->self_ns;
	}
	return taken;
}

/*
 * If the sum exceeds the time of the run, the text says that it is of several threads or processes.
 */
static const char *together(const struct taken *taken, uint64_t wall_ns)
{
	if (taken->ns <= wall_ns)
		return "";
	return taken->is_by_process ? " in all processes together" : " in all threads together";
}

static void put_taken(const struct taken *taken, const struct screen *screen, const char *before,
		      uint64_t wall_ns)
{
	char time[UNIT_TEXT_BYTES], name[PLACE_NAME_BYTES];

	fprintf(screen->out, "%s%s took %s%s", before, taken->what, unit_format_ns(time, taken->ns),
		together(taken, wall_ns));
	if (!taken->most || taken->most_ns < taken->ns / 10 || taken->most_ns > taken->ns)
		return;
	place_name(&(struct source_name){ .text = taken->most, .length = taken->most_length },
		   name);
	fprintf(screen->out, ", %s of it %s%s%s", unit_format_ns(time, taken->most_ns),
		taken->quote ? taken->quote : "", name, taken->quote ? taken->quote : "");
}

/*
 * Returns whether most of a whole run is not in `all_ns`, and was not sampled either, and no cause
 * says what it was.
 */
static bool nothing_of_the_rest(const struct summary *summary, uint64_t all_ns)
{
	const struct advice *first = summary_first_cause(summary);

	all_ns += first ? first->gain_ns : 0;
	return !is_in_part(summary) && !summary->samples->all.looks &&
	       !summary->native->all.samples && all_ns / 9 < summary->totals.wall_ns / 10;
}

/* Returns why there are no samples. */
static const char *without_samples(const struct summary *summary)
{
	const struct samples *samples = summary->samples;

	if (samples->all.looks)
		return samples_can_be_more(samples)
			       ? ", and too few samples (INTERCEPT_SAMPLE=1000 takes more)."
			       : ", and too few samples.";
	/* that there can be none is said by another sentence */
	if (!summary->imports->ranges.row_count || samples_why_none(samples))
		return ".";
	if (!samples->hz)
		return ". No samples were taken (INTERCEPT_SAMPLE=1000 takes them of CPython 3.8 "
		       "to 3.14).";
	return samples_can_be_more(samples) ? ", and no samples (INTERCEPT_SAMPLE=1000 takes them)."
					    : ", and no samples.";
}

/* A family that would say more, and what it records. */
struct more {
	enum evt_family family;
	const char *setting, *what;
};

/* For families that were not recorded: one setting for all of them. */
static void put_what_would_say_more(const struct summary *summary, FILE *out)
{
	static const struct more all[] = {
		{ EVT_FAMILY_native_samples, "+native-samples", "the CPU time of functions" },
		{ EVT_FAMILY_osrt, "+osrt", "what threads wait for" },
		{ EVT_FAMILY_io, "+io", "input and output" },
	};
	const struct more *off[sizeof(all) / sizeof(all[0])] = { NULL };
	size_t count = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (why_empty_is_off(summary->run, all[i].family))
			off[count++] = &all[i];
	if (summary->native->all.samples)
		fputs(" There are too few native samples.", out);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s%s", i ? "," : " Record with INTERCEPT_TRACE=", off[i]->setting);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s%s",
			!i              ? " to see "
			: i + 1 < count ? ", "
			: count > 2     ? ", and "
					: " and ",
			off[i]->what);
	fputs(count ? "." : "", out);
}

static const struct advice *advice_about(const struct summary *summary, const void *look)
{
	const struct bottleneck *bottleneck = &summary->bottleneck;

	for (size_t i = 0; i < bottleneck->advice_count; i++)
		if ((const void *)bottleneck->advice[i].rule->look == look)
			return &bottleneck->advice[i];
	return NULL;
}

#define HELD_UP 50.0 /* % of the run: most of it */

/*
 * Returns for how many percent of the run, or of the life of the busiest thread, it was ready to
 * run and had no CPU; 0: less than most of it. `ret_who`: who it was, and of what that is a share.
 */
static double had_no_cpu(const struct summary *summary, const char *ret_who[2])
{
	const struct advice *ready = advice_about(summary, (const void *)advice_cpu_contention);
	const struct source_thread *thread;
	struct thread_times times;
	double percent = 0.0;

	ret_who[0] = "The program";
	ret_who[1] = "the run";
	if (ready && ready->value >= HELD_UP)
		return ready->value;
	ret_who[0] = summary->totals.threads > 1 ? "The busiest thread" : "The program";
	ret_who[1] = "its life";
	thread = summary_busiest_thread(summary, &times);
	if (thread && !run_filters(summary->run)->any && thread->end_ns > thread->start_ns)
		percent = 100.0 * (double)times.runnable_ns /
			  (double)(thread->end_ns - thread->start_ns);
	return percent >= HELD_UP && percent <= 100.0 ? percent : 0.0;
}

/* Says why most of the run passed without work. Returns whether that is all to be said. */
static bool put_held_up(const struct summary *summary, FILE *out)
{
	const struct wait_causes *causes = summary->bottleneck.wait_causes;
	double wall_ns = (double)summary->totals.wall_ns;
	uint64_t idle_ns = 0, looks = 0;
	char count[UNIT_TEXT_BYTES];
	const char *who[2];
	double no_cpu = had_no_cpu(summary, who);

	for (size_t i = 0; i < causes->count && !causes->is_of_steps; i++)
		if (wait_cause_is_idle(&causes->cause[i])) {
			idle_ns += causes->cause[i].ns;
			looks += causes->cause[i].looks;
		}
	if (no_cpu > 0.0) {
		fprintf(out, "%s was ready to run, but had no CPU, for %.0f %% of %s. ", who[0],
			no_cpu, who[1]);
	} else if (wall_ns > 0 && 100.0 * (double)idle_ns / wall_ns >= HELD_UP) {
		fprintf(out,
			"The main thread waited for sockets, timers or requests for %.0f %% of the "
			"run (%s samples): none of its tasks could go on meanwhile. If they could, "
			"start them together, as asyncio.gather() does.",
			100.0 * (double)idle_ns / wall_ns, unit_format_count(count, looks));
		return true;
	}
	return false;
}

/* How long they waited is not known, so that they are no more than a hint. */
static void put_page_faults(const struct summary *summary, FILE *out)
{
	const struct bottleneck *bottleneck = &summary->bottleneck;

	for (size_t i = 0; i < bottleneck->advice_count; i++)
		if (bottleneck->advice[i].rule->look == advice_page_faults)
			fprintf(out, "%s How long they waited was not recorded. ",
				bottleneck->advice[i].text);
}

/* For a recording in which neither calls nor samples nor imports say anything. */
static void print_nothing(const struct summary *summary, const struct screen *screen)
{
	struct prose line;
	const char *who[2];
	FILE *out;

	prose_begin(&line, screen);
	out = line.screen.out;
	if (!put_held_up(summary, out)) {
		put_page_faults(summary, out);
		fprintf(out, "Nothing recorded shows what %s %s went to",
			is_in_part(summary) ? "that" : "its",
			had_no_cpu(summary, who) > 0.0 ? "CPU time" : "time");
		if (bottleneck_is_python(&summary->bottleneck))
			fprintf(out, ": no step, operator, range or CUDA call%s",
				without_samples(summary));
		else
			fputs(".", out);
		put_what_would_say_more(summary, out);
	}
	prose_end(&line, screen);
}

/*
 * For a program without steps: prints how much of its time was recorded; returns false if none was.
 */
static bool print_taken(const struct summary *summary, const struct screen *screen)
{
	struct taken taken[] = {
		taken_by_operators(summary),
		taken_by_ranges(summary),
		{ .what = "CUDA calls", .ns = summary->totals.cuda.total_ns },
		{ .what = "Input and output",
		  .ns = io_total(&summary->bottleneck.io_by_process->io).total_ns +
			summary->bottleneck.io_by_process->short_ns },
	};
	const char *before = "";
	uint64_t all_ns = 0;
	struct prose line;

	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		all_ns += taken[i].ns;
	if (!all_ns)
		return false;
	prose_begin(&line, screen);
	for (size_t shown = 0; shown < TAKEN_SHOWN; shown++) {
		struct taken *most = &taken[0];

		for (size_t i = 1; i < sizeof(taken) / sizeof(taken[0]); i++)
			if (taken[i].ns > most->ns)
				most = &taken[i];
		if (!most->ns)
			break;
		put_taken(most, &line.screen, before, summary->totals.wall_ns);
		before = "; ";
		most->ns = 0;
	}
	fputs(nothing_of_the_rest(summary, all_ns) ? "; what the rest went to was not recorded."
						   : ".",
	      line.screen.out);
	prose_end(&line, screen);
	return true;
}

/* Each call was recorded, whatever else was: the report has their time. */
static bool print_functions(const struct summary *summary, const struct screen *screen)
{
	uint64_t calls = run_events(summary->run, EVT_function_enter);
	char text[UNIT_TEXT_BYTES];

	if (!calls)
		return false;
	screen_print_prose(screen,
			   "%s call%s of Python functions were recorded, each with its time "
			   "(prof-report functions).",
			   unit_format_count(text, calls), unit_plural(calls));
	return true;
}

void summary_print_told(const struct summary *summary, const struct screen *screen)
{
	char why[ABSENCE_BYTES];
	struct range_names_text names;
	struct why_empty absence;
	bool tells = true;

	if (why_empty_is_whole(summary->run)) {
		/* no event of any family, so the sentence is the same for all */
		screen_print_prose(screen, "Nothing was recorded: %s.",
				   why_empty_explain(summary->run, EVT_FAMILY_nvtx, &absence));
		return;
	}
	if (!summary->totals.processes) {
		screen_print_prose(screen, "The recording is empty: no process is in it.");
		return;
	}
	if (!summary->steps->time.count && range_names_why(summary->run, why, sizeof(why)))
		screen_print_prose(screen, "%s; %s.", why, range_names_say(summary->names, &names));
	if (!summary->steps->time.count && !why_empty_is_whole(summary->run) &&
	    !ops_are_sampled(summary->operators))
		tells = print_taken(summary, screen);
	tells |= summary_print_lines(summary, screen);
	tells |= summary_print_native(summary, screen);
	tells |= summary_print_waits(summary, screen);
	tells |= summary_print_imports(summary, screen);
	tells |= print_functions(summary, screen);
	if (!tells && !summary->requests->count && !summary_first_cause(summary))
		print_nothing(summary, screen);
}
