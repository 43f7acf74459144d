/* SPDX-License-Identifier: MIT */
/* Segments of files that a selection needs no part of are passed over: source_seek(). */
#include <stdlib.h>
#include <string.h>

#include "report/session/source_state.h"

/*
 * A segment that ends, or begins, this near to the selected time is read. Times of a segment are
 * exact; this leaves no doubt about its edges.
 */
#define SEEK_NEAR_NS 100000000u
/* For requests: samples say what threads did up to a second before them (request_looks.h). */
#define SEEK_AFTER_NS 1000000000u

static uint64_t seek_near_after(const struct source_plan *plan)
{
	bool reads = plan->reads & 1ull << EVT_FAMILY_requests;

	return reads ? SEEK_AFTER_NS : SEEK_NEAR_NS;
}

/* Families that have to be read as a whole: older writers do not repeat requests under way. */
static uint64_t seek_unrepeated(const struct file_row *file)
{
	const struct schema *schema = reader_schema(file->reader);
	bool repeats = schema && schema->event[EVT_request_sum].name;

	return repeats ? 0 : file->source->plan.reads & 1ull << EVT_FAMILY_requests;
}

/*
 * What is read before the selected time is read up to it, and what is read after it is read from
 * its end on: so scopes that are open are known from one state at most.
 */
static enum reader_choice seek_decide(struct file_row *file, const struct segment_head *head,
				      const struct reader_segment *segment)
{
	const struct source_plan *plan = &file->source->plan;
	uint64_t needed = seek_unrepeated(file);
	uint64_t before = plan->before | needed | (segment->leads ? plan->leads : 0);
	uint64_t begin_ns = file_time(file, head->begin_ns), end_ns = file_time(file, head->end_ns);

	if (plan->only_digests)
		return READER_PASSES;
	if (head->families == UINT64_MAX) /* they are not known */
		file->reads_before = true;
	if (add_capped(end_ns, SEEK_NEAR_NS) < plan->from_ns) {
		file->reads_before |= (head->families & before) != 0;
		return file->reads_before ? READER_READS : READER_PASSES;
	}
	if (begin_ns > add_capped(plan->to_ns, seek_near_after(plan)))
		return segment->later & (plan->after | needed) ? READER_READS
							       : READER_PASSES_IF_CLOSED;
	file->reads_before = true;
	return READER_READS;
}

static enum reader_choice seek_choose(void *context, const struct segment_head *head,
				      const struct reader_segment *segment)
{
	struct file_row *file = context;
	enum reader_choice choice = seek_decide(file, head, segment);

	if (choice != READER_READS)
		file->source->families_passed |= head->families;
	return choice;
}

uint64_t source_families_passed(const struct source *source)
{
	return source->families_passed;
}

/* The time on the clock of the file; 0 is also before its begin. */
static uint64_t seek_file_ns(const struct file_row *file, uint64_t time_ns)
{
	int64_t offset_ns = file->file.offset_ns;

	if (time_ns == UINT64_MAX || offset_ns <= 0)
		return time_ns == UINT64_MAX ? time_ns : add_capped(time_ns, (uint64_t)-offset_ns);
	return time_ns > (uint64_t)offset_ns ? time_ns - (uint64_t)offset_ns : 0;
}

/* For tests, which compare what is printed with and without it. */
static bool seek_is_off(void)
{
	const char *value = getenv("PROF_REPORT_SEEK");

	return value && !strcmp(value, "off");
}

void source_seek(struct source *source, const struct source_plan *plan)
{
	if (seek_is_off())
		return;
	source->plan = *plan;
	for (size_t i = 0; i < source->file_count; i++) {
		struct file_row *file = source->file[i];
		const struct reader_chooser chooser = {
			.choose = seek_choose,
			.context = file,
			.from_ns = seek_file_ns(file, plan->from_ns),
			.to_ns = seek_file_ns(file, plan->to_ns),
		};

		if (file->reader && !file->file.live)
			reader_seek(file->reader, &chooser);
	}
}
