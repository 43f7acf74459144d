/* SPDX-License-Identifier: MIT */
/* Report bottleneck as text: environment, where the time went, advice. */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "report/core/why_empty.h"
#include "report/advice/bottleneck.h"
#include "report/advice/top_functions.h"
#include "report/cuda/rows_cuda.h"
#include "report/nvtx/rows_ranges.h"
#include "report/steps/rows_steps.h"
#include "report/tensors/rows_tensors.h"
#include "report/session/ranks.h"
#include "report/table/part.h"
#include "report/torch/part_ops.h"
#include "report/base/text.h"

#define LABEL_WIDTH 13
#define ROWS_OF_PART 5
#define TEXT_BYTES 512
#define WORDS_BYTES 1200
#define DEVICES_SHOWN 8

/* --- environment --- */

static void put_label(const struct screen *screen, const char *label)
{
	fprintf(screen->out, "%-*s", LABEL_WIDTH, label);
}

typedef size_t shortener(char *shown, const char *text, size_t length, size_t width,
			 const char *mark);

static void put_shortened(const struct screen *screen, const char *text, size_t length,
			  size_t width, shortener *shorten)
{
	char escaped[TEXT_BYTES * 4 + 1], shown[TEXT_BYTES * 4 + 8];
	size_t used = text_escape(escaped, sizeof(escaped), text,
				  length < TEXT_BYTES ? length : TEXT_BYTES);

	shorten(shown, escaped, used, width, screen->utf8 ? "\xe2\x80\xa6" : "..");
	fputs(shown, screen->out);
}

static void put_text(const struct screen *screen, const char *text, size_t length, size_t width)
{
	put_shortened(screen, text, length, width, text_shorten);
}

typedef void line_printer(const struct bottleneck *bottleneck, const struct screen *screen);

/* Prints a label and a sentence without a line end, kept to the width of the screen. */
static void print_line(const struct bottleneck *bottleneck, const struct screen *screen,
		       line_printer *print)
{
	struct prose line;

	prose_begin(&line, screen);
	line.indent = LABEL_WIDTH;
	print(bottleneck, &line.screen);
	prose_end(&line, screen);
}

static void bottleneck_text_put_name(const struct screen *screen, const struct source_name *name,
				     size_t width)
{
	put_text(screen, source_name_text(name), name->length, width);
}

/* Writes `before` and the fact; nothing if it was not reported. */
static bool put_fact(const struct bottleneck *bottleneck, const struct screen *screen,
		     const char *before, const char *key)
{
	const struct source_name *value = bottleneck_fact(bottleneck, key);

	if (!value)
		return false;
	fputs(before, screen->out);
	bottleneck_text_put_name(screen, value, 60);
	return true;
}

static void print_host(const struct bottleneck *bottleneck, const struct screen *screen)
{
	const struct source_name *cores = source_meta_of(bottleneck->source, "cores"),
				 *cpu = source_meta_of(bottleneck->source, "cpu");
	const struct source_file *file = bottleneck->process->file;
	time_t start = (time_t)(file->start_real_ns / 1000000000u);
	char when[40];
	struct tm local;

	put_label(screen, "host");
	put_text(screen, file->host ? file->host : "?", file->host ? strlen(file->host) : 1, 40);
	if (cores) {
		fputs(", ", screen->out);
		bottleneck_text_put_name(screen, cores, 8);
		fputs(" CPUs", screen->out);
	}
	if (cpu) {
		fputs(cores ? " (" : ", (", screen->out);
		bottleneck_text_put_name(screen, cpu, 44);
		fputs(")", screen->out);
	}
	if (file->start_real_ns) {
		localtime_r(&start, &local);
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S %Z", &local);
		fprintf(screen->out, ", %s", when);
	}
}

static void print_python(const struct bottleneck *bottleneck, const struct screen *screen)
{
	static const char *const variables[] = { "OMP_NUM_THREADS", "MKL_NUM_THREADS", "WORLD_SIZE",
						 "RANK", "CUDA_VISIBLE_DEVICES" };
	char before[40];

	if (!bottleneck_fact(bottleneck, "python_version"))
		return;
	put_label(screen, "Python");
	(void)put_fact(bottleneck, screen, "", "python_version");
	(void)put_fact(bottleneck, screen, " ", "python_implementation");
	(void)put_fact(bottleneck, screen, ", torch ", "torch_version");
	(void)put_fact(bottleneck, screen, ", its CUDA ", "torch_cuda");
	(void)put_fact(bottleneck, screen, ", threads at import ", "torch_threads");
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		snprintf(before, sizeof(before), ", %s=", variables[i]);
		(void)put_fact(bottleneck, screen, before, variables[i]);
	}
}

