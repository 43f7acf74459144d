/* SPDX-License-Identifier: MIT */
/*
 * Reports `kernels`, `gpu-copies`, `gpu-trace` and `sync`: the work of the GPU, and the waits of
 * the host for it.
 */
#include "report/base/text.h"
#include "report/base/units.h"
#include "report/core/report_kind.h"
#include "report/gpu/gpu.h"
#include "report/gpu/unreported.h"

struct gpu_report {
	struct gpu *gpu;
	struct unreported *unreported;
	struct gpu_trace_rows *rows;
};

static struct gpu *report_gpu_gpu_of(const struct report *report)
{
	return ((const struct gpu_report *)report->state)->gpu;
}

static void report_gpu_want(struct report *report)
{
	struct gpu_report *state = report->state;

	state->gpu = gpu_want(report->run,
			      &(struct gpu_options){ .by = report->request->options->by });
	state->unreported = unreported_want(report->run, NULL);
}

static void want_trace(struct report *report)
{
	struct gpu_report *state = report->state;

	state->gpu = gpu_want(report->run,
			      &(struct gpu_options){ .by = BY_kernels_name, .trace = true });
	state->unreported = unreported_want(report->run, NULL);
}

/* The choices of --names: full, short, mangled. */
static bool is_mangled(const struct report *report)
{
	return report->request->options->of_report[REPORT_OPTION_names].choice == 2;
}

static bool is_full(const struct report *report)
{
	return report->request->options->of_report[REPORT_OPTION_names].choice == 0;
}

static void kernels_fill(struct report *report, struct table *table)
{
	gpu_fill_kernels(report_gpu_gpu_of(report), report->run, table, is_mangled(report),
			 is_full(report));
}

static void copies_fill(struct report *report, struct table *table)
{
	gpu_fill_copies(report_gpu_gpu_of(report), table);
}

static void waits_fill(struct report *report, struct table *table)
{
	gpu_fill_waits(report_gpu_gpu_of(report), table);
}

static void trace_fill(struct report *report, struct table *table)
{
	struct gpu_report *state = report->state;

	state->rows = gpu_trace_rows_new(state->gpu, report->run, is_mangled(report),
					 is_full(report));
	gpu_trace_rows_put(state->rows, table);
}

static void trace_release(struct report *report)
{
	gpu_trace_rows_free(((struct gpu_report *)report->state)->rows);
}

static const struct unreported *report_gpu_unreported_of(const struct report *report)
{
	return ((const struct gpu_report *)report->state)->unreported;
}

/* Returns the records that are known to be lost, and calls whose work was not reported. */
static uint64_t lost_of(const struct report *report)
{
	const struct gpu *gpu = report_gpu_gpu_of(report);
	uint64_t lost = report_gpu_unreported_of(report)->calls;

	for (unsigned int i = 0; i < EVT_GPU_LOST_LIMIT; i++)
		lost += gpu->lost[i];
	return lost;
}

static void losses_of(const struct report *report, enum gpu_table table, struct facts *facts)
{
	const struct gpu *gpu = report_gpu_gpu_of(report);

	facts_number(facts, "lost", UNIT_COUNT, lost_of(report));
	facts_number(facts, "untold", UNIT_COUNT, report_gpu_unreported_of(report)->calls);
	facts_number(facts, "clamped", UNIT_COUNT, gpu->deferred->clamped);
	facts_number(facts, "without_call", UNIT_COUNT,
		     table == GPU_WAITS        ? gpu->deferred->uncorrelated_waits
		     : table == GPU_WAIT_CALLS ? 0
					       : gpu->deferred->uncorrelated);
}

static void report_gpu_total_of(const struct report *report, enum gpu_table table,
				struct facts *facts)
{
	const struct gpu *gpu = report_gpu_gpu_of(report);
	struct group total = groups_total(&gpu->table[table]);
	struct gpu_estimate estimate;

	facts_number(facts, "calls", UNIT_COUNT, total.time.count);
	facts_number(facts, "total_ns", UNIT_NS, total.time.total_ns);
	if (table == GPU_COPIES)
		facts_number(facts, "bytes", UNIT_BYTES, total.bytes);
	if (gpu_estimate(gpu, report->run, table, &estimate)) {
		facts_number(facts, "drawn_steps", UNIT_COUNT, estimate.steps);
		facts_number(facts, "drawn_calls", UNIT_COUNT, estimate.calls);
		facts_number(facts, "drawn_ns", UNIT_NS, estimate.ns);
		facts_number(facts, "estimated_calls", UNIT_COUNT, estimate.run_calls);
		facts_number(facts, "estimated_ns", UNIT_NS, estimate.run_ns);
	}
	losses_of(report, table, facts);
}

