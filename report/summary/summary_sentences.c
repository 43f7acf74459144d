/* SPDX-License-Identifier: MIT */
/*
 * The first lines of the summary: what took the time, which causes have the most seconds, who held memory. A
 * sentence stands here only when what was recorded bears it out; what was not recorded is said to be so.
 */
#include <signal.h>
#include <string.h>

#include "report/advice/place_text.h"
#include "report/base/signal_name.h"
#include "report/base/text.h"
#include "report/core/why_empty.h"
#include "report/summary/summary.h"
#include "report/summary/summary_owner.h"
#include "report/steps/rows_steps.h"
#include "report/tensors/rows_tensors.h"

#define COMMAND_WIDTH_MAX 400u
#define COMMAND_MIN 32u
#define GROWS " grows from step to step (prof-report bottleneck)."
#define CAUSES_SHOWN 2
#define CAUSE_SHARE_MIN 5   /* %, of what the cause is a part of */
#define CAUSE_OF_RUN 100u   /* part of the run that a cause has at least */
#define CORES_NS 100000000u /* shares of less are noise */
#define WHOLE_PERCENT 98    /* of the time from the first to the last step */

/* Only a part of the run was recorded, or asked for. */
static bool is_in_part(const struct summary *summary)
{
	return run_filters(summary->run)->any || why_empty_is_limited(summary->run);
}

/* --- what ran, and how long --- */

/* The program by its name, without the folders it lies in. */
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

static bool is_live(const struct summary *summary)
{
	struct source_file *const *file;
	size_t count = source_files(summary->source, &file);
	bool live = false;

	for (size_t i = 0; i < count; i++)
		live |= file[i]->live;
	return live;
}

/* A file without its end, which nobody writes any more. */
static bool is_cut(const struct summary *summary)
{
	struct source_file *const *file;
	size_t count = source_files(summary->source, &file);
	bool complete = true;

	for (size_t i = 0; i < count; i++)
		complete &= file[i]->complete || !file[i]->frames;
	return !complete && !is_live(summary);
}

/* What the files cover: a run, one that goes on, or its part up to where a file ends. */
static void put_run(const struct summary *summary, const struct screen *screen)
{
	char wall[UNIT_TEXT_BYTES];

	if (is_cut(summary))
		fputs("The recording of ", screen->out);
	put_command(summary, screen);
	fprintf(screen->out, " %s %s",
		is_cut(summary)    ? "is cut off after"
		: is_live(summary) ? "has run"
				   : "ran",
		unit_format_ns(wall, summary->totals.wall_ns));
}

static bool was_killed(const struct source_process *process)
{
	return process->ended && process->how == EVT_END_KILLED;
}

/* Of the others none that was ended on purpose, as workers are at the end of a run. */
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

