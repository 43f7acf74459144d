/* SPDX-License-Identifier: MIT */
/*
 * The first line of the summary: what ran, for how long, how it ended, and which part of it is
 * shown.
 */
#include <signal.h>
#include <string.h>

#include "report/base/signal_name.h"
#include "report/base/text.h"
#include "report/core/why_empty.h"
#include "report/core/coverage.h"
#include "report/session/ranks.h"
#include "report/steps/detail_cost.h"
#include "report/stuck/oom_words.h"
#include "report/summary/summary_screen.h"

#define COMMAND_WIDTH_MAX 400u
#define COMMAND_MIN 32u
#define ANCESTORS_MAX 64u   /* a damaged file may link parents in a circle */
#define CORES_NS 100000000u /* a share of a shorter time is noise */

/* --- what ran, and how long --- */

/* Prints the name of the program, without its folders. */
static void put_command(const struct summary *summary, const struct screen *screen)
{
	char escaped[4 * COMMAND_WIDTH_MAX + 1], shown[4 * COMMAND_WIDTH_MAX + 8];
	size_t room = screen->uncut ? COMMAND_WIDTH_MAX : screen->width / 2,
	       width = room < COMMAND_WIDTH_MAX ? room : COMMAND_WIDTH_MAX, length, used;
	struct source_process *const *process;
	const char *text;

	if (!source_processes(summary->source, &process) || !process[0]->command ||
	    !process[0]->command->length) {
		fputs("the program", screen->out);
		return;
	}
	text = name_text(process[0]->command, &length);
	text = text_command_start(text, &length);
	used = text_escape(escaped, sizeof(escaped), text, length);
	text_shorten(shown, escaped, used, width > COMMAND_MIN ? width : COMMAND_MIN,
		     screen->utf8 ? "\xe2\x80\xa6" : "..");
	fputs(shown, screen->out);
}

static bool is_within(const struct source_process *process, const struct source_process *first)
{
	for (size_t i = 0; process && i < ANCESTORS_MAX; i++, process = process->parent)
		if (process == first)
			return true;
	return false;
}

/*
 * Each command of a shell that is not recorded itself is a program of its own; the times are sums
 * over all of them.
 */
static void put_others(const struct summary *summary, const struct screen *screen)
{
	struct source_process *const *process;
	size_t count = source_processes(summary->source, &process), others = 0;

	for (size_t i = 1; i < count; i++)
		others += process[i]->command != process[0]->command &&
			  !is_within(process[i], process[0]);
	if (others)
		fprintf(screen->out, " and %zu more program%s", others, unit_plural(others));
}

static bool is_live(const struct summary *summary)
{
	struct source_file *const *file;
	size_t count = source_files(summary->source, &file);
	bool live = false;

	for (size_t i = 0; i < count; i++)
		live |= file[i]->live;
	return live;
}

/* Returns whether the file's end is missing and no process writes it any more. */
static bool is_cut(const struct summary *summary)
{
	struct source_file *const *file;
	size_t count = source_files(summary->source, &file);
	bool complete = true;

	for (size_t i = 0; i < count; i++)
		complete &= file[i]->complete || !file[i]->frames;
	return !complete && !is_live(summary);
}

/*
 * Returns whether it is a copy that a rule of INTERCEPT_TRIGGER had made: its session ends in a
 * capital letter (collector/turn/keeping.c), and the program was not over.
 */
static bool is_kept_copy(const struct summary *summary)
{
	struct source_file *const *file;
	struct source_process *const *process;
	size_t files = source_files(summary->source, &file);
	size_t processes = source_processes(summary->source, &process);
	size_t length = files == 1 ? strlen(file[0]->session) : 0;

	return length && processes && !process[0]->ended && file[0]->session[length - 1] >= 'A' &&
	       file[0]->session[length - 1] <= 'Z';
}

/*
 * Prints what the files cover: a whole run, one that still runs, or the part up to where a file
 * ends.
 */
