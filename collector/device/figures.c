/* SPDX-License-Identifier: MIT */
/*
 * A function for each question, made from figures.def, and a table of them with the word of the
 * event that takes the answer. Questions for nvmlDeviceGetFieldValues() go into one call.
 */
#include "collector/device/figures.h"

#include <stddef.h>

#include "collector/core/clock.h"

#define NS_PER_S 1000000000u
#define PAUSE_MAX_S 60u
#define FIGURE_NOT_ASKED (-1)
#define ASKED_EARLY_NS 500000000u /* rounds come early and late; they are a second apart */

/* --- questions --- */

static int ask_memory(struct figures *figures, struct nvml *nvml, struct nvml_memory *ret_memory)
{
	int result;

	*ret_memory = (struct nvml_memory){ 0 };
	nvml_call(nvml, result, nvmlDeviceGetMemoryInfo, figures->part, ret_memory);
	return result;
}

static int ask_memory_bytes(struct figures *figures, struct nvml *nvml, uint64_t *ret_value)
{
	struct nvml_memory memory;
	int result = ask_memory(figures, nvml, &memory);

	*ret_value = memory.total;
	return result;
}

static int ask_memory_used_bytes(struct figures *figures, struct nvml *nvml, uint64_t *ret_value)
{
	struct nvml_memory memory;
	int result = ask_memory(figures, nvml, &memory);

	*ret_value = memory.used;
	return result;
}

static int ask_gpu_percent(struct figures *figures, struct nvml *nvml, uint64_t *ret_value)
{
	int result;

	figures->utilization = (struct nvml_utilization){ 0 };
	nvml_call(nvml, result, nvmlDeviceGetUtilizationRates, figures->device,
		  &figures->utilization);
	figures->utilization_result = result;
	*ret_value = figures->utilization.gpu;
	return result;
}

/* One call answers both, so this one has an answer only in a round that asked for the other. */
static int ask_memory_percent(struct figures *figures, struct nvml *nvml, uint64_t *ret_value)
{
	int result = figures->utilization_result;

	(void)nvml;
	*ret_value = figures->utilization.memory;
	if (result == NVML_OK)
		figures->utilization_result = FIGURE_NOT_ASKED;
	return result;
}

/* Versions before 12.2 know it by its first name only. */
static int ask_reasons(struct figures *figures, struct nvml *nvml, uint64_t *ret_value)
{
	unsigned long long reasons = 0;
	int result;

	if (nvml->nvmlDeviceGetCurrentClocksEventReasons)
		nvml_call(nvml, result, nvmlDeviceGetCurrentClocksEventReasons, figures->device,
			  &reasons);
	else
		nvml_call(nvml, result, nvmlDeviceGetCurrentClocksThrottleReasons, figures->device,
			  &reasons);
	*ret_value = reasons;
	return result;
}

#define ASK_PLAIN(where, field, function)                                                       \
	static int ask_##field(struct figures *figures, struct nvml *nvml, uint64_t *ret_value) \
	{                                                                                       \
		unsigned int value = 0;                                                         \
		int result;                                                                     \
                                                                                                \
		nvml_call(nvml, result, function, figures->device, &value);                     \
		*ret_value = value;                                                             \
		return result;                                                                  \
	}
#define ASK_WIDE(where, field, function)                                                        \
	static int ask_##field(struct figures *figures, struct nvml *nvml, uint64_t *ret_value) \
	{                                                                                       \
		unsigned long long value = 0;                                                   \
		int result;                                                                     \
                                                                                                \
		nvml_call(nvml, result, function, figures->device, &value);                     \
		*ret_value = value;                                                             \
		return result;                                                                  \
	}
#define ASK_OF(where, field, function, of)                                                      \
	static int ask_##field(struct figures *figures, struct nvml *nvml, uint64_t *ret_value) \
	{                                                                                       \
		unsigned int value = 0;                                                         \
		int result;                                                                     \
                                                                                                \
		nvml_call(nvml, result, function, figures->device, of, &value);                 \
		*ret_value = value;                                                             \
		return result;                                                                  \
	}
#include "collector/device/figures.def"

#define WORD_card(field) (offsetof(struct evt_device_card, field) / sizeof(uint64_t))
#define WORD_sample(field) (offsetof(struct evt_device_sample, field) / sizeof(uint64_t))
#define WORD_link(field) (offsetof(struct evt_device_link, field) / sizeof(uint64_t))

enum figure_where { WHERE_card, WHERE_sample, WHERE_link, WHERES };

static const struct figure {
	const char *field;
	enum figure_where where;
	size_t word;
	int (*ask)(struct figures *figures, struct nvml *nvml, uint64_t *ret_value);
	unsigned int id; /* if there is no function: enum nvml_field_id */
} all_figures[FIGURES] = {
#define ASK_FIELD(where, field, id) { #field, WHERE_##where, WORD_##where(field), NULL, id },
#define ASK(where, field) { #field, WHERE_##where, WORD_##where(field), ask_##field, 0 },
#include "collector/device/figures.def"
};

/* --- one round of questions --- */

struct figures_round {
	struct figures *figures;
	struct nvml *nvml;
	const struct figures_listener *listener;
	uint64_t now_ns;        /* when it began */
	uint64_t *word[WHERES]; /* of the event that takes the answer; NULL: it is not asked for */
	uint32_t answers[WHERES];
	bool is_lost;
};

uint64_t figures_pause_ns(uint64_t cost_ns)
{
	uint64_t seconds = (cost_ns + FIGURE_NS_A_SECOND - 1) / FIGURE_NS_A_SECOND;

	if (seconds > PAUSE_MAX_S)
		seconds = PAUSE_MAX_S;
	return (seconds ? seconds : 1) * NS_PER_S;
}

