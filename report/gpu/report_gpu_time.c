/* SPDX-License-Identifier: MIT */
/* Reports `utilization` and `gpu-idle`: how busy each GPU was, and what it waited for. */
#include <string.h>

#include "report/core/report_kind.h"
#include "report/gpu/gpu_time.h"

struct time_report {
	struct gpu_time *time;
};

static struct gpu_time *time_of(const struct report *report)
{
	return ((const struct time_report *)report->state)->time;
}

static void want(struct report *report)
{
	((struct time_report *)report->state)->time = gpu_time_want(report->run, NULL);
}

static uint64_t pid_of(const struct report *report, uint32_t index)
{
	struct source_process *const *process;

	source_processes(run_source(report->run), &process);
	return process[index]->pid;
}

static uint64_t span_of(const struct gpu_lane *lane)
{
	return lane->last_ns - lane->first_ns;
}

static void utilization_fill(struct report *report, struct table *table)
{
	const struct gpu_time *time = time_of(report);

	for (size_t i = 0; i < time->lane_count; i++) {
		const struct gpu_lane *lane = &time->lane[i];
		uint64_t span_ns = span_of(lane);

		table_add_row(table);
		table_set_number(table, COLUMN_utilization_device, lane->device);
		table_set_number(table, COLUMN_utilization_pid, pid_of(report, lane->process));
		table_set_number(table, COLUMN_utilization_span_ns, span_ns);
		table_set_number(table, COLUMN_utilization_busy_ns, lane->busy_ns);
		table_set_number(table, COLUMN_utilization_compute_ns,
				 lane->class_ns[GPU_COMPUTES]);
		table_set_number(table, COLUMN_utilization_copy_ns,
				 lane->class_ns[GPU_COPIES_DATA]);
		table_set_number(table, COLUMN_utilization_communication_ns,
				 lane->class_ns[GPU_COMMUNICATES]);
		table_set_number(table, COLUMN_utilization_overlap_ns, lane->overlap_ns);
		table_set_number(table, COLUMN_utilization_idle_ns, span_ns - lane->busy_ns);
		table_set_number(table, COLUMN_utilization_queue_max, lane->queue_max);
		if (!span_ns)
			continue;
		table_set_real(table, COLUMN_utilization_busy_percent,
			       100.0 * (double)lane->busy_ns / (double)span_ns);
		table_set_real(table, COLUMN_utilization_queue_avg,
			       lane->queue_ns / (double)span_ns);
	}
}

static void utilization_total(const struct report *report, struct facts *facts)
{
	const struct gpu_time *time = time_of(report);
	uint64_t span_ns = 0, busy_ns = 0;

	for (size_t i = 0; i < time->lane_count; i++) {
		span_ns += span_of(&time->lane[i]);
		busy_ns += time->lane[i].busy_ns;
	}
	facts_number(facts, "span_ns", UNIT_NS, span_ns);
	facts_number(facts, "busy_ns", UNIT_NS, busy_ns);
	facts_number(facts, "late", UNIT_COUNT, time->late);
	facts_number(facts, "without_call", UNIT_COUNT, time->told->homeless);
}

static void idle_put(struct report *report, const struct gpu_stream_time *stream, enum gpu_gap kind,
		     struct table *table)
{
	static const char *const texts[GPU_GAPS] = { "host wait", "kernel wait", "other" };
	const struct gpu_lane *lane = &time_of(report)->lane[stream->lane];

	if (!stream->gap_count[kind])
		return;
	table_add_row(table);
	table_set_number(table, COLUMN_gpu_idle_device, lane->device);
	table_set_number(table, COLUMN_gpu_idle_stream, stream->stream);
	table_set_number(table, COLUMN_gpu_idle_pid, pid_of(report, lane->process));
	table_set_text(table, COLUMN_gpu_idle_kind, texts[kind], strlen(texts[kind]));
	table_set_number(table, COLUMN_gpu_idle_count, stream->gap_count[kind]);
	table_set_number(table, COLUMN_gpu_idle_total_ns, stream->gap_ns[kind]);
	table_set_number(table, COLUMN_gpu_idle_avg_ns,
			 stream->gap_ns[kind] / stream->gap_count[kind]);
	table_set_number(table, COLUMN_gpu_idle_max_ns, stream->gap_max_ns[kind]);
}

static void idle_fill(struct report *report, struct table *table)
{
	const struct gpu_time *time = time_of(report);

	for (size_t i = 0; i < time->stream_count; i++)
		for (int kind = 0; kind < GPU_GAPS; kind++)
			idle_put(report, &time->stream[i], (enum gpu_gap)kind, table);
}

static void idle_total(const struct report *report, struct facts *facts)
{
	const struct gpu_time *time = time_of(report);
	uint64_t count = 0, total_ns = 0;

	for (size_t i = 0; i < time->stream_count; i++)
		for (int kind = 0; kind < GPU_GAPS; kind++) {
			count += time->stream[i].gap_count[kind];
			total_ns += time->stream[i].gap_ns[kind];
		}
	facts_number(facts, "count", UNIT_COUNT, count);
	facts_number(facts, "total_ns", UNIT_NS, total_ns);
	facts_number(facts, "late", UNIT_COUNT, time->late);
}

static void head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	char number[UNIT_TEXT_BYTES];

	if (time_of(report)->late)
		screen_print_prose(
			screen,
			"kernels and copies that CUPTI told of too late, which are here in "
			"part: %s",
			unit_format_count(number, time_of(report)->late));
}

const struct report_kind report_kind_utilization = {
	.state_bytes = sizeof(struct time_report),
	.family = EVT_FAMILY_gpu,
	.want = want,
	.fill = utilization_fill,
	.total = utilization_total,
	.head = head,
};

const struct report_kind report_kind_gpu_idle = {
	.state_bytes = sizeof(struct time_report),
	.family = EVT_FAMILY_gpu,
	.want = want,
	.fill = idle_fill,
	.total = idle_total,
	.head = head,
};