/*
 * Prints the devices that tensors or CUDA memory were allocated on; names of GPUs are not recorded.
 */
static void print_devices(const struct bottleneck *bottleneck, const struct screen *screen)
{
	const struct tensors *tensors = bottleneck->tensors;
	char name[TENSOR_DEVICE_BYTES];
	const char *before = "";

	if (!tensors->device_count)
		return;
	put_label(screen, "tensors on");
	for (size_t i = 0; i < tensors->device_count && i < DEVICES_SHOWN; i++) {
		fprintf(screen->out, "%s%s", before,
			tensor_device_text(tensors->device[i].device, name));
		before = ", ";
	}
}

/* Returns the lowest rank other than `own`; UINT64_MAX: none. */
static uint64_t other_rank(const struct source *source, uint64_t own)
{
	struct source_process *const *process;
	size_t count = source_processes(source, &process);
	uint64_t lowest = UINT64_MAX;

	for (size_t i = 0; i < count; i++) {
		uint64_t rank = source_rank(source, process[i]);

		if (rank != own && rank < lowest)
			lowest = rank;
	}
	return lowest;
}

/* All ranks count in steps and tables, but the rest is about one process. */
static void print_ranks(const struct bottleneck *bottleneck, const struct screen *screen)
{
	const struct filter_settings *scope = &run_filters(bottleneck->run)->settings;
	uint64_t own = source_rank(bottleneck->source, bottleneck->process), other;
	struct ranks ranks;

	if (scope->has_rank || scope->pid != FILTER_NO_ID ||
	    !ranks_describe(bottleneck->source, &ranks) || ranks.count < 2)
		return;
	other = other_rank(bottleneck->source, own);
	put_label(screen, "ranks");
	fputs(ranks.there, screen->out);
	if (ranks.world_size)
		fprintf(screen->out, " of %" PRIu64, ranks.world_size);
	fputs("; what stands above, and the times from import to end, are those of ", screen->out);
	if (own != UINT64_MAX)
		fprintf(screen->out, "rank %" PRIu64 " (pid %" PRIu64 ")", own,
			(uint64_t)bottleneck->process->pid);
	else
		fprintf(screen->out, "pid %" PRIu64, (uint64_t)bottleneck->process->pid);
	fprintf(screen->out, "; --rank %" PRIu64 " shows rank %" PRIu64, other, other);
}

static void print_environment(const struct bottleneck *bottleneck, const struct screen *screen)
{
	const struct source_name *command = bottleneck_command(bottleneck);

	screen_print(screen, SCREEN_BOLD, "environment\n");
	if (!bottleneck->process)
		return;
	if (command && command->length) {
		put_label(screen, "command");
		put_shortened(screen, source_name_text(command), command->length,
			      screen->uncut        ? TEXT_BYTES
			      : screen->width > 40 ? screen->width - LABEL_WIDTH
						   : 40,
			      text_shorten_command);
		putc('\n', screen->out);
	}
	print_line(bottleneck, screen, print_host);
	print_line(bottleneck, screen, print_python);
	print_line(bottleneck, screen, print_ranks);
	print_line(bottleneck, screen, print_devices);
}

/* --- where the time went --- */

/* Start-up is one phase, and not what advice on a server speaks of. */
static void print_serving(const struct bottleneck *bottleneck, const struct screen *screen)
{
	const struct serving *serving = &bottleneck->serving;
	char start[UNIT_TEXT_BYTES], served[UNIT_TEXT_BYTES];

	if (!serving->is_server)
		return;
	unit_format_ns(start, serving->since_ns);
	unit_format_ns(served, serving->ns);
	if (bottleneck->waits->has_clients)
		fprintf(screen->out, "; it served for %s, from %s on", served, start);
	else
		fprintf(screen->out, "; its event loop first waited after %s, %s before the end",
			start, served);
}