static void put_run(const struct summary *summary, const struct screen *screen)
{
	char wall[UNIT_TEXT_BYTES];

	if (is_cut(summary))
		fputs("The recording of ", screen->out);
	put_command(summary, screen);
	put_others(summary, screen);
	fprintf(screen->out, " %s %s",
		is_cut(summary)         ? "is cut off after"
		: is_live(summary)      ? "has run"
		: is_kept_copy(summary) ? "had run"
					: "ran",
		unit_format_ns(wall, summary->totals.wall_ns));
}

static bool was_killed(const struct source_process *process)
{
	return process->ended && process->how == EVT_END_KILLED;
}

/*
 * Returns whether the process crashed. One that was ended on purpose, such as a worker at the end
 * of a run, did not.
 */
static bool has_crashed(const struct source_process *process)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGKILL, SIGSYS };
	bool is_crash = false;

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		is_crash |= process->exit_status == 128 + signals[i];
	return was_killed(process) && is_crash;
}

static void put_killer(const struct source_process *process, const struct screen *screen)
{
	const char *name = signal_name_of_status(process->exit_status);

	if (name)
		fputs(name, screen->out);
	else
		fputs("a signal", screen->out);
}

/* That the OOM killer was not at work is said by report stuck only. */
static void put_oom(const struct source_process *process, const struct screen *screen)
{
	char words[OOM_WORDS_BYTES];

	if (process->oom_kills > 1 && oom_words(process, words))
		fprintf(screen->out, " %s", words);
}

/* Prints which processes did not end by themselves. */
static void put_ends(const struct summary *summary, const struct screen *screen)
{
	struct source_process *const *process;
	size_t count = source_processes(summary->source, &process), others = 0, last = 0;
	uint64_t rank;

	for (size_t i = 1; i < count; i++) {
		if (!has_crashed(process[i]))
			continue;
		others++;
		last = i;
	}
	if (is_kept_copy(summary) && !is_cut(summary))
		fputs(" A rule copied the recording at that moment.", screen->out);
	if (count && was_killed(process[0])) {
		fputs(" It was killed by ", screen->out);
		put_killer(process[0], screen);
		putc('.', screen->out);
	} else if (count && process[0]->ended && process[0]->exit_status > 0) {
		fprintf(screen->out, " It ended with status %lld.",
			(long long)process[0]->exit_status);
	}
	if (count)
		put_oom(process[0], screen);
	if (others == 1) {
		rank = source_rank(summary->source, process[last]);
		if (rank == UINT64_MAX)
			fprintf(screen->out, " Process %u was killed by ", process[last]->pid);
		else if (process[last]->parent &&
			 source_rank(summary->source, process[last]->parent) == rank)
			fprintf(screen->out, " Process %u of rank %llu was killed by ",
				process[last]->pid, (unsigned long long)rank);
		else
			fprintf(screen->out, " Rank %llu (process %u) was killed by ",
				(unsigned long long)rank, process[last]->pid);
		put_killer(process[last], screen);
		putc('.', screen->out);
		put_oom(process[last], screen);
	} else if (others) {
		fprintf(screen->out, " %zu other processes were killed (prof-report processes).",
			others);
	}
}

static void put_cpu(const struct summary *summary, const struct screen *screen, const char *before)
{
	const struct summary_totals *totals = &summary->totals;
	char cpu[UNIT_TEXT_BYTES];

	if (!totals->cpu_ns)
		return;
	fprintf(screen->out, "%s %s%s of CPU time", before,
		totals->cpu_is_partial ? "at least " : "", unit_format_ns(cpu, totals->cpu_ns));
	if (totals->wall_ns >= CORES_NS && (double)totals->cpu_ns >= 0.05 * (double)totals->wall_ns)
		fprintf(screen->out, " (%.1f cores)",
			(double)totals->cpu_ns / (double)totals->wall_ns);
}

