/* SPDX-License-Identifier: MIT */
/* cases: device */
/* Report `device`: the state of each GPU, as NVML told. */
#include <stdio.h>
#include <string.h>

#include "report/base/units.h"
#include "report/core/report_kind.h"
#include "report/device/device_numbers.h"
#include "report/device/device_states.h"
#include "report/table/cells.h"

#define MJ_A_JOULE 1000u
#define MW_A_WATT 1000u
#define BYTES_A_KIB 1024u
#define BYTES_A_KB 1000u
#define NVML_NO_PERMISSION 4u

struct states_report {
	struct device_states *states;
	struct device_numbers *numbers;
};

static void report_states_want(struct report *report)
{
	struct states_report *state = report->state;

	state->states = device_states_want(report->run, NULL);
	state->numbers = device_numbers_want(report->run, NULL);
}

static void row_put_ladder(struct table *table, const struct ladder *ladder, enum column_id median,
			   enum column_id min, enum column_id max)
{
	if (!ladder->count)
		return;
	table_set_number(table, median, ladder_median(ladder));
	if (min != COLUMN_ID_LIMIT)
		table_set_number(table, min, ladder->min);
	if (max != COLUMN_ID_LIMIT)
		table_set_number(table, max, ladder->max);
}

static void row_put_mean(struct table *table, const struct ladder *ladder, enum column_id column)
{
	if (ladder->count)
		table_set_real(table, column, (double)ladder->sum / (double)ladder->count);
}

static void row_put_answer(struct table *table, enum column_id column, uint64_t field,
			   uint64_t unit)
{
	if (field)
		table_set_number(table, column, (field - 1) / unit);
}

static void row_put_counter(struct table *table, const struct device_card *card,
			    enum device_counter_id id, enum column_id column, uint64_t unit,
			    uint64_t factor)
{
	if (card->counter[id].is_known)
		table_set_number(table, column, card->counter[id].grown / unit * factor);
}

static void row_put_number(struct table *table, const struct device_numbers *numbers,
			   const struct device_card *card)
{
	uint32_t number;

	if (device_numbers_of_card(numbers, card->uuid, &number))
		table_set_number(table, COLUMN_device_device, number);
}

static void row_put_clocks(struct table *table, const struct device_card *card)
{
	row_put_ladder(table, &card->sm_mhz, COLUMN_device_sm_mhz, COLUMN_device_sm_min_mhz,
		       COLUMN_device_sm_max_mhz);
	row_put_answer(table, COLUMN_device_sm_limit_mhz, card->told.max_sm_clock_mhz, 1);
	row_put_ladder(table, &card->memory_mhz, COLUMN_device_memory_mhz, COLUMN_ID_LIMIT,
		       COLUMN_ID_LIMIT);
	row_put_answer(table, COLUMN_device_memory_limit_mhz, card->told.max_memory_clock_mhz, 1);
}

static void row_put_power(struct table *table, const struct device_card *card)
{
	row_put_ladder(table, &card->power_w, COLUMN_device_power_w, COLUMN_device_power_min_w,
		       COLUMN_device_power_max_w);
	row_put_answer(table, COLUMN_device_power_limit_w, card->told.power_limit_mw, MW_A_WATT);
	row_put_counter(table, card, DEVICE_ENERGY_MJ, COLUMN_device_energy_j, MJ_A_JOULE, 1);
	row_put_ladder(table, &card->temperature_c, COLUMN_device_temperature_c,
		       COLUMN_device_temperature_min_c, COLUMN_device_temperature_max_c);
	if (card->memory_temperature_c.count)
		table_set_number(table, COLUMN_device_memory_temperature_max_c,
				 card->memory_temperature_c.max);
}

static void row_put_use(struct table *table, const struct device_card *card)
{
	row_put_mean(table, &card->gpu_percent, COLUMN_device_gpu_percent);
	row_put_mean(table, &card->memory_percent, COLUMN_device_memory_percent);
	if (card->memory_max_bytes)
		table_set_number(table, COLUMN_device_memory_used_bytes, card->memory_max_bytes);
	row_put_answer(table, COLUMN_device_memory_bytes, card->told.memory_bytes, 1);
}

static void row_put_throttling(struct table *table, const struct device_card *card)
{
	char reasons[DEVICE_REASONS_BYTES];

	row_put_counter(table, card, DEVICE_POWER_HELD_NS, COLUMN_device_power_held_ns, 1, 1);
	row_put_counter(table, card, DEVICE_HEAT_HELD_NS, COLUMN_device_heat_held_ns, 1, 1);
	device_reasons_text(reasons, card->reasons);
	if (*reasons)
		table_put_text(table, COLUMN_device_reasons,
			       text_store_put(&table->texts, reasons, strlen(reasons)));
	if (!card->known_ns)
		return;
	table_set_number(table, COLUMN_device_busy_ns, card->busy_ns);
	table_set_number(table, COLUMN_device_any_throttled_ns, card->any_throttled_ns);
	table_set_number(table, COLUMN_device_power_throttled_ns, card->throttled_ns[DEVICE_POWER]);
	table_set_number(table, COLUMN_device_heat_throttled_ns, card->throttled_ns[DEVICE_HEAT]);
	table_set_percent(table, COLUMN_device_throttled_percent, card->any_throttled_ns,
			  card->busy_ns);
	if (card->throttled_mhz.count)
		table_set_number(table, COLUMN_device_throttled_mhz,
				 ladder_median(&card->throttled_mhz));
}

