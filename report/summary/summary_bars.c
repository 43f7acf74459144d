/* SPDX-License-Identifier: MIT */
/*
 * The bars of the first screen: how the time of the run was used (start, steps, end; without steps,
 * what its busiest thread did, in a server since it served), and the time of a step by phase. The
 * cells of a bar and the percentages of its legend are rounded so that they add up.
 */
#include <stdlib.h>
#include <string.h>

#include "report/summary/summary_screen.h"

#define PARTS_MAX (SUMMARY_STEP_PARTS + 1) /* and a remark */
#define BAR_MAX 60u
#define WIDTH_OF_IMPORT 60u /* of a screen that has room to say when torch was imported */
#define BAR_MIN 8u
#define WORDS_BYTES 96
#define SERVED_NS_MIN 1000000000u /* of samples: less says little of what a server does */
#define SERVED_WHOLE 0.97         /* of the time of serving: looks begin and end a little later */

struct bar_part {
	char ascii;
	const char *utf8, *color;
	uint64_t value;
	char words[WORDS_BYTES]; /* of the legend */
};

struct bar {
	const char *label;
	char tail[WORDS_BYTES + 32]; /* behind the bar */
	struct bar_part part[PARTS_MAX];
	size_t count;
};

static const struct bar_part step_parts[SUMMARY_STEP_PARTS] = {
	[PHASE_data] = { 'd', "\xe2\x96\x91", "33", 0, "" },
	[PHASE_forward] = { 'f', "\xe2\x96\x88", "32", 0, "" },
	[PHASE_backward] = { 'b', "\xe2\x96\x93", "34", 0, "" },
	[PHASE_optimizer] = { 'o', "\xe2\x96\x92", "35", 0, "" },
	[PHASE_communication] = { 'c', "\xe2\x95\x90", "31", 0, "" },
	[PHASE_evaluation] = { 'e', "\xe2\x96\x9a", "36", 0, "" },
	[PHASE_other] = { '.', "\xc2\xb7", "2", 0, "" },
	[SUMMARY_STEP_GC] = { 'g', "\xe2\x95\xb3", "31", 0, "" },
	[SUMMARY_STEP_OUTSIDE] = { '-', "\xe2\x94\x80", "2", 0, "" },
	[SUMMARY_STEP_WAITS] = { 'w', "\xe2\x89\x88", "33", 0, "" },
};

/*
 * Computes shares of `whole` in integers that add up to it: the largest remainders are rounded up.
 */
static void share_out(const struct bar *bar, unsigned int whole, unsigned int share[PARTS_MAX])
{
	double rest[PARTS_MAX], all = 0;
	unsigned int left = whole;

	for (size_t i = 0; i < bar->count; i++)
		all += (double)bar->part[i].value;
	for (size_t i = 0; i < bar->count; i++) {
		double exact = all > 0 ? whole * ((double)bar->part[i].value / all) : 0;

		share[i] = (unsigned int)exact;
		share[i] = share[i] < left ? share[i] : left;
		rest[i] = exact - share[i];
		left -= share[i];
	}
	while (left-- && all > 0) {
		size_t most = 0;

		for (size_t i = 1; i < bar->count; i++)
			if (rest[i] > rest[most])
				most = i;
		share[most]++;
		rest[most] = -1;
	}
}

static void put_mark(const struct bar_part *part, const struct screen *screen, unsigned int cells)
{
	if (!cells)
		return;
	if (screen->color)
		fprintf(screen->out, "\033[%sm", part->color);
	while (cells--)
		if (screen->utf8)
			fputs(part->utf8, screen->out);
		else
			putc(part->ascii, screen->out);
	if (screen->color)
		fputs("\033[0m", screen->out);
}

/*
 * Prints the legend: for each part its mark, if the bar has it, and its words, which begin a
 * further line if they do not fit.
 */
