/* SPDX-License-Identifier: MIT */
/*
 * The sentence of the summary on the GPUs: how busy they were, and which kernel took the most time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/demangle.h"
#include "report/base/memory.h"
#include "report/base/symbol.h"
#include "report/base/text.h"
#include "report/summary/summary_screen.h"

#define NAME_BYTES 100
#define BUSY_BYTES 320
#define THROTTLED_MATTERS 1.0 /* % of the busy time */

struct gpu_totals summary_gpu_add_up(const struct summary *summary)
{
	struct gpu_totals totals = { .devices = summary->gpu_time->lane_count };

	for (size_t i = 0; i < summary->gpu_time->lane_count; i++) {
		const struct gpu_lane *lane = &summary->gpu_time->lane[i];

		totals.span_ns += gpu_time_span(summary->gpu_time, lane);
		totals.busy_ns += lane->busy_ns;
	}
	return totals;
}

static const struct group *largest_kernel(const struct gpu *gpu)
{
	const struct groups *kernels = &gpu->table[GPU_KERNELS];
	const struct group *most = NULL;

	for (size_t i = 0; i < kernels->count; i++)
		if (!most || kernels->group[i].time.total_ns > most->time.total_ns)
			most = &kernels->group[i];
	return most;
}

static void summary_gpu_put_name(const struct summary *summary, uint64_t index,
				 char shown[NAME_BYTES])
{
	const struct source_name *name = source_name_at(summary->source, (uint32_t)index);
	struct demangler demangler = { .output = 0 };
	const char *text = name->text ? demangle(&demangler, name->text, name->length, false)
				      : NULL;
	char *brief;
	size_t length;

	text = text ? text : source_name_text(name);
	brief = memory_zero(strlen(text) + 1, 1);
	length = symbol_brief(brief, text, strlen(text));
	text_escape(shown, NAME_BYTES, brief, length);
	free(brief);
	demangler_release(&demangler);
}

/*
 * How busy they were in the steps after the warm-up, as the bar of a step shows them: imports,
 * loading a model and compiling are not idle time of the GPU. Without steps: from the first work
 * to the last.
 */
static void put_busy(const struct summary *summary, const struct gpu_totals *totals, char *text,
		     size_t room)
{
	const struct steady_loop *loop = &summary->bottleneck.loop;
	bool has_steps = summary->steps->has_gpu && loop->total_ns;
	uint64_t busy_ns = has_steps ? loop->gpu_ns : totals->busy_ns;
	uint64_t span_ns = has_steps ? loop->total_ns : totals->span_ns;
	char a[UNIT_TEXT_BYTES], b[UNIT_TEXT_BYTES], c[UNIT_TEXT_BYTES];

	snprintf(text, room, "busy for %s of the %s%s (%s of %s)",
		 unit_format_percent(c, 100.0 * (double)busy_ns / (double)span_ns),
		 summary->steps->has_gpu_windows ? "time of the steps in which it was recorded"
						 : "steps' time",
		 loop->warm_steps ? " after the warm-up" : "", unit_format_ns(a, busy_ns),
		 unit_format_ns(b, span_ns));
	if (!has_steps)
		snprintf(text, room, "busy for %s of the %s from the first work to the last (%s)",
			 unit_format_ns(a, busy_ns), unit_format_ns(b, span_ns),
			 unit_format_percent(c, 100.0 * (double)busy_ns / (double)span_ns));
}

/* How long the clock of the GPUs was held down while they were busy; "" if that is not worth it. */
static const char *put_throttled(const struct summary *summary, char text[BUSY_BYTES])
{
	const struct device_states *states = summary->bottleneck.devices;
	uint64_t busy_ns = 0, throttled_ns = 0, reasons = 0;
	char share[UNIT_TEXT_BYTES], why[DEVICE_REASONS_BYTES];

	for (size_t i = 0; i < states->count; i++) {
		busy_ns += states->card[i].busy_ns;
		throttled_ns += states->card[i].any_throttled_ns;
		reasons |= states->card[i].any_throttled_ns ? states->card[i].throttling : 0;
	}
	*text = 0;
	if (throttled_ns && 100.0 * (double)throttled_ns >= THROTTLED_MATTERS * (double)busy_ns)
		snprintf(text, BUSY_BYTES, "; throttled for %s of its busy time (%s)",
			 unit_format_percent(share, 100.0 * (double)throttled_ns / (double)busy_ns),
			 device_reasons_text(why, reasons));
	return text;
}

void summary_print_gpu(const struct summary *summary, const struct screen *screen)
{
	struct gpu_totals totals = summary_gpu_add_up(summary);
	const struct group *most = largest_kernel(summary->gpu);
	char name[NAME_BYTES], busy[BUSY_BYTES], took[UNIT_TEXT_BYTES];

	unreported_print(summary->unreported, summary->source, screen);
	if (!totals.span_ns || !most)
		return;
	summary_gpu_put_name(summary, most->key[GPU_KEY_WHAT], name);
	put_busy(summary, &totals, busy, sizeof(busy));
	screen_print_prose(screen,
			   "The GPU%s %s; the kernel %s took %s of %s (prof-report "
			   "utilization, kernels).",
			   totals.devices > 1 ? "s were" : " was", busy, name,
			   unit_format_ns(took, most->time.total_ns),
			   summary->steps->has_gpu_windows ? "these steps" : "the run");
}

void summary_print_gpu_line(const struct summary *summary, const struct screen *screen)
{
	struct gpu_totals totals = summary_gpu_add_up(summary);
	const struct group *most = largest_kernel(summary->gpu);
	char name[NAME_BYTES], busy[BUSY_BYTES], took[UNIT_TEXT_BYTES], held[BUSY_BYTES];
	struct prose line;

	if (!totals.span_ns || !most)
		return;
	summary_gpu_put_name(summary, most->key[GPU_KEY_WHAT], name);
	put_busy(summary, &totals, busy, sizeof(busy));
	screen_label_begin(&line, screen, totals.devices > 1 ? "GPUs" : "GPU");
	fprintf(line.screen.out, "%s%s; largest kernel %s, %s of %s", busy,
		put_throttled(summary, held), name, unit_format_ns(took, most->time.total_ns),
		summary->steps->has_gpu_windows ? "these steps" : "the run");
	prose_end(&line, screen);
}