static void row_put_links(struct table *table, const struct device_card *card)
{
	const struct evt_device_card *told = &card->told;

	if (card->pcie_generation && card->pcie_width && told->max_pcie_generation &&
	    told->max_pcie_width)
		table_put_text(table, COLUMN_device_pcie,
			       text_store_format(&table->texts, "%u x%u of %u x%u",
						 card->pcie_generation, card->pcie_width,
						 (unsigned int)(told->max_pcie_generation - 1),
						 (unsigned int)(told->max_pcie_width - 1)));
	if (card->pcie_sent_max_kbs)
		table_set_number(table, COLUMN_device_pcie_sent,
				 card->pcie_sent_max_kbs * BYTES_A_KB);
	if (card->pcie_received_max_kbs)
		table_set_number(table, COLUMN_device_pcie_received,
				 card->pcie_received_max_kbs * BYTES_A_KB);
	row_put_counter(table, card, DEVICE_NVLINK_SENT_KIB, COLUMN_device_nvlink_sent_bytes, 1,
			BYTES_A_KIB);
	row_put_counter(table, card, DEVICE_NVLINK_RECEIVED_KIB,
			COLUMN_device_nvlink_received_bytes, 1, BYTES_A_KIB);
}

static void report_states_fill(struct report *report, struct table *table)
{
	const struct states_report *state = report->state;

	for (size_t i = 0; i < state->states->count; i++) {
		const struct device_card *card = &state->states->card[i];

		if (!card->samples)
			continue;
		table_add_row(table);
		row_put_number(table, state->numbers, card);
		table_put_name(table, COLUMN_device_model, run_source(report->run), card->model);
		table_put_name(table, COLUMN_device_uuid, run_source(report->run), card->uuid);
		table_set_number(table, COLUMN_device_samples, card->samples);
		table_set_number(table, COLUMN_device_sampled_ns, card->sampled_ns);
		row_put_clocks(table, card);
		row_put_power(table, card);
		row_put_use(table, card);
		row_put_throttling(table, card);
		row_put_links(table, card);
	}
}

static void report_states_total(const struct report *report, struct facts *facts)
{
	const struct device_states *states = ((const struct states_report *)report->state)->states;
	uint64_t samples = 0, busy_ns = 0, throttled_ns = 0, refused = 0;

	for (size_t i = 0; i < states->count; i++) {
		samples += states->card[i].samples;
		busy_ns += states->card[i].busy_ns;
		throttled_ns += states->card[i].any_throttled_ns;
		refused += states->card[i].refused_count;
	}
	facts_number(facts, "samples", UNIT_COUNT, samples);
	facts_number(facts, "busy_ns", UNIT_NS, busy_ns);
	facts_number(facts, "any_throttled_ns", UNIT_NS, throttled_ns);
	facts_number(facts, "refused", UNIT_COUNT, refused);
	facts_number(facts, "troubles", UNIT_COUNT, states->trouble_count);
}

static const char *report_states_explain(const struct report *report, struct why_empty *absence)
{
	const struct device_states *states = ((const struct states_report *)report->state)->states;

	(void)absence;
	return states->trouble_count ? "NVML told nothing: see above" : NULL;
}

/* --- lines around the table, for people --- */

static void report_states_head(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct device_states *states = ((const struct states_report *)report->state)->states;
	char text[DEVICE_TROUBLE_BYTES];
	bool is_unnamed = false;

	for (size_t i = 0; i < states->trouble_count; i++)
		screen_print_prose(screen, "%s",
				   device_trouble_text(states, &states->trouble[i], text));
	for (size_t i = 0; i < states->count; i++)
		is_unnamed |= states->card[i].samples &&
			      states->card[i].told.chosen == EVT_DEVICE_LISTED;
	if (is_unnamed)
		screen_print_prose(screen,
				   "CUPTI did not say which GPU the program used, so all that NVML "
				   "lists are here.");
}

static void print_refused(const struct device_states *states, const struct device_card *card,
			  const struct screen *screen)
{
	struct prose line;

	prose_begin(&line, screen);
	fprintf(line.screen.out, "NVML refuses for %s: ",
		source_name_text(source_name_at(states->source, card->uuid)));
	for (size_t i = 0; i < card->refused_count; i++)
		fprintf(line.screen.out, "%s%s%s", i ? ", " : "",
			source_name_text(source_name_at(states->source, card->refused[i])),
			card->refused_result[i] == NVML_NO_PERMISSION ? " (no permission)" : "");
	fputs(".", line.screen.out);
	prose_end(&line, screen);
}

static void report_states_foot(const struct document *document, const struct screen *screen)
{
	const struct report *report = document->context;
	const struct device_states *states = ((const struct states_report *)report->state)->states;

	for (size_t i = 0; i < states->count; i++)
		if (states->card[i].refused_count)
			print_refused(states, &states->card[i], screen);
	for (size_t i = 0; i < states->count; i++)
		if (states->card[i].told.is_part) {
			screen_print_prose(screen,
					   "The program has a part of a GPU (MIG): memory is that "
					   "of the part, all else is of the whole GPU.");
			break;
		}
}

const struct report_kind report_kind_device = {
	.state_bytes = sizeof(struct states_report),
	.family = EVT_FAMILY_device,
	.want = report_states_want,
	.fill = report_states_fill,
	.total = report_states_total,
	.explain = report_states_explain,
	.head = report_states_head,
	.foot = report_states_foot,
};