/* Prints " 2 ranks: 0 and 1 of 2." */
static void put_ranks(const struct summary *summary, const struct screen *screen)
{
	struct ranks ranks;

	if (!ranks_describe(summary->source, &ranks))
		return;
	fprintf(screen->out, " Rank%s %s", ranks.count == 1 ? "" : "s", ranks.there);
	if (ranks.world_size)
		fprintf(screen->out, " of %llu", (unsigned long long)ranks.world_size);
	putc('.', screen->out);
}

/* Prints "14 steps took 67.9 ms." for steps of a part of the run, which has no bar. */
static void put_steps(const struct summary *summary, const struct screen *screen)
{
	const struct steps *steps = summary->steps;
	char count[UNIT_TEXT_BYTES], time[UNIT_TEXT_BYTES];

	if (summary->phases.is_known || !steps->time.count)
		return;
	fprintf(screen->out, " %s step%s took %s.", unit_format_count(count, steps->time.count),
		unit_plural(steps->time.count), unit_format_ns(time, steps->time.total_ns));
}

#define CAPTURES_SHOWN 3u
#define REQUEST_BYTES 96u

static void put_capture(const struct summary *summary, const struct screen *screen,
			const struct captured *capture)
{
	const struct source_name *request = source_name_at(summary->source, capture->request);
	uint64_t end_ns = captured_end_ns(summary->captures, capture);
	char length[UNIT_TEXT_BYTES], begin[UNIT_TEXT_BYTES], text[REQUEST_BYTES] = "";

	if (request->text)
		text_escape(text, sizeof(text), request->text, request->length);
	fprintf(screen->out, " %s at %s%s%s%s", unit_format_ns(length, end_ns - capture->begin_ns),
		unit_format_ns(begin, capture->begin_ns), *text ? " (" : "", text,
		*text ? ")" : "");
}

/* " 2 captures: 1.01 s at 1.17 s (now for 1s), 503 ms at 3.19 s (now for 500ms)." */
static void put_captures(const struct summary *summary, const struct screen *screen)
{
	const struct captures *captures = summary->captures;
	size_t count = captures_recorded(captures), shown = 0;

	if (!count)
		return;
	fprintf(screen->out, " %zu capture%s:", count, unit_plural(count));
	for (size_t i = 0; i < captures->count && shown < CAPTURES_SHOWN; i++) {
		if (!captures->capture[i].is_recorded)
			continue;
		if (shown++)
			putc(',', screen->out);
		put_capture(summary, screen, &captures->capture[i]);
	}
	if (count > shown)
		fprintf(screen->out, " and %zu more", count - shown);
	putc('.', screen->out);
	if (count > 1 && !run_filters(summary->run)->any)
		fputs(" Option --capture N shows one of them.", screen->out);
}

void summary_print_title(const struct summary *summary, const struct screen *screen)
{
	char filters[ABSENCE_BYTES], kept[CAPTURES_KEPT_BYTES];
	struct coverage_text recorded;
	char share[UNIT_TEXT_BYTES];
	struct detail_cost cost;
	struct prose line;

	prose_begin(&line, screen);
	put_run(summary, &line.screen);
	put_cpu(summary, &line.screen, is_cut(summary) ? "; it used" : " and used");
	putc('.', line.screen.out);
	put_ends(summary, &line.screen);
	put_ranks(summary, &line.screen);
	if (coverage_said(summary->run, &recorded))
		fprintf(line.screen.out, " R%s.", recorded.text + 1);
	put_captures(summary, &line.screen);
	if (*captures_say_kept(summary->captures, kept))
		fprintf(line.screen.out, " %s.", kept);
	if (why_empty_is_outside(summary->run))
		fputs(" It was sampled from outside for that time.", line.screen.out);
	if (summary->steps->detailed != summary->steps->time.count &&
	    steps_detail_cost(summary->steps, &cost))
		fprintf(line.screen.out, " Detail costs %s of the steps' time.",
			unit_format_percent(share, 100 * cost.share));
	if (filter_is_set(&run_filters(summary->run)->settings)) {
		why_empty_name_filters(summary->run, "", filters);
		fprintf(line.screen.out, " All that follows is%s.", filters);
	}
	put_steps(summary, &line.screen);
	prose_end(&line, screen);
}