static void print_phases(const struct bottleneck *bottleneck, const struct screen *screen)
{
	const struct source_process *process = bottleneck->process;
	bool in_part = bottleneck->limited || run_filters(bottleneck->run)->any;
	const char *recorded = in_part ? "recorded " : "";
	char text[UNIT_TEXT_BYTES];

	put_label(screen, "wall");
	fputs(unit_format_ns(text, bottleneck->wall_ns), screen->out);
	print_serving(bottleneck, screen);
	if (process && bottleneck->imported_ns)
		fprintf(screen->out, "; time to `import torch` done %s",
			unit_format_ns(text, bottleneck->imported_ns));
	if (process && bottleneck->first_step_ns > process->start_ns)
		fprintf(screen->out, ", to the first %sstep %s", recorded,
			unit_format_ns(text, bottleneck->first_step_ns));
	if (process && bottleneck->last_step_ns) {
		fprintf(screen->out, "; %ssteps %s", recorded,
			unit_format_ns(text, bottleneck->steps_ns));
		if (bottleneck->wall_ns > bottleneck->last_step_ns)
			fprintf(screen->out, ", after the last%s %s",
				in_part ? " recorded one" : "",
				unit_format_ns(text,
					       bottleneck->wall_ns - bottleneck->last_step_ns));
	}
}

static void print_loop(const struct bottleneck *bottleneck, const struct screen *screen)
{
	put_label(screen, "loop");
	steps_print_times(
		&(struct steps_shown){ .steps = bottleneck->steps, .source = bottleneck->source },
		screen);
}

static void print_shares(const struct bottleneck *bottleneck, const struct screen *screen)
{
	char left_out[STEADY_LOOP_TEXT_BYTES];

	put_label(screen, "their time");
	steps_print_shares(bottleneck->loop.ns, &bottleneck->loop.cpu, bottleneck->loop.total_ns,
			   screen);
	if (bottleneck->loop.warm_steps)
		fprintf(screen->out, " (%s)", steady_loop_left_out(&bottleneck->loop, left_out));
}

static void print_sampled(const struct bottleneck *bottleneck, const struct screen *screen)
{
	if (bottleneck->sampled)
		fprintf(screen->out,
			"%*snot all operators were recorded: they took more, other less",
			LABEL_WIDTH, "");
}

static void print_steps(const struct bottleneck *bottleneck, const struct screen *screen)
{
	if (!bottleneck->steps->time.count)
		return;
	print_line(bottleneck, screen, print_loop);
	print_line(bottleneck, screen, print_shares);
	print_line(bottleneck, screen, print_sampled);
}

static void print_memory(const struct bottleneck *bottleneck, const struct screen *screen)
{
	uint64_t device = highwater_peak(&bottleneck->cuda->memory.device);
	char a[UNIT_TEXT_BYTES], name[TENSOR_DEVICE_BYTES];

	if (!bottleneck->heap->totals.allocations && !bottleneck->tensors->device_count && !device)
		return;
	put_label(screen, "peaks");
	if (bottleneck->heap->totals.allocations)
		fprintf(screen->out, "heap %s",
			unit_format_bytes(a, bottleneck->heap->totals.peak_bytes));
	for (size_t i = 0; i < bottleneck->tensors->device_count && i < DEVICES_SHOWN; i++)
		fprintf(screen->out, "%stensors on %s %s",
			i || bottleneck->heap->totals.allocations ? ", " : "",
			tensor_device_text(bottleneck->tensors->device[i].device, name),
			unit_format_bytes(a, bottleneck->tensors->device[i].live.peak_bytes));
	if (device)
		fprintf(screen->out, ", asked of CUDA %s", unit_format_bytes(a, device));
}

static void print_operators(const struct bottleneck *bottleneck, const struct document *document,
			    const struct screen *screen)
{
	static const struct operators_part part = { "operators by self CPU time (prof-report ops)",
						    "operators by total CPU time (prof-report ops)",
						    ROWS_OF_PART };

	if (bottleneck->operator_calls)
		operators_print_part(bottleneck->operators, &part, document, screen);
}

static void print_ranges(const struct bottleneck *bottleneck, const struct document *document,
			 const struct screen *screen)
{
	static const enum column_id columns[] = { COLUMN_nvtx_name, COLUMN_nvtx_percent,
						  COLUMN_nvtx_self_ns, COLUMN_nvtx_total_ns,
						  COLUMN_nvtx_count };
	static const struct part part = { "NVTX ranges by time (prof-report nvtx)",
					  COLUMN_nvtx_total_ns, ROWS_OF_PART, columns,
					  sizeof(columns) / sizeof(columns[0]) };
	struct table table;

	if (!bottleneck->ranges->row_count)
		return;
	table_init(&table, "nvtx", NULL);
	ranges_fill_table(bottleneck->ranges, bottleneck->run, &table);
	part_print(&table, &part, document, screen);
	table_release(&table);
}

