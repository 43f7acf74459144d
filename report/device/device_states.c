/* SPDX-License-Identifier: MIT */
/* cases: device */
/*
 * Numbers of cards are those of a file, so each file has its own list of cards, with the sample
 * before. Fields hold the answer plus 1, or 0 without one.
 */
#include "report/device/device_states.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/units.h"
#include "report/base/memory.h"
#include "report/core/windows.h"

#define MW_A_WATT 1000u

/* The time that a sample stands for. */
struct device_moment {
	uint64_t from_ns, to_ns;
	bool has_reasons, is_busy, is_throttled;
};

struct device_seen {
	uint32_t file, number; /* of the card in the file */
	uint32_t card;         /* index */
	bool has_sample;
	uint64_t time_ns;
	uint64_t counter[DEVICE_COUNTERS]; /* of the last answer, plus 1 */
};

struct device_states_state {
	struct device_states states; /* first: it is what others see */
	const struct selection *filters;
	struct device_seen *seen;
	size_t seen_count, seen_room;
	struct device_states_options asked;
};

/* --- reasons --- */

static const struct {
	uint64_t bit;
	enum device_reason_kind kind;
	const char *name;
} device_reasons[] = {
#define REASON(bit, kind, name) { bit, DEVICE_##kind, name },
#include "report/device/reasons.def"
};

/* Returns a bit each of 1 << enum device_reason_kind. */
static unsigned int device_reason_kinds(uint64_t reasons)
{
	unsigned int kinds = 0;

	for (size_t i = 0; i < sizeof(device_reasons) / sizeof(device_reasons[0]); i++)
		if (reasons & device_reasons[i].bit)
			kinds |= 1u << device_reasons[i].kind;
	return kinds;
}

bool device_sample_is_throttled(const struct evt_device_sample *sample)
{
	return sample->reasons && DEVICE_THROTTLES(device_reason_kinds(sample->reasons - 1));
}

const char *device_reasons_text(char text[DEVICE_REASONS_BYTES], uint64_t reasons)
{
	size_t length = 0;

	*text = 0;
	for (size_t i = 0; i < sizeof(device_reasons) / sizeof(device_reasons[0]); i++) {
		if (!(reasons & device_reasons[i].bit) || device_reasons[i].kind == DEVICE_IDLE)
			continue;
		length += (size_t)snprintf(text + length, DEVICE_REASONS_BYTES - length, "%s%s",
					   length ? ", " : "", device_reasons[i].name);
	}
	return text;
}

/* --- cards --- */

const struct device_card *device_states_find(const struct device_states *states, uint32_t uuid)
{
	for (size_t i = 0; i < states->count; i++)
		if (states->card[i].uuid == uuid)
			return &states->card[i];
	return NULL;
}

static struct device_seen *device_seen_of(struct device_states_state *mine, uint32_t file,
					  uint64_t number)
{
	for (size_t i = 0; i < mine->seen_count; i++)
		if (mine->seen[i].file == file && mine->seen[i].number == number)
			return &mine->seen[i];
	return NULL;
}

static size_t device_states_card(struct device_states *states, uint32_t uuid)
{
	const struct device_card *known = device_states_find(states, uuid);

	if (known)
		return (size_t)(known - states->card);
	states->card = memory_room(states->card, states->count, &states->room,
				   sizeof(*states->card));
	states->card[states->count] = (struct device_card){ .uuid = uuid };
	return states->count++;
}

static void device_states_take_card(void *state, const struct source_event *event, bool counts)
{
	const struct evt_device_card *told = EVENT_AS(device_card, &event->event);
	struct device_states_state *mine = state;
	struct source *source = mine->states.source;
	struct device_seen *seen = device_seen_of(mine, event->file->index, told->card);
	struct device_card *card;
	size_t at;

	(void)counts;
	at = device_states_card(&mine->states, event_name(source, event, told->uuid));
	card = &mine->states.card[at];
	card->told = *told;
	card->model = event_name(source, event, told->model);
	card->driver = event_name(source, event, told->driver);
	if (!seen && told->card <= UINT32_MAX) {
		mine->seen = memory_room(mine->seen, mine->seen_count, &mine->seen_room,
					 sizeof(*mine->seen));
		seen = &mine->seen[mine->seen_count++];
		*seen = (struct device_seen){ .file = event->file->index,
					      .number = (uint32_t)told->card };
	}
	if (seen)
		seen->card = (uint32_t)at;
}