static void kernels_total(const struct report *report, struct facts *facts)
{
	report_gpu_total_of(report, GPU_KERNELS, facts);
	facts_number(facts, "occupancy_unknown", UNIT_COUNT,
		     report_gpu_gpu_of(report)->occupancy_unknown);
}

static void copies_total(const struct report *report, struct facts *facts)
{
	report_gpu_total_of(report, GPU_COPIES, facts);
}

static void waits_total(const struct report *report, struct facts *facts)
{
	report_gpu_total_of(report, gpu_table_of_waits(report_gpu_gpu_of(report)), facts);
}

static void trace_total(const struct report *report, struct facts *facts)
{
	const struct gpu *gpu = report_gpu_gpu_of(report);

	facts_number(facts, "rows", UNIT_COUNT, gpu->trace.count);
	if (gpu->unusual || gpu->unusual_left_out) {
		facts_number(facts, "unusual", UNIT_COUNT, gpu->unusual);
		facts_number(facts, "unusual_left_out", UNIT_COUNT, gpu->unusual_left_out);
	}
	losses_of(report, GPU_KERNELS, facts);
}

/* --- lines above the table, for people --- */

static void name_print(char *to, size_t room, const struct run *run, uint32_t number)
{
	const struct source_name *name = source_name_at(run_source(run), number);

	text_escape(to, room, source_name_text(name), name->text ? name->length : 0);
}

static void print_absence(const struct gpu *gpu, const struct run *run, const struct screen *screen)
{
	uint64_t away = gpu->state_count[EVT_GPU_DETACHED] + gpu->state_count[EVT_GPU_AWAY];
	char what[96], number[UNIT_TEXT_BYTES];

	name_print(what, sizeof(what), run, gpu->state_what);
	if (gpu->state_count[EVT_GPU_NO_LIBRARY])
		screen_print_prose(screen,
				   "no libcupti was found: install NVIDIA's nvidia-cuda-cupti of "
				   "the runtime's version, or the CUDA toolkit");
	if (gpu->state_count[EVT_GPU_FAILED])
		screen_print_prose(screen,
				   "CUPTI could not be started: %s failed with %u; no work of the "
				   "GPU was recorded",
				   what, (unsigned int)gpu->state_result);
	if (gpu->state_count[EVT_GPU_IN_USE])
		screen_print_prose(screen,
				   "another profiler had CUPTI: no work of the GPU was recorded");
	if (gpu->state_count[EVT_GPU_LEFT])
		screen_print_prose(screen,
				   "another profiler came (%s): the GPU's work from then on is not "
				   "here",
				   what);
	if (gpu->state_count[EVT_GPU_INJECTED] || gpu->state_count[EVT_GPU_STATIC])
		screen_print_prose(screen,
				   "CUPTI was left to another tool (%s): no work of the GPU was "
				   "recorded",
				   what);
	if (gpu->state_count[EVT_GPU_LATE])
		screen_print_prose(
			screen, "CUDA had started before CUPTI: work of the GPU until then is not "
				"here, and graphs made until then may be incomplete");
	if (away)
		screen_print_prose(screen,
				   "CUPTI was detached %s time%s while nothing was "
				   "%s (INTERCEPT_GPU_REST): device memory that was given "
				   "out and graphs that were made meanwhile are not known",
				   unit_format_count(number, away), unit_plural(away),
				   gpu->state_count[EVT_GPU_AWAY] ? "recorded of the GPU"
								  : "captured");
	name_print(what, sizeof(what), run, gpu->copy_what);
	if (gpu->state_count[EVT_GPU_COPY])
		screen_print_prose(screen,
				   "another profiler opened a libcupti of its own (%s); it was "
				   "given the one in use",
				   what);
	name_print(what, sizeof(what), run, gpu->shared_what);
	if (gpu->state_count[EVT_GPU_SHARED] && !gpu->state_count[EVT_GPU_LEFT])
		screen_print_prose(screen, "another profiler used CUPTI at the same time (%s)",
				   what);
}

