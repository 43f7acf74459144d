/* SPDX-License-Identifier: MIT */
/*
 * The rule about a GPU whose clock power or temperature holds down while it works. An idle GPU
 * lowers its clock by itself, so only busy time counts. The stake is an upper bound: what the GPU's
 * work would take less if all of it depended on the clock alone.
 */
#include "report/advice/bottleneck.h"
#include "report/base/units.h"

#define SAMPLES_ENOUGH 5u /* while throttled: one a second */
#define CLOCK_MATTERS 5.0 /* % below the highest clock */

/* How much lower the clock is while the card is throttled, %; 0: not known. */
static double throttled_by(const struct device_card *card)
{
	uint64_t limit = card->told.max_sm_clock_mhz ? card->told.max_sm_clock_mhz - 1 : 0;
	uint32_t clock = ladder_median(&card->throttled_mhz);

	if (card->throttled_mhz.count < SAMPLES_ENOUGH || !limit || clock >= limit)
		return 0;
	return 100.0 * (double)(limit - clock) / (double)limit;
}

static double throttled_share(const struct device_card *card)
{
	return card->busy_ns ? 100.0 * (double)card->any_throttled_ns / (double)card->busy_ns : 0;
}

/* Returns whether the process that runs the loop may have used the card. */
static bool is_of_loop(const struct bottleneck *bottleneck, const struct device_card *card)
{
	const struct device_numbers *numbers = bottleneck->device_numbers;

	if (card->told.chosen != EVT_DEVICE_USED)
		return false;
	if (!bottleneck->process || !numbers->count)
		return true;
	for (size_t i = 0; i < numbers->count; i++)
		if (numbers->of[i].process == bottleneck->process->index &&
		    numbers->of[i].uuid == card->uuid)
			return true;
	return false;
}

static const struct device_card *throttled_card(const struct bottleneck *bottleneck)
{
	const struct device_states *states = bottleneck->devices;
	const struct device_card *most = NULL;

	for (size_t i = 0; i < states->count; i++) {
		const struct device_card *card = &states->card[i];

		if (!is_of_loop(bottleneck, card) || throttled_by(card) < CLOCK_MATTERS)
			continue;
		if (!most || throttled_share(card) > throttled_share(most))
			most = card;
	}
	return most;
}

static const char *throttled_why(const struct device_card *card)
{
	if (card->throttled_ns[DEVICE_HEAT] >= card->throttled_ns[DEVICE_POWER])
		return card->throttled_ns[DEVICE_POWER] ? "temperature and power" : "temperature";
	return card->throttled_ns[DEVICE_HEAT] ? "power and temperature" : "power";
}

static void throttled_add_figures(struct advice *advice, const struct device_card *card)
{
	if (card->power_w.count && card->told.power_limit_mw)
		advice_add(advice, " Power was %u W at most, the limit is %u W.", card->power_w.max,
			   (unsigned int)((card->told.power_limit_mw - 1) / 1000));
	if (card->temperature_c.count)
		advice_add(advice, " Temperature was %u degrees Celsius at most.",
			   card->temperature_c.max);
}

bool advice_throttled(const struct bottleneck *bottleneck, struct advice *advice)
{
	const struct device_card *card = throttled_card(bottleneck);
	char busy[UNIT_TEXT_BYTES];
	double by;

	if (!card || !advice_exceeds(advice, throttled_share(card)))
		return false;
	by = throttled_by(card);
	advice->gain_ns = (uint64_t)((double)bottleneck->loop.gpu_ns * by / 100.0 * advice->value /
				     100.0);
	advice_say(advice,
		   "%s held the clock of the GPU %.60s down for %.0f %% of the time that it was "
		   "busy (%s): to %u MHz in the median, of %u MHz, %.0f %% less.",
		   throttled_why(card),
		   source_name_text(source_name_at(bottleneck->source, card->model)), advice->value,
		   unit_format_ns(busy, card->busy_ns), ladder_median(&card->throttled_mhz),
		   (unsigned int)(card->told.max_sm_clock_mhz - 1), by);
	throttled_add_figures(advice, card);
	return true;
}