static void device_states_take_refused(void *state, const struct source_event *event, bool counts)
{
	const struct evt_device_refused *told = EVENT_AS(device_refused, &event->event);
	struct device_states_state *mine = state;
	struct device_seen *seen = device_seen_of(mine, event->file->index, told->card);
	uint32_t figure = event_name(mine->states.source, event, told->figure);
	struct device_card *card;

	(void)counts;
	if (!seen)
		return;
	card = &mine->states.card[seen->card];
	for (size_t i = 0; i < card->refused_count; i++)
		if (card->refused[i] == figure)
			return;
	card->refused = memory_room(card->refused, card->refused_count, &card->refused_room,
				    sizeof(*card->refused));
	card->refused_result = memory_room(card->refused_result, card->refused_count,
					   &card->refused_result_room,
					   sizeof(*card->refused_result));
	card->refused_result[card->refused_count] = (unsigned int)told->result;
	card->refused[card->refused_count++] = figure;
}

static void device_states_take_trouble(void *state, const struct source_event *event, bool counts)
{
	const struct evt_device_trouble *told = EVENT_AS(device_trouble, &event->event);
	struct device_states_state *mine = state;
	struct device_states *states = &mine->states;
	struct device_seen *seen = told->card ? device_seen_of(mine, event->file->index,
							       told->card - 1)
					      : NULL;

	(void)counts;
	states->trouble = memory_room(states->trouble, states->trouble_count, &states->trouble_room,
				      sizeof(*states->trouble));
	states->trouble[states->trouble_count++] = (struct device_trouble){
		.what = event_name(states->source, event, told->what),
		.card = seen ? seen->card : UINT32_MAX,
		.told = *told,
	};
	if (seen && told->trouble == EVT_DEVICE_LOST)
		states->card[seen->card].is_lost = true;
}

/* --- samples --- */

static void ladder_take(struct ladder *ladder, uint64_t field, uint64_t unit)
{
	if (field)
		ladder_add(ladder, (field - 1) / unit);
}

static void device_take_most(uint64_t *most, uint64_t field)
{
	if (field && field - 1 > *most)
		*most = field - 1;
}

/* A counter that became smaller began again: the driver was loaded anew. */
static void device_count(struct device_card *card, struct device_seen *seen,
			 enum device_counter_id id, uint64_t field)
{
	struct device_counter *counter = &card->counter[id];

	if (!field)
		return;
	if (seen->counter[id] && field >= seen->counter[id])
		counter->grown += field - seen->counter[id];
	counter->is_known = true;
	seen->counter[id] = field;
}

static void card_add_time(struct device_card *card, const struct evt_device_sample *sample,
			  const struct device_moment *moment)
{
	uint64_t ns = moment->to_ns - moment->from_ns;
	unsigned int kinds = sample->reasons ? device_reason_kinds(sample->reasons - 1) : 0;

	card->sampled_ns += ns;
	if (!moment->has_reasons)
		return;
	card->known_ns += ns;
	if (!moment->is_busy)
		return;
	card->busy_ns += ns;
	for (unsigned int kind = 0; kind < DEVICE_REASONS; kind++)
		card->throttled_ns[kind] += kinds >> kind & 1 ? ns : 0;
	card->any_throttled_ns += moment->is_throttled ? ns : 0;
	card->throttling |= moment->is_throttled ? sample->reasons - 1 : 0;
}