static void report_gpu_print_losses(const struct gpu *gpu, const struct run *run,
				    const struct screen *screen)
{
	const struct source *source = run_source(run);
	bool has_windows = run_gpu_windows(run)->until_ns != 0;
	static const char *const reasons[EVT_GPU_LOST_LIMIT] = {
		[EVT_GPU_LOST_DROPPED] = "CUPTI had no room for",
		[EVT_GPU_LOST_UNFINISHED] = "had not ended at the end:",
		[EVT_GPU_LOST_STRANGE] = "made no sense:",
	};
	char number[UNIT_TEXT_BYTES];

	for (unsigned int i = 1; i < EVT_GPU_LOST_LIMIT; i++)
		if (gpu->lost[i])
			screen_print_prose(screen, "LOST: %s %s record%s of the GPU", reasons[i],
					   unit_format_count(number, gpu->lost[i]),
					   unit_plural(gpu->lost[i]));
	if (gpu->sums_left_out)
		screen_print_prose(screen,
				   "recorded as sums (INTERCEPT_GPU=sums), which this table cannot "
				   "divide: %s kernels, copies and memsets",
				   unit_format_count(number, gpu->sums_left_out));
	if (gpu->unusual || gpu->unusual_left_out)
		screen_print_prose(
			screen,
			"kernels that ran for more than 10 times the mean of those of "
			"their name before them: %s are in gpu-trace, all are in the sums",
			unit_format_count(number, gpu->unusual));
	if (gpu->deferred->uncorrelated)
		screen_print_prose(screen,
				   has_windows ? "kernels, copies and memsets right before and "
						 "behind the steps in which the GPU was recorded, "
						 "which are not here: %s"
				   : source_gave_back(source)
					   ? "kernels, copies and memsets whose calls are not in "
					     "the part that was kept: %s"
					   : "kernels, copies and memsets that belong to no "
					     "recorded call: %s",
				   unit_format_count(number, gpu->deferred->uncorrelated));
	if (gpu->deferred->clamped)
		screen_print_prose(screen,
				   "kernels and copies that seemed to begin before their call, and "
				   "are shown as beginning with it: %s",
				   unit_format_count(number, gpu->deferred->clamped));
}

static const char *report_gpu_explain(const struct report *report, struct why_empty *absence)
{
	return unreported_explain(report_gpu_unreported_of(report), report->run, absence);
}

/* What a step has, and the whole run by that. */
static void print_estimate(const struct gpu *gpu, const struct run *run, enum gpu_table table,
			   const struct screen *screen)
{
	const char *what = table == GPU_KERNELS ? "kernel" : "copies and memset";
	char calls[UNIT_TEXT_BYTES], each[UNIT_TEXT_BYTES], all[UNIT_TEXT_BYTES];
	struct gpu_estimate estimate;

	if (!gpu_estimate(gpu, run, table, &estimate) || !estimate.run_calls)
		return;
	screen_print_prose(screen,
			   "a step that was drawn has %.1f %ss, which take %s; by that the whole "
			   "run has about %s, which take %s",
			   (double)estimate.calls / (double)estimate.steps, what,
			   unit_format_ns(each, estimate.ns / estimate.steps),
			   unit_format_count(calls, estimate.run_calls),
			   unit_format_ns(all, estimate.run_ns));
}

static void report_gpu_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct gpu *gpu = report_gpu_gpu_of(report);

	print_absence(gpu, report->run, screen);
	report_gpu_print_losses(gpu, report->run, screen);
	unreported_print(report_gpu_unreported_of(report), run_source(report->run), screen);
}

static void kernels_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;

	print_estimate(report_gpu_gpu_of(report), report->run, GPU_KERNELS, screen);
	report_gpu_head(document, screen);
}

static void copies_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;

	print_estimate(report_gpu_gpu_of(report), report->run, GPU_COPIES, screen);
	report_gpu_head(document, screen);
}

static void report_gpu_waits_head(const struct document *document, const struct screen *screen)
{
	const struct gpu *gpu = report_gpu_gpu_of(document->context);

	report_gpu_head(document, screen);
	if (groups_total(&gpu->table[gpu_table_of_waits(gpu)]).time.count &&
	    gpu_table_of_waits(gpu) == GPU_WAIT_CALLS)
		screen_print_prose(
			screen, "These are the calls that wait. Waits within other calls, such "
				"as cudaMemcpy(), are recorded with INTERCEPT_GPU_WAITS=records.");
}

const struct report_kind report_kind_kernels = {
	.state_bytes = sizeof(struct gpu_report),
	.family = EVT_FAMILY_gpu,
	.want = report_gpu_want,
	.fill = kernels_fill,
	.total = kernels_total,
	.explain = report_gpu_explain,
	.head = kernels_head,
};

const struct report_kind report_kind_gpu_copies = {
	.state_bytes = sizeof(struct gpu_report),
	.family = EVT_FAMILY_gpu,
	.want = report_gpu_want,
	.fill = copies_fill,
	.total = copies_total,
	.explain = report_gpu_explain,
	.head = copies_head,
};

const struct report_kind report_kind_gpu_trace = {
	.state_bytes = sizeof(struct gpu_report),
	.family = EVT_FAMILY_gpu,
	.want = want_trace,
	.fill = trace_fill,
	.release = trace_release,
	.total = trace_total,
	.explain = report_gpu_explain,
	.head = report_gpu_head,
};

const struct report_kind report_kind_sync = {
	.state_bytes = sizeof(struct gpu_report),
	.family = EVT_FAMILY_gpu,
	.want = report_gpu_want,
	.fill = waits_fill,
	.total = waits_total,
	.explain = report_gpu_explain,
	.head = report_gpu_waits_head,
};
