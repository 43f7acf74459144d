/* SPDX-License-Identifier: MIT */
/*
 * Writes which part of a run a report covers, from the capture settings, the filters and the state
 * of the files.
 */
#include "report/core/coverage.h"

#include <stdio.h>
#include <string.h>

#include "report/core/known.h"
#include "report/core/whole_heap.h"
#include "report/core/why_empty.h"
#include "report/base/text.h"
#include "report/base/units.h"

/* Counts what the files had before the parts of them that are there. */
static uint64_t source_gone_records(struct source *source)
{
	struct source_file *const *file;
	size_t count = source_files(source, &file);
	uint64_t records = 0;

	for (size_t i = 0; i < count; i++)
		records += file[i]->gone_records;
	return records;
}

static const char *coverage_kept(const struct run *run, struct coverage_text *ret_text)
{
	struct source *source = run_source(run);
	uint64_t from_ns = source_kept_from_ns(source), end_ns = source_end_ns(source);
	char kept[UNIT_TEXT_BYTES], end[UNIT_TEXT_BYTES], from[UNIT_TEXT_BYTES];
	char count[UNIT_TEXT_BYTES];

	snprintf(ret_text->text, COVERAGE_BYTES,
		 "recorded: the last %s of %s are kept, from %s on; %s earlier events were given "
		 "back, INTERCEPT_KEEP_LAST",
		 unit_format_ns(kept, end_ns > from_ns ? end_ns - from_ns : 0),
		 unit_format_ns(end, end_ns), unit_format_ns(from, from_ns),
		 unit_format_count(count, source_gone_records(source)));
	return ret_text->text;
}

const char *coverage_recorded(const struct run *run, struct coverage_text *ret_text)
{
	const struct source_name *capture = why_empty_capture(run);
	char name[COVERAGE_BYTES / 2] = "a capture range", a[UNIT_TEXT_BYTES], b[UNIT_TEXT_BYTES];
	const char *schedule;

	if (source_gave_back(run_source(run)))
		return coverage_kept(run, ret_text);
	if (!why_empty_is_limited(run) || !run_captured(run)->windows)
		return NULL;
	if (capture)
		text_escape(name, sizeof(name), capture->text, capture->length);
	schedule = why_empty_schedule(name);
	snprintf(ret_text->text, COVERAGE_BYTES, "recorded: %s of %s, INTERCEPT_%s=%s",
		 unit_format_ns(a, run_captured(run)->total_ns),
		 unit_format_ns(b, source_end_ns(run_source(run))),
		 schedule ? "SCHEDULE" : "CAPTURE", schedule ? schedule : name);
	return ret_text->text;
}

/* Of all processes without steps. */
static struct detail_time coverage_windows(const struct run *run)
{
	struct source *source = run_source(run);
	struct source_process *const *process;
	size_t count = source_processes(source, &process);
	struct detail_time all = { 0 };

	for (size_t i = 0; i < count; i++) {
		uint64_t end_ns = process[i]->ended ? process[i]->end_ns : source_end_ns(source);
		struct detail_time one = detail_time_of(run_detail(run), process[i]->index, end_ns);

		all.on_ns += one.on_ns;
		all.all_ns += one.all_ns;
		all.windows += one.windows;
	}
	return all;
}

/* "214 of 9,800 steps", "12.0 s of 300 s in 25 windows", or both. */
static void coverage_detail(const struct run *run, char text[COVERAGE_BYTES / 2])
{
	const struct detail *detail = run_detail(run);
	struct detail_time time = coverage_windows(run);
	char a[UNIT_TEXT_BYTES], b[UNIT_TEXT_BYTES], c[UNIT_TEXT_BYTES];
	bool has_steps = detail->steps || !time.windows;
	int length = 0;

	if (has_steps)
		length = snprintf(text, COVERAGE_BYTES / 2, "%s of %s steps",
				  unit_format_count(a, detail->detailed),
				  unit_format_count(b, detail->steps));
	if (time.windows)
		snprintf(text + length, COVERAGE_BYTES / 2 - (size_t)length,
			 "%s%s of %s in %s window%s%s", has_steps ? ", and " : "",
			 unit_format_ns(a, time.on_ns), unit_format_ns(b, time.all_ns),
			 unit_format_count(c, time.windows), time.windows == 1 ? "" : "s",
			 has_steps ? " of processes without steps" : "");
}

static const char *coverage_captures(const struct run *run, struct coverage_text *ret_text)
{
	const struct detail *detail = run_detail(run);
	char a[UNIT_TEXT_BYTES], b[UNIT_TEXT_BYTES], c[UNIT_TEXT_BYTES];

	snprintf(ret_text->text, COVERAGE_BYTES,
		 "recorded with detail: captures, %s in all, with %s of %s steps "
		 "(INTERCEPT_CAPTURE=trigger,light). Operators and allocations outside of them "
		 "were not recorded",
		 unit_format_count(c, detail->captures), unit_format_count(a, detail->detailed),
		 unit_format_count(b, detail->steps));
	return ret_text->text;
}

bool coverage_needs_call(const struct run *run)
{
	struct coverage_text text;

	return run_filters(run)->any || run_gpu_windows(run)->until_ns ||
	       coverage_recorded(run, &text);
}