static void card_add_numbers(struct device_card *card, const struct evt_device_sample *sample,
			     const struct device_moment *moment)
{
	ladder_take(&card->sm_mhz, sample->sm_clock_mhz, 1);
	ladder_take(&card->memory_mhz, sample->memory_clock_mhz, 1);
	ladder_take(&card->power_w, sample->power_mw, MW_A_WATT);
	ladder_take(&card->temperature_c, sample->temperature_c, 1);
	ladder_take(&card->memory_temperature_c, sample->memory_temperature_c, 1);
	ladder_take(&card->gpu_percent, sample->gpu_percent, 1);
	ladder_take(&card->memory_percent, sample->memory_percent, 1);
	device_take_most(&card->memory_max_bytes, sample->memory_used_bytes);
	card->reasons |= sample->reasons ? sample->reasons - 1 : 0;
	card->asked_ns += sample->asked_ns;
	if (moment->has_reasons && moment->is_busy)
		ladder_take(moment->is_throttled ? &card->throttled_mhz : &card->free_mhz,
			    sample->sm_clock_mhz, 1);
}

/* A sample is of no process: it counts in a window of any process of its file. */
static bool device_is_in_window(const struct windows *windows, const struct source_event *event)
{
	for (size_t i = 0; i < windows->count; i++)
		if (windows->window[i].file == event->file->index &&
		    event->event.time_ns >= windows->window[i].from_ns &&
		    event->event.time_ns < windows->window[i].to_ns)
			return true;
	return false;
}

static bool device_is_selected(const struct device_states_state *mine,
			       const struct source_event *event)
{
	const struct filter_settings *settings = &mine->filters->settings;
	uint64_t ns = event->event.time_ns;

	return ns >= settings->from_ns && ns < settings->to_ns &&
	       (!settings->windows || device_is_in_window(settings->windows, event));
}

static void device_states_take_sample(void *state, const struct source_event *event, bool counts)
{
	const struct evt_device_sample *sample = EVENT_AS(device_sample, &event->event);
	struct device_states_state *mine = state;
	struct device_seen *seen = device_seen_of(mine, event->file->index, sample->card);
	uint64_t now_ns = event->event.time_ns;
	struct device_moment moment;
	struct device_card *card;

	if (!counts || !seen || !device_is_selected(mine, event))
		return;
	card = &mine->states.card[seen->card];
	moment = (struct device_moment){
		.from_ns = seen->has_sample && now_ns - seen->time_ns <= DEVICE_GAP_NS
				   ? seen->time_ns
				   : now_ns,
		.to_ns = now_ns,
		.has_reasons = sample->reasons && sample->gpu_percent,
		.is_busy = sample->gpu_percent > 1,
		.is_throttled = device_sample_is_throttled(sample),
	};
	if (!card->samples++)
		card->first_ns = now_ns;
	card->last_ns = now_ns;
	card->last = *sample;
	card_add_time(card, sample, &moment);
	card_add_numbers(card, sample, &moment);
	device_count(card, seen, DEVICE_ENERGY_MJ, sample->energy_mj);
	device_count(card, seen, DEVICE_POWER_HELD_NS, sample->power_held_ns);
	device_count(card, seen, DEVICE_HEAT_HELD_NS, sample->heat_held_ns);
	seen->has_sample = true;
	seen->time_ns = now_ns;
	if (mine->asked.take)
		mine->asked.take(mine->asked.context,
				 &(struct device_sample_seen){ card, event->file, moment.from_ns,
							       now_ns, sample });
}

static void device_states_take_link(void *state, const struct source_event *event, bool counts)
{
	const struct evt_device_link *link = EVENT_AS(device_link, &event->event);
	struct device_states_state *mine = state;
	struct device_seen *seen = device_seen_of(mine, event->file->index, link->card);
	struct device_card *card;

	if (!counts || !seen || !device_is_selected(mine, event))
		return;
	card = &mine->states.card[seen->card];
	if (link->pcie_generation > card->pcie_generation + 1u)
		card->pcie_generation = (uint32_t)(link->pcie_generation - 1);
	if (link->pcie_width > card->pcie_width + 1u)
		card->pcie_width = (uint32_t)(link->pcie_width - 1);
	device_take_most(&card->pcie_sent_max_kbs, link->pcie_sent_kbs);
	device_take_most(&card->pcie_received_max_kbs, link->pcie_received_kbs);
	device_count(card, seen, DEVICE_NVLINK_SENT_KIB, link->nvlink_sent_kib);
	device_count(card, seen, DEVICE_NVLINK_RECEIVED_KIB, link->nvlink_received_kib);
}

