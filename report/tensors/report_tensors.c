/* SPDX-License-Identifier: MIT */
/* Report `tensors`: memory of PyTorch's tensors, by operator and device; who holds the peak. */
#include <string.h>
#include <stdio.h>

#include "report/base/units.h"
#include "report/core/known.h"
#include "report/core/report_kind.h"
#include "report/table/curve_print.h"
#include "report/tensors/fragments.h"
#include "report/tensors/rows_tensors.h"
#include "report/tensors/tensor_events.h"
#include "report/core/coverage.h"
#include "report/core/unmatched.h"

#define MOMENTS_SHOWN 20u  /* to people; programs get all */
#define CATEGORY_MOST 50.0 /* per cent of a peak */

struct tensors_state {
	struct tensors *tensors;
	struct categories *categories; /* NULL: rows are not by them */
	struct fragments *fragments;
};

static void device_print(const struct run *run, const struct tensor_device *device,
			 const struct screen *screen)
{
	char name[TENSOR_DEVICE_BYTES], a[UNIT_TEXT_BYTES], b[UNIT_TEXT_BYTES];
	struct curve_extent extent = { device->live.peak_bytes, known_until_ns(run), known_within,
				       run };
	struct coverage_text still_live;
	struct prose line;

	screen_print(screen, SCREEN_BOLD, "%s", tensor_device_text(device->device, name));
	prose_begin(&line, screen);
	line.used = (unsigned int)strlen(name);
	line.indent = 2;
	fprintf(line.screen.out, "  peak %s at %s", unit_format_bytes(a, device->live.peak_bytes),
		unit_format_ns(b, device->live.peak_time_ns));
	if (device->reserved_peak)
		fprintf(line.screen.out, ", reserved %s",
			unit_format_bytes(a, device->reserved_peak));
	fprintf(line.screen.out, "; %s allocation%s",
		unit_format_count(a, device->flow.allocations),
		unit_plural(device->flow.allocations));
	fprintf(line.screen.out, ", %s free%s", unit_format_count(a, device->flow.frees),
		unit_plural(device->flow.frees));
	fprintf(line.screen.out, "; %s %s", coverage_still_live(run, &still_live),
		unit_format_bytes(a, device->live.bytes));
	if (device->ooms)
		screen_print(&line.screen, SCREEN_RED, "; out of memory %s time%s",
			     unit_format_count(a, device->ooms), device->ooms == 1 ? "" : "s");
	prose_end(&line, screen);
	fputs("  ", screen->out);
	curve_print(&device->curve, extent, screen, screen->width - 4);
}

static void fragments_print(const struct fragments_peak *peak, const struct screen *screen)
{
	char a[UNIT_TEXT_BYTES], b[UNIT_TEXT_BYTES], c[UNIT_TEXT_BYTES], d[UNIT_TEXT_BYTES];
	struct prose line;

	prose_begin(&line, screen);
	line.indent = 2;
	fprintf(line.screen.out,
		"  When most was reserved, %s of %s was allocated. In segments of blocks above "
		"1 MiB (%s), %s was free",
		unit_format_bytes(a, peak->allocated), unit_format_bytes(b, peak->reserved),
		unit_format_count(c, peak->segments), unit_format_bytes(d, peak->free_bytes));
	if (peak->free_bytes)
		fprintf(line.screen.out, ", at most %s in one piece",
			unit_format_bytes(a, peak->largest_bytes));
	if (peak->needless)
		fprintf(line.screen.out,
			". For %s segment%s of %s, enough was free, but in pieces that were too "
			"small (fragmentation)",
			unit_format_count(a, peak->needless), unit_plural(peak->needless),
			unit_format_bytes(b, peak->needless_bytes));
	prose_end(&line, screen);
}

/* What most of a device's peak was for, and what makes that less. */
static void category_print(const struct category_device *device, const struct screen *screen)
{
	struct prose line;

	for (unsigned int k = 0; k < CATEGORIES; k++) {
		const char *less = category_less((enum tensor_category)k);
		double bytes = (double)device->of[k].peak_bytes;
		double share = device->peak_bytes ? 100.0 * bytes / (double)device->peak_bytes : 0;

		if (share <= CATEGORY_MOST || !*less)
			continue;
		prose_begin(&line, screen);
		line.indent = 2;
		fprintf(line.screen.out, "  %.0f %% of that peak: %s. To have less of it: %s",
			share, category_name((enum tensor_category)k), less);
		prose_end(&line, screen);
	}
}

static void device_print_categories(const struct categories *categories, uint64_t device,
				    const struct screen *screen)
{
	for (size_t i = 0; i < categories->device_count; i++)
		if (categories->device[i].device == device)
			category_print(&categories->device[i], screen);
}