static void put_legend(const struct bar *bar, const unsigned int cells[PARTS_MAX],
		       const struct screen *screen)
{
	size_t used = SCREEN_LABEL;
	bool is_first = true;

	fprintf(screen->out, "%*s", (int)SCREEN_LABEL, "");
	for (size_t i = 0; i < bar->count; i++) {
		const struct bar_part *part = &bar->part[i];
		size_t width = strlen(part->words) + (cells[i] ? 2 : 0);

		if (!part->words[0])
			continue;
		if (!is_first && used + 2 + width + 1 > screen->width) {
			fprintf(screen->out, ",\n%*s", (int)SCREEN_LABEL, "");
			used = SCREEN_LABEL;
		} else if (!is_first) {
			fputs(", ", screen->out);
			used += 2;
		}
		put_mark(part, screen, cells[i] ? 1 : 0);
		fprintf(screen->out, "%s%s", cells[i] ? " " : "", part->words);
		used += width;
		is_first = false;
	}
	putc('\n', screen->out);
}

static void bar_print(const struct bar *bar, const struct screen *screen)
{
	size_t around = SCREEN_LABEL + 4 + strlen(bar->tail);
	size_t width = screen->width > around + BAR_MIN ? screen->width - around : BAR_MIN;
	unsigned int cells[PARTS_MAX];

	width = width < BAR_MAX ? width : BAR_MAX;
	share_out(bar, (unsigned int)width, cells);
	fprintf(screen->out, "%-*s[", (int)SCREEN_LABEL, bar->label);
	for (size_t i = 0; i < bar->count; i++)
		put_mark(&bar->part[i], screen, cells[i]);
	fprintf(screen->out, "] %s\n", bar->tail);
	put_legend(bar, cells, screen);
}

/* --- the run --- */

static void run_of_phases(const struct summary *summary, const struct screen *screen,
			  struct bar *bar)
{
	const struct summary_phases *phases = &summary->phases;
	const struct steps *steps = summary->steps;
	char time[UNIT_TEXT_BYTES], count[UNIT_TEXT_BYTES], imported[UNIT_TEXT_BYTES];
	uint64_t imported_ns = summary->bottleneck.imported_ns;

	bar->part[0] = (struct bar_part){ '-', "\xe2\x96\x91", "33", phases->startup_ns, "" };
	bar->part[1] = (struct bar_part){ '#', "\xe2\x96\x88", "32", phases->steps_ns, "" };
	bar->part[2] = (struct bar_part){ '=', "\xe2\x96\x92", "35", phases->after_ns, "" };
	bar->count = 3;
	snprintf(bar->part[0].words, WORDS_BYTES, "start %s",
		 unit_format_ns(time, phases->startup_ns));
	if (imported_ns && imported_ns < phases->startup_ns && screen->width >= WIDTH_OF_IMPORT)
		snprintf(bar->part[0].words, WORDS_BYTES, "start %s (torch imported after %s)",
			 unit_format_ns(time, phases->startup_ns),
			 unit_format_ns(imported, imported_ns));
	snprintf(bar->part[1].words, WORDS_BYTES, "%s step%s %s",
		 unit_format_count(count, steps->time.count), unit_plural(steps->time.count),
		 unit_format_ns(time, phases->steps_ns));
	snprintf(bar->part[2].words, WORDS_BYTES, "after them %s",
		 unit_format_ns(time, phases->after_ns));
	unit_format_ns(bar->tail, summary->totals.wall_ns);
}

/*
 * For a program without steps: what its busiest thread did during its life. Returns false if that
 * is not known.
 */