static void device_states_start(void *state, struct run *run, const void *options)
{
	struct device_states_state *mine = state;

	if (options)
		mine->asked = *(const struct device_states_options *)options;
	mine->states.source = run_source(run);
	mine->filters = run_filters(run);
	run_reads(run, EVT_device_card, FIELDS_ALL, device_states_take_card, mine);
	run_reads(run, EVT_device_refused, FIELDS_ALL, device_states_take_refused, mine);
	run_reads(run, EVT_device_sample, FIELDS_ALL, device_states_take_sample, mine);
	run_reads(run, EVT_device_link, FIELDS_ALL, device_states_take_link, mine);
	run_reads(run, EVT_device_trouble, FIELDS_ALL, device_states_take_trouble, mine);
}

static void device_card_release(struct device_card *card)
{
	struct ladder *const ladders[] = { &card->sm_mhz,         &card->memory_mhz,
					   &card->power_w,        &card->temperature_c,
					   &card->gpu_percent,    &card->memory_temperature_c,
					   &card->memory_percent, &card->throttled_mhz,
					   &card->free_mhz };

	for (size_t i = 0; i < sizeof(ladders) / sizeof(ladders[0]); i++)
		ladder_release(ladders[i]);
	free(card->refused);
	free(card->refused_result);
}

static void device_states_release(void *state)
{
	struct device_states_state *mine = state;

	for (size_t i = 0; i < mine->states.count; i++)
		device_card_release(&mine->states.card[i]);
	free(mine->states.card);
	free(mine->states.trouble);
	free(mine->seen);
}

const struct analysis_kind analysis_device_states = {
	.name = "device states",
	.state_bytes = sizeof(struct device_states_state),
	.options_bytes = sizeof(struct device_states_options),
	.start = device_states_start,
	.release = device_states_release,
};

/* --- trouble --- */

const char *device_trouble_text(const struct device_states *states,
				const struct device_trouble *trouble,
				char text[DEVICE_TROUBLE_BYTES])
{
	const char *what = source_name_text(source_name_at(states->source, trouble->what));
	const char *card = trouble->card == UINT32_MAX
				   ? "all GPUs"
				   : source_name_text(source_name_at(
					     states->source, states->card[trouble->card].uuid));
	char took[UNIT_TEXT_BYTES];
	unsigned int result = (unsigned int)trouble->told.result;

	unit_format_ns(took, trouble->told.ns);
	switch (trouble->told.trouble) {
	case EVT_DEVICE_NO_LIBRARY:
		snprintf(text, DEVICE_TROUBLE_BYTES,
			 "The state of GPUs was not recorded: %s was not found.", what);
		break;
	case EVT_DEVICE_FAILED:
		snprintf(text, DEVICE_TROUBLE_BYTES,
			 "The state of GPUs was not recorded: %s failed with %u.", what, result);
		break;
	case EVT_DEVICE_NO_CARD:
		snprintf(text, DEVICE_TROUBLE_BYTES, "NVML does not know the GPU %s (%u).", what,
			 result);
		break;
	case EVT_DEVICE_LOST:
		snprintf(text, DEVICE_TROUBLE_BYTES,
			 "The GPU %s was lost: NVML says that it fell off the bus.", card);
		break;
	case EVT_DEVICE_HANGS:
		snprintf(text, DEVICE_TROUBLE_BYTES,
			 "%s did not return: from then on there are no samples of any GPU.", what);
		break;
	case EVT_DEVICE_RETURNED:
		snprintf(text, DEVICE_TROUBLE_BYTES, "%s returned after %s.", what, took);
		break;
	case EVT_DEVICE_TOO_MANY:
		snprintf(text, DEVICE_TROUBLE_BYTES,
			 "There were more GPUs or processes than can be recorded.");
		break;
	case EVT_DEVICE_NO_THREAD:
		snprintf(text, DEVICE_TROUBLE_BYTES,
			 "The state of GPUs was not recorded: the collector got no thread.");
		break;
	default:
		snprintf(text, DEVICE_TROUBLE_BYTES, "NVML: trouble %u with %s.",
			 (unsigned int)trouble->told.trouble, what);
	}
	return text;
}