static const char *coverage_host(const struct run *run, struct coverage_text *ret_text)
{
	const struct detail *detail = run_detail(run);
	char what[COVERAGE_BYTES / 2], until[UNIT_TEXT_BYTES];

	if (detail_is_of_captures(detail))
		return coverage_captures(run, ret_text);
	if (!detail->until_ns)
		return coverage_recorded(run, ret_text);
	coverage_detail(run, what);
	snprintf(ret_text->text, COVERAGE_BYTES,
		 whole_heap_is_recorded(run_source(run))
			 ? "recorded with detail: %s (INTERCEPT_BUDGET). Operators of the others "
			   "were not recorded. The sample of the heap is of all of them. Memory of "
			   "tensors is known until %s"
			 : "recorded with detail: %s (INTERCEPT_BUDGET). Operators and allocations "
			   "of the others were not recorded. Memory of tensors, and which blocks "
			   "live, is known until %s",
		 what, unit_format_ns(until, detail->until_ns));
	return ret_text->text;
}

/* "recorded: the GPU in 120 of 9,800 steps ...", or the like behind what is there. */
static const char *coverage_gpu(const struct run *run, bool has_more,
				struct coverage_text *ret_text)
{
	struct detail_steps of = detail_steps_of_windows(run_gpu_windows(run));
	size_t length = has_more ? strlen(ret_text->text) : 0;
	char a[UNIT_TEXT_BYTES], b[UNIT_TEXT_BYTES];

	snprintf(ret_text->text + length, COVERAGE_BYTES - length,
		 "%s %s of %s steps%s. Its work and its times are of these steps",
		 has_more ? ". The GPU was recorded in" : "recorded: the GPU in",
		 unit_format_count(a, of.detailed), unit_format_count(b, of.steps),
		 run_detail(run)->until_ns ? "" /* INTERCEPT_BUDGET, which was named */
		 : has_more                ? " (INTERCEPT_GPU_STEPS)"
					   : " (INTERCEPT_GPU_STEPS), all else always");
	return ret_text->text;
}

const char *coverage_said(const struct run *run, struct coverage_text *ret_text)
{
	const char *text = coverage_host(run, ret_text);

	if (!run_gpu_windows(run)->until_ns || !run_reads_gpu(run))
		return text;
	return coverage_gpu(run, text != NULL, ret_text);
}

static bool source_is_live(struct source *source)
{
	struct source_file *const *file;
	size_t count = source_files(source, &file);

	for (size_t i = 0; i < count; i++)
		if (file[i]->live)
			return true;
	return false;
}

/*
 * Returns whether nobody writes one of the files any more and its end, or a part before the end, is
 * missing.
 */
static bool source_breaks_off(struct source *source)
{
	struct source_file *const *file;
	size_t count = source_files(source, &file);

	for (size_t i = 0; i < count; i++)
		if (file[i]->is_cut_short || (!file[i]->live && !file[i]->complete))
			return true;
	return false;
}

const char *coverage_still_live(const struct run *run, struct coverage_text *ret_text)
{
	struct source *source = run_source(run);
	uint64_t known_ns = known_until_ns(run);
	struct source_file *const *file;
	char time[UNIT_TEXT_BYTES];

	if (run_detail(run)->until_ns && !whole_heap_is_recorded(source))
		snprintf(ret_text->text, COVERAGE_BYTES, "not freed by %s",
			 unit_format_ns(time, run_detail(run)->until_ns));
	else if (why_empty_is_limited(run))
		snprintf(ret_text->text, COVERAGE_BYTES, "not freed while recording");
	else if (source_is_live(source) && known_ns >= source_end_ns(source))
		snprintf(ret_text->text, COVERAGE_BYTES, "not freed so far");
	else if (known_ns < source_end_ns(source) ||
		 (source_breaks_off(source) && source_files(source, &file) == 1))
		snprintf(ret_text->text, COVERAGE_BYTES, "not freed by %s",
			 unit_format_ns(time, known_ns));
	else if (source_breaks_off(source)) /* each file is checked at its own time */
		snprintf(ret_text->text, COVERAGE_BYTES, "not freed while recorded");
	else
		snprintf(ret_text->text, COVERAGE_BYTES, "never freed");
	return ret_text->text;
}

/* Returns whether some of its events open ranges that have a name. */
static bool family_has_ranges(enum evt_family family)
{
	bool has = false;

	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++)
		has |= evt_descriptors[id].family == family &&
		       (evt_opens_range(id, EVT_OWNER_thread) ||
			evt_opens_range(id, EVT_OWNER_process));
	return has;
}

/* Names the families that have ranges, "nvtx and torch", if all of them are off; otherwise "". */
static void name_missing_families(const struct run *run, char text[COVERAGE_BYTES / 2])
{
	text[0] = '\0';
	for (unsigned int family = 0; family < EVT_FAMILY_LIMIT; family++) {
		size_t used = strlen(text);

		if (!family_has_ranges((enum evt_family)family))
			continue;
		if (!why_empty_is_off(run, (enum evt_family)family)) {
			text[0] = '\0';
			return;
		}
		snprintf(text + used, COVERAGE_BYTES / 2 - used, "%s%s", used ? " and " : "",
			 evt_family_names[family]);
	}
}

const char *coverage_no_range(const struct run *run, struct coverage_text *ret_text)
{
	bool in_process = run_filters(run)->settings.pid != FILTER_NO_ID;
	char families[COVERAGE_BYTES / 2];

	name_missing_families(run, families);
	if (families[0])
		snprintf(ret_text->text, COVERAGE_BYTES,
			 "ranges were not recorded, INTERCEPT_TRACE was without %s", families);
	else
		snprintf(ret_text->text, COVERAGE_BYTES,
			 "no range of that name opened%s; prof-report nvtx or actions lists them",
			 in_process ? " in that process" : "");
	return ret_text->text;
}