static bool run_of_thread(const struct summary *summary, struct bar *bar)
{
	static const char *const words[] = { "on a CPU", "ready, but without a CPU", "stopped",
					     "waiting" };
	const struct source_thread *thread;
	unsigned int percent[PARTS_MAX];
	struct thread_times times;
	uint64_t lived_ns, rest_ns, stops_ns;

	thread = summary_busiest_thread(summary, &times);
	if (!thread || run_filters(summary->run)->any || thread->end_ns <= thread->start_ns)
		return false;
	lived_ns = thread->end_ns - thread->start_ns;
	rest_ns = times.cpu_ns + times.runnable_ns;
	rest_ns = lived_ns > rest_ns ? lived_ns - rest_ns : 0;
	stops_ns = process_stops_ns(thread->process);
	stops_ns = stops_ns < rest_ns ? stops_ns : rest_ns;
	bar->part[0] = (struct bar_part){ '#', "\xe2\x96\x88", "32", times.cpu_ns, "" };
	bar->part[1] = (struct bar_part){ '=', "\xe2\x96\x92", "31", times.runnable_ns, "" };
	bar->part[2] = (struct bar_part){ 'x', "\xc3\x97", "2", stops_ns, "" };
	bar->part[3] = (struct bar_part){ '.', "\xc2\xb7", "2", rest_ns - stops_ns, "" };
	bar->count = 4;
	share_out(bar, 100, percent);
	for (size_t i = 0; i < bar->count; i++)
		if (percent[i])
			snprintf(bar->part[i].words, WORDS_BYTES, "%s %u %%", words[i], percent[i]);
	unit_format_ns(bar->tail, lived_ns);
	if (summary->totals.threads > 1)
		strcat(bar->tail, ", busiest thread");
	return true;
}

/* The thread of a server that computed most, or wanted to, since the server served. */
static const struct serving_thread *run_serving_thread(const struct serving *serving)
{
	const struct serving_thread *busiest = NULL;

	for (size_t i = 0; i < serving->thread_count; i++) {
		const struct serving_thread *thread = &serving->thread[i];

		if (!busiest || thread->runs_ns + thread->ready_ns + thread->gil_ns >
					busiest->runs_ns + busiest->ready_ns + busiest->gil_ns)
			busiest = thread;
	}
	return busiest;
}

/*
 * Whether a thread of a process that never waited for requests was busier: what has an event loop
 * and leaves the work to a pool of processes is no server to its user.
 */
static bool works_elsewhere(const struct summary *summary, uint64_t busy_ns)
{
	const struct wait_looks *looks = summary->bottleneck.waits;
	struct thread_times times;
	const struct source_thread *thread = summary_busiest_thread(summary, &times);

	if (!thread || times.cpu_ns + times.runnable_ns <= busy_ns)
		return false;
	return !serving_time_since(&looks->serving, thread->process->index);
}

/*
 * For a server, or an event loop: what its busiest thread did since it served, by samples. Its
 * start-up is no part of that. Returns false for other programs, or if there are too few samples.
 */
static bool run_of_server(const struct summary *summary, struct bar *bar)
{
	static const char *const words[] = { "on a CPU", "ready, but without a CPU",
					     "waiting for the GIL", "waiting" };
	const struct serving *serving = &summary->bottleneck.serving;
	const struct serving_thread *thread = run_serving_thread(serving);
	bool has_clients = summary->bottleneck.waits->has_clients;
	unsigned int percent[PARTS_MAX];
	char seen[UNIT_TEXT_BYTES], all[UNIT_TEXT_BYTES];
	uint64_t busy_ns;
	bool is_part; /* it did not live all the time */

	if (!serving->is_server || !thread || thread->all_ns < SERVED_NS_MIN ||
	    run_filters(summary->run)->any)
		return false;
	busy_ns = thread->runs_ns + thread->ready_ns + thread->gil_ns;
	if (!serving_time_is_of_requests(&summary->bottleneck.waits->serving) &&
	    works_elsewhere(summary, busy_ns))
		return false;
	is_part = (double)thread->all_ns < SERVED_WHOLE * (double)serving->ns;
	if (has_clients)
		bar->label = "serving";
	bar->part[0] = (struct bar_part){ '#', "\xe2\x96\x88", "32", thread->runs_ns, "" };
	bar->part[1] = (struct bar_part){ '=', "\xe2\x96\x92", "31", thread->ready_ns, "" };
	bar->part[2] = (struct bar_part){ '-', "\xe2\x96\x91", "33", thread->gil_ns, "" };
	bar->part[3] = (struct bar_part){ '.', "\xc2\xb7", "2",
					  thread->all_ns > busy_ns ? thread->all_ns - busy_ns : 0,
					  "" };
	bar->count = 4;
	share_out(bar, 100, percent);
	for (size_t i = 0; i < bar->count; i++)
		if (percent[i])
			snprintf(bar->part[i].words, WORDS_BYTES, "%s %u %%", words[i], percent[i]);
	unit_format_ns(seen, thread->all_ns);
	unit_format_ns(all, serving->ns);
	snprintf(bar->tail, sizeof(bar->tail), "%s%s%s%s, busiest Python thread",
		 is_part ? seen : "", is_part ? " of " : "", all,
		 has_clients ? "" : " after start-up");
	return true;
}