static bool figure_is_due(const struct figures_round *round, unsigned int i)
{
	const struct figure_state *state = &round->figures->state[i];

	return round->word[all_figures[i].where] && !state->is_given_up && !round->is_lost &&
	       round->now_ns + ASKED_EARLY_NS >= state->next_ns;
}

/* What NVML answers once and for all. */
static bool figure_is_refusal(unsigned int result)
{
	return result == NVML_NOT_SUPPORTED || result == NVML_NO_PERMISSION ||
	       result == NVML_NO_FUNCTION;
}

static void figure_take(struct figures_round *round, unsigned int i, unsigned int result,
			uint64_t value)
{
	struct figure_state *state = &round->figures->state[i];

	if (result == NVML_OK && value != UINT64_MAX) {
		round->word[all_figures[i].where][all_figures[i].word] = value + 1;
		round->answers[all_figures[i].where]++;
		state->failures = 0;
		return;
	}
	if (result == NVML_LOST) {
		round->is_lost = true;
		return;
	}
	if (result == (unsigned int)FIGURE_NOT_ASKED)
		return;
	state->is_given_up = figure_is_refusal(result) || ++state->failures >= FIGURE_FAILURES;
	if (!state->is_reported)
		round->listener->refused(round->listener->context, all_figures[i].field, result);
	state->is_reported = true;
}

/* Notes what a question, or several in one call, took. */
static void figure_note_cost(const struct figures_round *round, unsigned int i, uint64_t ns)
{
	struct figure_state *state = &round->figures->state[i];

	if (!state->cost_ns || ns < state->cost_ns)
		state->cost_ns = ns ? ns : 1;
	state->next_ns = round->now_ns + figures_pause_ns(state->cost_ns);
}

static uint64_t figure_value_of(const struct nvml_field *field)
{
	switch (field->type) {
	case NVML_DOUBLE:
		return field->value.real > 0 && field->value.real < 1e18
			       ? (uint64_t)field->value.real
			       : 0;
	case NVML_UNSIGNED_INT:
		return field->value.count;
	case NVML_SIGNED_INT:
		return field->value.number > 0 ? (uint64_t)field->value.number : 0;
	case NVML_SIGNED_LONG_LONG:
		return field->value.wide > 0 ? (uint64_t)field->value.wide : 0;
	case NVML_UNSIGNED_SHORT:
		return field->value.half;
	default:
		return field->value.bits;
	}
}

/* All questions of ASK_FIELD that are due. */
static void figures_ask_fields(struct figures_round *round)
{
	struct nvml_field field[FIGURES] = { 0 };
	unsigned int asked[FIGURES];
	int count = 0, result;
	uint64_t began_ns = clock_read_ns(CLOCK_MONOTONIC), took_ns;

	for (unsigned int i = 0; i < FIGURES; i++) {
		if (all_figures[i].ask || !figure_is_due(round, i))
			continue;
		asked[count] = i;
		field[count].field = all_figures[i].id;
		field[count++].scope = all_figures[i].id == NVML_FIELD_NVLINK_SENT ||
						       all_figures[i].id ==
							       NVML_FIELD_NVLINK_RECEIVED
					       ? NVML_SCOPE_ALL
					       : 0;
	}
	if (!count)
		return;
	nvml_call(round->nvml, result, nvmlDeviceGetFieldValues, round->figures->device, count,
		  field);
	took_ns = clock_read_ns(CLOCK_MONOTONIC) - began_ns;
	for (int i = 0; i < count; i++) {
		figure_note_cost(round, asked[i], took_ns);
		figure_take(round, asked[i],
			    result == NVML_OK ? field[i].result : (unsigned int)result,
			    figure_value_of(&field[i]));
	}
}

static bool figures_ask(struct figures_round *round)
{
	for (unsigned int i = 0; i < FIGURES; i++) {
		uint64_t began_ns, value = 0;
		int result;

		if (!all_figures[i].ask || !figure_is_due(round, i))
			continue;
		began_ns = clock_read_ns(CLOCK_MONOTONIC);
		result = all_figures[i].ask(round->figures, round->nvml, &value);
		figure_note_cost(round, i, clock_read_ns(CLOCK_MONOTONIC) - began_ns);
		figure_take(round, i, (unsigned int)result, value);
	}
	figures_ask_fields(round);
	return !round->is_lost;
}

bool figures_ask_card(struct figures *figures, struct nvml *nvml,
		      const struct figures_listener *listener, struct evt_device_card *ret_card)
{
	struct figures_round round = { .figures = figures,
				       .nvml = nvml,
				       .listener = listener,
				       .now_ns = clock_read_ns(CLOCK_MONOTONIC),
				       .word = { [WHERE_card] = (uint64_t *)ret_card } };

	return figures_ask(&round);
}

bool figures_ask_state(struct figures *figures, struct nvml *nvml,
		       const struct figures_listener *listener, struct figures_found *ret_state)
{
	struct figures_round round = { .figures = figures,
				       .nvml = nvml,
				       .listener = listener,
				       .now_ns = clock_read_ns(CLOCK_MONOTONIC),
				       .word = { [WHERE_sample] = (uint64_t *)&ret_state->sample,
						 [WHERE_link] = (uint64_t *)&ret_state->link } };
	bool answers = figures_ask(&round);

	ret_state->sample.asked_ns = clock_read_ns(CLOCK_MONOTONIC) - round.now_ns;
	ret_state->has_sample = round.answers[WHERE_sample] != 0;
	ret_state->has_link = round.answers[WHERE_link] != 0;
	return answers;
}