static void print_cuda(const struct bottleneck *bottleneck, const struct document *document,
		       const struct screen *screen)
{
	static const enum column_id columns[] = { COLUMN_api_name, COLUMN_api_percent,
						  COLUMN_api_total_ns, COLUMN_api_calls };
	static const struct part part = { "CUDA calls by host time (prof-report api)",
					  COLUMN_api_total_ns, ROWS_OF_PART, columns,
					  sizeof(columns) / sizeof(columns[0]) };
	struct table table;

	if (!bottleneck->cuda->api.count)
		return;
	key_init_table(&table, BY_api_name);
	api_fill_table(bottleneck->cuda, bottleneck->source, &table);
	part_print(&table, &part, document, screen);
	table_release(&table);
}

/* --- advice --- */

/* Prints words in lines that fit the screen; all but the first are indented. */
static void print_words(const struct screen *screen, const char *text, size_t used, size_t indent)
{
	size_t width = screen->width > 40 ? screen->width : 40;

	while (*text) {
		size_t length = strcspn(text, " ");

		if (used > indent && used + 1 + length > width) {
			fprintf(screen->out, "\n%*s", (int)indent, "");
			used = indent;
		} else if (used > indent) {
			putc(' ', screen->out);
			used++;
		}
		fprintf(screen->out, "%.*s", (int)length, text);
		used += length;
		text += length;
		text += *text == ' ';
	}
	putc('\n', screen->out);
}

static void print_advice(const struct bottleneck *bottleneck, const struct screen *screen,
			 size_t number)
{
	const struct advice *advice = &bottleneck->advice[number];
	const char *color = advice->severity == ADVICE_PROBLEM ? SCREEN_RED : SCREEN_BOLD;
	char words[WORDS_BYTES], head[80], time[UNIT_TEXT_BYTES], share[UNIT_TEXT_BYTES];

	snprintf(head, sizeof(head), "%zu. %s", number + 1, advice->rule->id);
	screen_print(screen, color, "%s", head);
	fprintf(screen->out, " (%s", advice_severity_names[advice->severity]);
	if (advice->gain_ns)
		fprintf(screen->out, ", at most %s, %s of the %s",
			unit_format_ns(time, advice->gain_ns),
			unit_format_percent(share, advice_share(bottleneck, advice)),
			advice_base_text(advice));
	fputs(")\n   ", screen->out);
	snprintf(words, sizeof(words), "%s %s [prof-report %s]", advice->text, advice->todo,
		 advice->command);
	print_words(screen, words, 3, 3);
}

void bottleneck_print(const struct bottleneck *bottleneck, const struct document *document,
		      const struct screen *screen)
{
	struct why_empty absence;
	char count[UNIT_TEXT_BYTES];

	print_environment(bottleneck, screen);
	screen_print(screen, SCREEN_BOLD, "\nwhere the time went\n");
	print_line(bottleneck, screen, print_phases);
	print_steps(bottleneck, screen);
	print_line(bottleneck, screen, print_memory);
	print_operators(bottleneck, document, screen);
	print_ranges(bottleneck, document, screen);
	print_cuda(bottleneck, document, screen);
	top_functions_print(bottleneck, document, screen);
	screen_print(screen, SCREEN_BOLD, "\nwhat to change first\n");
	if (!bottleneck->operator_calls && bottleneck_is_python(bottleneck) &&
	    !bottleneck->serving.is_server)
		screen_print_prose(screen, "%s",
				   why_empty_explain(bottleneck->run, EVT_FAMILY_torch, &absence));
	if (!bottleneck_is_python(bottleneck) && !bottleneck->native->all.samples)
		screen_print_prose(screen,
				   "The functions that took the CPU time were not recorded: "
				   "INTERCEPT_TRACE=+native-samples records them.");
	if (bottleneck->evidence->gaps.beyond)
		screen_print_prose(screen,
				   "%s gaps between operators were too many to be kept: places "
				   "that cost much may be missing here",
				   unit_format_count(count, bottleneck->evidence->gaps.beyond));
	for (size_t i = 0; i < bottleneck->advice_count; i++)
		print_advice(bottleneck, screen, i);
	if (!bottleneck->advice_count &&
	    (bottleneck->operator_calls || bottleneck->serving.is_server ||
	     !bottleneck_is_python(bottleneck)))
		fputs("nothing stands out: no rule of this report applies\n", screen->out);
}