static void print_run(const struct summary *summary, const struct screen *screen)
{
	struct bar bar = { .label = "run" };

	if (summary->phases.is_known)
		run_of_phases(summary, screen, &bar);
	else if (summary->steps->time.count ||
		 !(run_of_server(summary, &bar) || run_of_thread(summary, &bar)))
		return;
	bar_print(&bar, screen);
}

/* --- a step --- */

static bool is_open_ended(int phase)
{
	return phase == PHASE_forward || phase == PHASE_evaluation || phase == PHASE_other;
}

static bool has_phases(const uint64_t ns[SUMMARY_STEP_PARTS])
{
	for (int phase = 0; phase < STEP_PHASE_LIMIT; phase++)
		if (phase != PHASE_other && ns[phase])
			return true;
	return false;
}

/*
 * The forward pass lasts until the next phase begins. So it includes code and waits between its
 * operators, which the bar shows apart, as garbage collections of all phases. Scopes of their own
 * say what backward, the optimizer and the DataLoader do. In a loop without operators everything is
 * outside of them, and is called other.
 */
static void split_phases(const struct summary *summary, uint64_t ns[SUMMARY_STEP_PARTS])
{
	const struct step_phase_times *host = &summary->bottleneck.loop.host.phases;
	const struct steps *steps = summary->bottleneck.steps;
	/* the parts of what is only known with the GPU */
	static const struct step_phase_times nothing;
	const struct step_phase_times *times = steps->has_gpu_windows
						       ? &nothing
						       : &summary->bottleneck.loop.phases;
	/* of a sample of the operators it is not known what is outside of them */
	bool has_outside = has_phases(ns) && !steps->has_sample;

	for (int phase = 0; phase < STEP_PHASE_LIMIT; phase++) {
		uint64_t outside_ns = has_outside && is_open_ended(phase) ? times->outside_ns[phase]
									  : 0;
		uint64_t waits_ns;

		ns[phase] -= times->gc_ns[phase] + outside_ns;
		waits_ns = is_open_ended(phase) ? host->waits_ns[phase] : 0;
		if (waits_ns > ns[phase]) /* calls that were held up by something else */
			waits_ns = ns[phase];
		ns[phase] -= waits_ns;
		ns[SUMMARY_STEP_WAITS] += waits_ns;
		ns[SUMMARY_STEP_GC] += times->gc_ns[phase];
		ns[SUMMARY_STEP_OUTSIDE] += outside_ns;
	}
}

static const char *part_name(const struct steps *steps, size_t part)
{
	return part == SUMMARY_STEP_GC        ? "garbage collection"
	       : part == SUMMARY_STEP_OUTSIDE ? "outside of operators"
	       : part == SUMMARY_STEP_WAITS   ? "waits for the GPU"
					      : steps_phase_name(steps, (enum step_phase)part);
}

/* Names a part that is not in the bar because it has no value. */
static void say_left_out(const struct steady_loop *loop, struct bar *bar)
{
	steady_loop_left_out(loop, bar->part[bar->count].words);
	bar->count += loop->warm_steps != 0;
}

