/* SPDX-License-Identifier: MIT */
/* Report `utilization`: how busy each GPU was. */
#include <string.h>

#include "report/core/report_kind.h"
#include "report/device/device_numbers.h"
#include "report/device/device_states.h"
#include "report/gpu/gpu_time.h"
#include "report/gpu/unreported.h"
#include "report/table/cells.h"

struct time_report {
	struct gpu_time *time;
	struct unreported *unreported;
	struct device_states *states;
	struct device_numbers *numbers;
};

static struct gpu_time *report_gpu_time_time_of(const struct report *report)
{
	return ((const struct time_report *)report->state)->time;
}

static void report_gpu_time_want(struct report *report)
{
	struct time_report *state = report->state;

	state->time = gpu_time_want(report->run, NULL);
	state->unreported = unreported_want(report->run, NULL);
	state->states = device_states_want(report->run, NULL);
	state->numbers = device_numbers_want(report->run, NULL);
}

static const struct unreported *report_gpu_time_unreported_of(const struct report *report)
{
	return ((const struct time_report *)report->state)->unreported;
}

/* What NVML says of the lane's card, if it is known which one that is. */
static void utilization_put_state(const struct time_report *state, const struct gpu_lane *lane,
				  struct table *table)
{
	const struct device_number *number = device_numbers_find(state->numbers, lane->process,
								 lane->device);
	const struct device_card *card = number ? device_states_find(state->states, number->uuid)
						: NULL;

	if (!card || !card->samples)
		return;
	if (card->gpu_percent.count)
		table_set_real(table, COLUMN_utilization_nvml_percent,
			       (double)card->gpu_percent.sum / (double)card->gpu_percent.count);
	if (card->sm_mhz.count)
		table_set_number(table, COLUMN_utilization_sm_mhz, ladder_median(&card->sm_mhz));
	if (card->power_w.count)
		table_set_number(table, COLUMN_utilization_power_w, ladder_median(&card->power_w));
	if (card->temperature_c.count)
		table_set_number(table, COLUMN_utilization_temperature_max_c,
				 card->temperature_c.max);
	table_set_percent(table, COLUMN_utilization_throttled_percent, card->any_throttled_ns,
			  card->busy_ns);
}

static void utilization_fill(struct report *report, struct table *table)
{
	const struct gpu_time *time = report_gpu_time_time_of(report);

	for (size_t i = 0; i < time->lane_count; i++) {
		const struct gpu_lane *lane = &time->lane[i];
		uint64_t span_ns = gpu_time_span(time, lane);

		table_add_row(table);
		table_set_number(table, COLUMN_utilization_device, lane->device);
		table_put_pid(table, COLUMN_utilization_pid, run_source(report->run),
			      lane->process);
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
		utilization_put_state(report->state, lane, table);
		if (!lane->has_sums)
			table_set_number(table, COLUMN_utilization_queue_max, lane->queue_max);
		if (!span_ns)
			continue;
		table_set_real(table, COLUMN_utilization_busy_percent,
			       100.0 * (double)lane->busy_ns / (double)span_ns);
		if (!lane->has_sums)
			table_set_real(table, COLUMN_utilization_queue_avg,
				       lane->queue_ns / (double)span_ns);
	}
}

static void utilization_total(const struct report *report, struct facts *facts)
{
	const struct gpu_time *time = report_gpu_time_time_of(report);
	uint64_t span_ns = 0, busy_ns = 0;

	for (size_t i = 0; i < time->lane_count; i++) {
		span_ns += gpu_time_span(time, &time->lane[i]);
		busy_ns += time->lane[i].busy_ns;
	}
	facts_number(facts, "span_ns", UNIT_NS, span_ns);
	facts_number(facts, "busy_ns", UNIT_NS, busy_ns);
	facts_number(facts, "late", UNIT_COUNT, time->late);
	facts_number(facts, "untold", UNIT_COUNT, report_gpu_time_unreported_of(report)->calls);
	facts_number(facts, "without_call", UNIT_COUNT, time->told->uncorrelated);
}

static const char *report_gpu_time_explain(const struct report *report, struct why_empty *absence)
{
	return unreported_explain(report_gpu_time_unreported_of(report), report->run, absence);
}

static void report_gpu_time_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	char number[UNIT_TEXT_BYTES];

	if (report_gpu_time_time_of(report)->late)
		screen_print_prose(
			screen,
			"kernels and copies that CUPTI reported too late, which are here in "
			"part: %s",
			unit_format_count(number, report_gpu_time_time_of(report)->late));
	unreported_print(report_gpu_time_unreported_of(report), run_source(report->run), screen);
}

const struct report_kind report_kind_utilization = {
	.state_bytes = sizeof(struct time_report),
	.family = EVT_FAMILY_gpu,
	.want = report_gpu_time_want,
	.fill = utilization_fill,
	.total = utilization_total,
	.explain = report_gpu_time_explain,
	.head = report_gpu_time_head,
};