static void tensors_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct tensors_state *state = report->state;
	const struct tensors *tensors = state->tensors;
	const struct fragments_peak *peak;
	char number[UNIT_TEXT_BYTES];

	for (size_t i = 0; i < tensors->device_count; i++) {
		device_print(report->run, &tensors->device[i], screen);
		peak = fragments_of(state->fragments, tensors->device[i].device);
		if (peak)
			fragments_print(peak, screen);
		if (state->categories)
			device_print_categories(state->categories, tensors->device[i].device,
						screen);
	}
	if (tensors->operators_one_in > 1 && tensors->device_count)
		screen_print_prose(
			screen,
			"1 in %s operators was recorded (INTERCEPT_OPERATORS): a block's "
			"owner is often an operator around the one that allocated it, or "
			"unknown. Totals of the devices hold",
			unit_format_count(number, tensors->operators_one_in));
	if (tensors->device_count)
		putc('\n', screen->out);
}

static void tensors_foot(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct tensors *tensors = ((const struct tensors_state *)report->state)->tensors;

	unmatched_print_blocks(screen, report->run, tensors->frees_unmatched, tensors->reused);
}

/* `cuda0_peak_bytes` and so on. */
static void device_total(const struct tensor_device *device, const struct fragments_peak *peak,
			 struct facts *facts)
{
	char name[TENSOR_DEVICE_BYTES];
	size_t length = 0;

	tensor_device_text(device->device, name);
	for (const char *from = name; *from; from++)
		if (*from != ':' && *from != ' ')
			name[length++] = *from;
	name[length] = '\0';
#define DEVICE_FACT(what, unit, value) \
	facts_number(facts, text_store_format(&facts->texts, "%s_%s", name, what), unit, value)
	DEVICE_FACT("allocations", UNIT_COUNT, device->flow.allocations);
	DEVICE_FACT("frees", UNIT_COUNT, device->flow.frees);
	DEVICE_FACT("bytes_allocated", UNIT_BYTES, device->flow.bytes_allocated);
	DEVICE_FACT("peak_bytes", UNIT_BYTES, device->live.peak_bytes);
	DEVICE_FACT("peak_time_ns", UNIT_NS, device->live.peak_time_ns);
	DEVICE_FACT("live_bytes", UNIT_BYTES, device->live.bytes);
	DEVICE_FACT("reserved_bytes", UNIT_BYTES, device->reserved);
	DEVICE_FACT("reserved_peak_bytes", UNIT_BYTES, device->reserved_peak);
	DEVICE_FACT("ooms", UNIT_COUNT, device->ooms);
	if (!peak)
		return;
	DEVICE_FACT("segments", UNIT_COUNT, peak->segments);
	DEVICE_FACT("free_bytes", UNIT_BYTES, peak->free_bytes);
	DEVICE_FACT("largest_free_bytes", UNIT_BYTES, peak->largest_bytes);
	DEVICE_FACT("fragmented_bytes", UNIT_BYTES, fragments_lost_bytes(peak));
#undef DEVICE_FACT
}

static void tensors_prepare(struct report *report)
{
	struct tensors_state *state = report->state;
	enum key_id by = report->request->options->by;

	if (by == BY_tensors_category || by == BY_tensors_moment)
		state->categories = categories_want(report->run, NULL);
	state->fragments = fragments_want(report->run, NULL);
	state->tensors = tensors_want(report->run, &(struct tensors_options){ .by = by });
}

static void tensors_fill(struct report *report, struct table *table)
{
	const struct tensors_state *state = report->state;

	if (report->request->options->by == BY_tensors_moment)
		categories_fill_moments(state->categories, known_until_ns(report->run),
					report->request->options->format == FORMAT_TABLE
						? MOMENTS_SHOWN
						: CATEGORY_MOMENTS,
					table);
	else if (state->categories)
		categories_fill_table(state->categories, table);
	else
		tensors_fill_table(state->tensors, table);
}

static void tensors_total(const struct report *report, struct facts *facts)
{
	const struct tensors_state *state = report->state;
	const struct tensors *tensors = state->tensors;

	facts_number(facts, "allocations", UNIT_COUNT, tensors->flow.allocations);
	facts_number(facts, "frees", UNIT_COUNT, tensors->flow.frees);
	facts_number(facts, "frees_unmatched", UNIT_COUNT, tensors->frees_unmatched);
	facts_number(facts, "bytes_allocated", UNIT_BYTES, tensors->flow.bytes_allocated);
	facts_number(facts, "peak_bytes", UNIT_BYTES, tensors->live.peak_bytes);
	facts_number(facts, "live_bytes", UNIT_BYTES, tensors->live.bytes);
	facts_number(facts, "ooms", UNIT_COUNT, tensors->ooms);
	facts_number(facts, "address_reused", UNIT_COUNT, tensors->reused);
	for (size_t i = 0; i < tensors->device_count; i++)
		device_total(&tensors->device[i],
			     fragments_of(state->fragments, tensors->device[i].device), facts);
}

const struct report_kind report_kind_tensors = {
	.state_bytes = sizeof(struct tensors_state),
	.family = EVT_FAMILY_tensors,
	.want = tensors_prepare,
	.fill = tensors_fill,
	.total = tensors_total,
	.head = tensors_head,
	.foot = tensors_foot,
};