bool summary_step_parts(const struct summary *summary, struct summary_step *ret_step)
{
	const struct steady_loop *loop = &summary->bottleneck.loop;
	uint64_t all_ns = 0;

	*ret_step = (struct summary_step){ .is_of_gpu = steady_loop_is_gpu_bound(loop) };
	for (int phase = 0; phase < STEP_PHASE_LIMIT; phase++) {
		ret_step->ns[steps_know_phase(summary->bottleneck.steps, phase)
				     ? phase
				     : PHASE_other] += loop->host.phases.ns[phase];
		all_ns += loop->host.phases.ns[phase];
	}
	if (ret_step->is_of_gpu)
		memcpy(ret_step->ns, loop->phases.asked_ns, sizeof(loop->phases.asked_ns));
	else
		split_phases(summary, ret_step->ns);
	return all_ns;
}

static void print_step(const struct summary *summary, const struct screen *screen)
{
	struct bar bar = { .label = "a step" };
	unsigned int percent[PARTS_MAX];
	char time[UNIT_TEXT_BYTES];
	struct summary_step step;

	if (!summary_step_parts(summary, &step))
		return;
	bar.count = SUMMARY_STEP_PARTS;
	for (size_t i = 0; i < bar.count; i++) {
		bar.part[i] = step_parts[i];
		bar.part[i].value = step.ns[i];
	}
	share_out(&bar, 100, percent);
	for (size_t i = 0; i < bar.count; i++)
		if (percent[i])
			snprintf(bar.part[i].words, WORDS_BYTES, "%s %u %%",
				 part_name(summary->bottleneck.steps, i), percent[i]);
	say_left_out(&summary->bottleneck.loop, &bar);
	snprintf(bar.tail, sizeof(bar.tail), "%s%s%s",
		 summary->steps->time.count > 1 ? "median " : "",
		 unit_format_ns(time, timing_percentile(&summary->steps->time, 50)),
		 step.is_of_gpu ? ", GPU time" : "");
	bar_print(&bar, screen);
}

void summary_print_bars(const struct summary *summary, const struct screen *screen)
{
	print_run(summary, screen);
	print_step(summary, screen);
}

/* --- a request --- */

void summary_print_request_bar(const struct request_bar *of, const struct screen *screen)
{
	static const struct {
		struct bar_part look;
		const char *name;
	} parts[REQUEST_PART_LIMIT] = {
		[REQUEST_PART_QUEUE] = { { 'q', "\xe2\x96\x92", "35", 0, "" }, "queue" },
		[REQUEST_PART_CPU] = { { '#', "\xe2\x96\x88", "32", 0, "" }, "on a CPU" },
		[REQUEST_PART_GIL] = { { 'g', "\xe2\x96\x93", "31", 0, "" }, "GIL" },
		[REQUEST_PART_LOCKS] = { { 'l', "\xe2\x95\xb3", "31", 0, "" }, "locks" },
		[REQUEST_PART_IO] = { { 'i', "\xe2\x96\x91", "33", 0, "" }, "I/O" },
		[REQUEST_PART_SLEEP] = { { 's', "\xe2\x94\x80", "33", 0, "" }, "sleep" },
		[REQUEST_PART_AWAITS] = { { 'a', "\xe2\x95\x90", "34", 0, "" }, "awaiting" },
		[REQUEST_PART_LOOP] = { { 'b', "\xe2\x96\xa0", "32", 0, "" }, "event loop busy" },
		[REQUEST_PART_GPU] = { { 'G', "\xe2\x95\x91", "36", 0, "" }, "waits for the GPU" },
		[REQUEST_PART_OTHER] = { { '.', "\xc2\xb7", "2", 0, "" }, "not known" },
	};
	struct bar bar = { .label = "", .count = REQUEST_PART_LIMIT };
	unsigned int percent[PARTS_MAX];

	_Static_assert(REQUEST_PART_LIMIT <= PARTS_MAX, "a bar has room for them");
	for (size_t i = 0; i < bar.count; i++) {
		bar.part[i] = parts[i].look;
		bar.part[i].value = of->ns[i];
	}
	share_out(&bar, 100, percent);
	for (size_t i = 0; i < bar.count; i++)
		if (percent[i])
			snprintf(bar.part[i].words, WORDS_BYTES, "%s %u %%", parts[i].name,
				 percent[i]);
	snprintf(bar.tail, sizeof(bar.tail), "%s", of->tail);
	bar_print(&bar, screen);
}