/* Who did not end by itself. */
static void put_ends(const struct summary *summary, const struct screen *screen)
{
	struct source_process *const *process;
	size_t count = source_processes(summary->source, &process), others = 0, last = 0;

	for (size_t i = 1; i < count; i++) {
		if (!has_crashed(process[i]))
			continue;
		others++;
		last = i;
	}
	if (count && was_killed(process[0])) {
		fputs(" It was killed by ", screen->out);
		put_killer(process[0], screen);
		putc('.', screen->out);
	}
	if (others == 1) {
		fprintf(screen->out, " Process %u was killed by ", process[last]->pid);
		put_killer(process[last], screen);
		putc('.', screen->out);
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
	if (totals->wall_ns >= CORES_NS)
		fprintf(screen->out, " (%.1f cores)",
			(double)totals->cpu_ns / (double)totals->wall_ns);
}

/* Without filters and limits: start-up, steps, after them. */
static void put_phases(const struct summary *summary, const struct screen *screen)
{
	const struct bottleneck *bottleneck = &summary->bottleneck;
	const struct summary_phases *phases = &summary->phases;
	const struct steps *steps = summary->steps;
	char time[UNIT_TEXT_BYTES], count[UNIT_TEXT_BYTES];
	bool whole = steps->processes == 1 &&
		     steps->time.total_ns >= phases->steps_ns / 100 * WHOLE_PERCENT;

	fprintf(screen->out, ": %s until the first step", unit_format_ns(time, phases->startup_ns));
	if (bottleneck->imported_ns && bottleneck->imported_ns < phases->startup_ns)
		fprintf(screen->out, " (torch was imported after %s)",
			unit_format_ns(time, bottleneck->imported_ns));
	fprintf(screen->out, ", %s ", unit_format_ns(time, phases->steps_ns));
	fprintf(screen->out, whole ? "in %s step%s" : "from the first to the last of %s step%s",
		unit_format_count(count, steps->time.count), steps->time.count == 1 ? "" : "s");
	if (steps->processes > 1)
		fprintf(screen->out, " of %u processes", steps->processes);
	if (steps->time.count > 1)
		fprintf(screen->out, " (median %s)",
			unit_format_ns(time, timing_percentile(&steps->time, 50)));
	if (!is_live(summary) && !is_cut(summary))
		fprintf(screen->out, ", %s after", unit_format_ns(time, phases->after_ns));
}

/* Steps of a part of the run: "14 steps, 67.9 ms in all (median 4.62 ms)". */
static void put_steps(const struct steps *steps, const struct screen *screen)
{
	char count[UNIT_TEXT_BYTES], time[UNIT_TEXT_BYTES];

	fprintf(screen->out, "%s step%s, %s", unit_format_count(count, steps->time.count),
		steps->time.count == 1 ? "" : "s", unit_format_ns(time, steps->time.total_ns));
	if (steps->time.count > 1)
		fprintf(screen->out, " in all (median %s)",
			unit_format_ns(time, timing_percentile(&steps->time, 50)));
	putc('.', screen->out);
}

static void print_time(const struct summary *summary, const struct screen *screen)
{
	const struct steps *steps = summary->steps;
	char filters[ABSENCE_BYTES];
	struct prose line;

	prose_begin(&line, screen);
	put_run(summary, &line.screen);
	if (summary->phases.is_known)
		put_phases(summary, &line.screen);
	else
		put_cpu(summary, &line.screen, is_cut(summary) ? "; it used" : " and used");
	putc('.', line.screen.out);
	put_ends(summary, &line.screen);
	if (run_filters(summary->run)->any) {
		why_empty_name_filters(summary->run, "", filters);
		fprintf(line.screen.out,
			steps->time.count ? " All that follows is%s. Of that: "
					  : " All that follows is%s.",
			filters);
	} else if (!summary->phases.is_known && steps->time.count) {
		fputs(" Recorded: ", line.screen.out);
	}
	if (!summary->phases.is_known && steps->time.count)
		put_steps(steps, &line.screen);
	prose_end(&line, screen);
}

/* --- what took it --- */

static const char *cause_words(const struct advice *advice)
{
	static const struct {
		bool (*look)(const struct bottleneck *bottleneck, struct advice *advice);
		const char *words;
	} causes[] = {
#define CAUSE(id, words) { advice_##id, words },
#include "report/advice/causes.def"
	};

	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
		if (causes[i].look == advice->rule->look)
			return causes[i].words;
	return NULL;
}

/* Its seconds are others' too: of a guess that known causes explain, of slow steps that something makes slow. */
static bool is_said(const struct advice *advice)
{
	return advice->rule->look == advice_slow_steps ||
	       advice->weight_ns < advice->gain_ns - advice->gain_ns / 2;
}

/* Where in the loop, when that is what the advice found. */
static void put_place(const struct bottleneck *bottleneck, const struct screen *screen,
		      const struct advice *advice)
{
	const struct gap_place *place = gaps_largest(&bottleneck->evidence->gaps);
	char shown[PLACE_BYTES];

	if (advice->rule->look != advice_between_operators || !place)
		return;
	place_text(bottleneck, place, shown);
	fprintf(screen->out, ", %s", shown);
}

/* The one or two with the most seconds; in the order of report bottleneck. */
static void put_causes(const struct summary *summary, const struct screen *screen)
{
	const struct bottleneck *bottleneck = &summary->bottleneck;
	const char *before = ". What costs most: ";
	char time[UNIT_TEXT_BYTES];
	unsigned int shown = 0;

	for (size_t i = 0; i < bottleneck->advice_count && shown < CAUSES_SHOWN; i++) {
		const struct advice *advice = &bottleneck->advice[i];
		double percent = advice_share(bottleneck, advice);
		const char *words = cause_words(advice);

		if (!words || !advice->gain_ns || percent < CAUSE_SHARE_MIN ||
		    (shown && is_said(advice)) ||
		    (summary->phases.is_known &&
		     advice->gain_ns < summary->totals.wall_ns / CAUSE_OF_RUN))
			continue;
		fprintf(screen->out, "%s%s", before, words);
		put_place(bottleneck, screen, advice);
		fprintf(screen->out, " (up to %s)", unit_format_ns(time, advice->gain_ns));
		before = " and ";
		shown++;
	}
	fputs(".", screen->out);
}

static void print_steps(const struct summary *summary, const struct screen *screen)
{
	const struct steps *steps = summary->steps;
	struct prose line;

	if (!steps->time.total_ns)
		return;
	prose_begin(&line, screen);
	fputs("In the steps: ", line.screen.out);
	steps_print_shares(steps->ns, &steps->cpu, steps->time.total_ns, &line.screen);
	put_causes(summary, &line.screen);
	prose_end(&line, screen);
	prose_begin(&line, screen);
	fputs("By phase: ", line.screen.out);
	steps_print_phases(steps, &line.screen);
	fputs(".", line.screen.out);
	prose_end(&line, screen);
}

/* Times of a kind, all threads together, and what most of it is. */
struct taken {
	const char *what, *most;
	size_t most_length;
	uint64_t ns, most_ns;
	bool is_by_process; /* each moment of a process once; else all threads added up */
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

/* More than the run took is said to be of several. */
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

	fprintf(screen->out, "%s%s %s%s", before, taken->what, unit_format_ns(time, taken->ns),
		together(taken, wall_ns));
	if (!taken->most || taken->most_ns < taken->ns / 10 || taken->most_ns > taken->ns)
		return;
	place_name(&(struct source_name){ .text = taken->most, .length = taken->most_length },
		   name);
	fprintf(screen->out, " (%s %s)", name, unit_format_ns(time, taken->most_ns));
}

/* Most of a whole run was in nothing of `all_ns`, and was not sampled either. */
static bool nothing_of_the_rest(const struct summary *summary, uint64_t all_ns)
{
	return !is_in_part(summary) && !summary->samples->all.looks &&
	       all_ns / 9 < summary->totals.wall_ns / 10;
}

/* Why samples say nothing. */
static const char *without_samples(const struct summary *summary)
{
	const struct samples *samples = summary->samples;

	if (samples->all.looks)
		return samples_can_be_more(samples)
			       ? ", and too few samples (INTERCEPT_SAMPLE=1000 takes more)."
			       : ", and too few samples.";
	/* that there can be none is a sentence of its own */
	if (!summary->imports->ranges.row_count || samples_why_none(samples))
		return ".";
	if (!samples->hz)
		return ", and no samples (INTERCEPT_SAMPLE=1000 takes them of CPython 3.8 to "
		       "3.14).";
	return samples_can_be_more(samples) ? ", and no samples (INTERCEPT_SAMPLE=1000 takes them)."
					    : ", and no samples.";
}

/* Of what was not asked for. */
static const char *what_would_say_more(const struct summary *summary)
{
	bool has_io = !why_empty_is_off(summary->run, EVT_FAMILY_io);

	if (!why_empty_is_off(summary->run, EVT_FAMILY_native_samples))
		return has_io ? "" : " INTERCEPT_TRACE=+io records input and output.";
	return has_io ? " INTERCEPT_TRACE=+native-samples samples native code."
		      : " INTERCEPT_TRACE=+native-samples samples native code, +io records input "
			"and output.";
}

/* Neither a kind of call nor samples and imports have anything to say. */
static void print_nothing(const struct summary *summary, const struct screen *screen)
{
	screen_print_prose(screen,
			   "Nothing recorded shows what %s time went to: no step, operator, range "
			   "or CUDA call%s%s",
			   is_in_part(summary) ? "that" : "its", without_samples(summary),
			   what_would_say_more(summary));
}

/* Of a program without steps: what of its time was recorded; false when nothing was. */
static bool print_taken(const struct summary *summary, const struct screen *screen)
{
	struct taken taken[] = {
		taken_by_operators(summary),
		taken_by_ranges(summary),
		{ .what = "CUDA calls", .ns = summary->totals.cuda.total_ns },
		{ .what = "input and output",
		  .ns = io_total(&summary->bottleneck.io_by_process->io).total_ns },
	};
	const char *before = "Recorded of that time: ";
	uint64_t all_ns = 0;
	struct prose line;

	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		all_ns += taken[i].ns;
	if (!all_ns)
		return false;
	prose_begin(&line, screen);
	for (size_t shown = 0; shown < CAUSES_SHOWN; shown++) {
		struct taken *most = &taken[0];

		for (size_t i = 1; i < sizeof(taken) / sizeof(taken[0]); i++)
			if (taken[i].ns > most->ns)
				most = &taken[i];
		if (!most->ns)
			break;
		put_taken(most, &line.screen, before, summary->totals.wall_ns);
		before = ", ";
		most->ns = 0;
	}
	fputs(nothing_of_the_rest(summary, all_ns) ? "; nothing of the rest." : ".",
	      line.screen.out);
	prose_end(&line, screen);
	return true;
}

/* --- memory --- */

/* Tensors on a device, or most of the heap. */
static bool tensors_matter(const struct summary *summary, struct tensor_owner owner)
{
	return owner.device &&
	       (owner.device->device != 0 ||
		2 * owner.device->live.peak_bytes >= summary->heap->totals.peak_bytes);
}

static void put_tensors(const struct summary *summary, const struct screen *screen,
			struct tensor_owner owner)
{
	const struct run_key *key = tensors_key(summary->tensors);
	char bytes[UNIT_TEXT_BYTES], device[TENSOR_DEVICE_BYTES], name[PLACE_NAME_BYTES];
	size_t length;
	const char *text;

	fprintf(screen->out, ", tensors on %s at %s",
		tensor_device_text(owner.device->device, device),
		unit_format_bytes(bytes, owner.device->live.peak_bytes));
	if (!owner.row || !owner.row->peak_bytes || !key->kind || !key->kind->text)
		return;
	text = key->kind->text(key->state,
			       tensor_key_around(owner.row->key) ? tensor_key_around(owner.row->key)
								 : owner.row->key,
			       &length);
	place_name(&(struct source_name){ .text = text, .length = length }, name);
	fprintf(screen->out, " (%s %s)", name, unit_format_bytes(bytes, owner.row->peak_bytes));
}

/* What the heap's figures are of; `starts` a sentence. */
static const char *heap_subject(const struct summary *summary, bool starts)
{
	if (is_in_part(summary))
		return starts ? "What was allocated in that part"
			      : "what was allocated in that part";
	if (summary->totals.processes > 1)
		return starts ? "The heaps of all processes" : "the heaps of all";
	return starts ? "The heap" : "the heap";
}

static void put_heap_peak(const struct summary *summary, const struct screen *screen, bool starts)
{
	const struct heap_totals *totals = &summary->heap->totals;
	char bytes[UNIT_TEXT_BYTES], time[UNIT_TEXT_BYTES];

	fprintf(screen->out, "%s peaked at %s after %s", heap_subject(summary, starts),
		unit_format_bytes(bytes, totals->peak_bytes),
		unit_format_ns(time, totals->peak_time_ns));
}

/* The module that asked for most of it; of Python's stacks few blocks have one. */
static void put_heap_owner(const struct summary *summary, const struct screen *screen)
{
	const struct heap_owner *owner = &summary->heap_owner;
	char bytes[UNIT_TEXT_BYTES], name[PLACE_NAME_BYTES];
	const char *path, *slash;
	size_t length;

	if (!owner->path || owner->bytes < summary->heap->totals.peak_bytes / 10)
		return;
	path = name_text(owner->path, &length);
	slash = memrchr(path, '/', length);
	if (slash) {
		length -= (size_t)(slash + 1 - path);
		path = slash + 1;
	}
	place_name(&(struct source_name){ .text = path, .length = length }, name);
	fprintf(screen->out, ", %s of it for %s", unit_format_bytes(bytes, owner->bytes), name);
}

static bool memory_grows(const struct summary *summary)
{
	const struct bottleneck *bottleneck = &summary->bottleneck;
	bool grows = false;

	for (size_t i = 0; i < bottleneck->advice_count; i++) {
		const struct advice *advice = &bottleneck->advice[i];

		grows |= advice->rule->look == advice_tensor_growth ||
			 advice->rule->look == advice_heap_growth ||
			 advice->rule->look == advice_python_memory_growth;
	}
	return grows;
}

static void print_memory(const struct summary *summary, const struct screen *screen)
{
	uint64_t resident = run_filters(summary->run)->any ? 0 : summary->totals.memory_peak_bytes;
	struct tensor_owner owner = tensor_owner_of(summary->tensors);
	bool of_tensors = tensors_matter(summary, owner);
	char bytes[UNIT_TEXT_BYTES];
	struct prose line;

	if (!resident && !summary->heap->totals.peak_bytes) {
		if (memory_grows(summary))
			screen_print_prose(screen, "Memory%s", GROWS);
		return;
	}
	prose_begin(&line, screen);
	if (resident)
		fprintf(line.screen.out, "Resident memory peaked at %s%s",
			unit_format_bytes(bytes, resident),
			summary->totals.processes > 1 ? " in one process" : "");
	if (summary->heap->totals.peak_bytes) {
		if (resident)
			fputs("; ", line.screen.out);
		put_heap_peak(summary, &line.screen, !resident);
		if (!of_tensors)
			put_heap_owner(summary, &line.screen);
	}
	if (of_tensors)
		put_tensors(summary, &line.screen, owner);
	fprintf(line.screen.out, ".%s%s", memory_grows(summary) ? " It" : "",
		memory_grows(summary) ? GROWS : "");
	prose_end(&line, screen);
}

void summary_print_sentences(const struct summary *summary, const struct screen *screen)
{
	char why[ABSENCE_BYTES];
	struct range_names_text names;
	bool tells = true;

	if (!summary->totals.processes)
		return;
	print_time(summary, screen);
	print_steps(summary, screen);
	if (!summary->steps->time.count && range_names_why(summary->run, why, sizeof(why)))
		screen_print_prose(screen, "%s; %s.", why, range_names_say(summary->names, &names));
	if (!summary->steps->time.count && !why_empty_is_whole(summary->run) &&
	    !ops_are_sampled(summary->operators))
		tells = print_taken(summary, screen);
	summary_print_ready(summary, screen);
	tells |= summary_print_lines(summary, screen);
	tells |= summary_print_native(summary, screen);
	tells |= summary_print_waits(summary, screen);
	tells |= summary_print_imports(summary, screen);
	summary_print_gpu(summary, screen);
	if (!tells)
		print_nothing(summary, screen);
	print_memory(summary, screen);
}
