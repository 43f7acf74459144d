/* SPDX-License-Identifier: MIT */
/*
 * The samples of each card are kept in the order of time, so that those around a step are found by
 * halving. A step is reported long before the sample that ends after it, so nothing is joined while
 * events are read.
 */
#include "report/steps/step_clocks.h"

#include <stdlib.h>

#include "report/base/memory.h"
#include "report/base/numbers.h"

/* --- samples --- */

static struct step_clock_card *step_clocks_card(struct step_clocks *clocks, uint32_t file,
						uint32_t uuid)
{
	for (size_t i = 0; i < clocks->count; i++)
		if (clocks->card[i].file == file && clocks->card[i].uuid == uuid)
			return &clocks->card[i];
	clocks->card = memory_room(clocks->card, clocks->count, &clocks->room,
				   sizeof(*clocks->card));
	clocks->card[clocks->count] = (struct step_clock_card){ .file = file, .uuid = uuid };
	return &clocks->card[clocks->count++];
}

static void step_clocks_take(void *context, const struct device_sample_seen *seen)
{
	const struct evt_device_sample *told = seen->sample;
	struct step_clock_card *card = step_clocks_card(context, seen->file->index,
							seen->card->uuid);
	uint64_t after_ns = card->count ? card->sample[card->count - 1].to_ns : 0;

	/* a damaged file may have times that go back */
	if (seen->from_ns < after_ns || seen->time_ns <= seen->from_ns)
		return;
	card->sample = memory_room(card->sample, card->count, &card->room, sizeof(*card->sample));
	card->sample[card->count++] = (struct step_clock_sample){
		.from_ns = seen->from_ns,
		.to_ns = seen->time_ns,
		.mhz = told->sm_clock_mhz <= UINT32_MAX ? (uint32_t)told->sm_clock_mhz : 0,
		.has_reasons = told->reasons != 0,
		.is_throttled = device_sample_is_throttled(told),
	};
}

/* --- a step --- */

static bool is_known(uint64_t known_ns, uint64_t all_ns)
{
	return known_ns && (double)known_ns >= STEP_CLOCK_SHARE * (double)all_ns;
}

/* Returns the first sample that ends after the time. */
static size_t first_after(const struct step_clock_card *card, uint64_t ns)
{
	size_t low = 0, high = card->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (card->sample[middle].to_ns > ns)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static struct step_clock clock_of_card(const struct step_clock_card *card, uint64_t start_ns,
				       uint64_t end_ns)
{
	uint64_t mhz_ns = 0, reasons_ns = 0;
	struct step_clock clock = { 0 };
	double sum = 0;

	for (size_t i = first_after(card, start_ns);
	     i < card->count && card->sample[i].from_ns < end_ns; i++) {
		const struct step_clock_sample *sample = &card->sample[i];
		uint64_t from_ns = sample->from_ns > start_ns ? sample->from_ns : start_ns;
		uint64_t ns = (sample->to_ns < end_ns ? sample->to_ns : end_ns) - from_ns;

		if (sample->mhz) {
			mhz_ns += ns;
			sum += (double)ns * (double)(sample->mhz - 1);
		}
		reasons_ns += sample->has_reasons ? ns : 0;
		clock.throttled_ns += sample->is_throttled ? ns : 0;
	}
	clock.has_mhz = is_known(mhz_ns, end_ns - start_ns);
	clock.has_throttled = is_known(reasons_ns, end_ns - start_ns);
	if (clock.has_mhz)
		clock.mhz = sum / (double)mhz_ns;
	return clock;
}

static bool has_numbers(const struct device_numbers *numbers, uint32_t process)
{
	for (size_t i = 0; i < numbers->count; i++)
		if (numbers->of[i].process == process && numbers->of[i].told.visible)
			return true;
	return false;
}

static bool process_has_card(const struct device_numbers *numbers, uint32_t process, uint32_t uuid)
{
	for (size_t i = 0; i < numbers->count; i++)
		if (numbers->of[i].process == process && numbers->of[i].uuid == uuid &&
		    numbers->of[i].told.visible)
			return true;
	return false;
}

static size_t cards_of_file(const struct step_clocks *clocks, uint32_t file)
{
	size_t count = 0;

	for (size_t i = 0; i < clocks->count; i++)
		count += clocks->card[i].file == file;
	return count;
}

static void clock_join(struct step_clock *clock, const struct step_clock *other)
{
	if (other->has_mhz && (!clock->has_mhz || other->mhz < clock->mhz)) {
		clock->has_mhz = true;
		clock->mhz = other->mhz;
	}
	if (other->has_throttled &&
	    (!clock->has_throttled || other->throttled_ns > clock->throttled_ns)) {
		clock->has_throttled = true;
		clock->throttled_ns = other->throttled_ns;
	}
}

struct step_clock step_clocks_over(const struct step_clocks *clocks, uint32_t process,
				   uint64_t start_ns, uint64_t end_ns)
{
	struct source_process *const *processes;
	size_t count = source_processes(clocks->source, &processes);
	struct step_clock clock = { 0 };
	uint32_t file;
	bool named;

	if (process >= count || end_ns <= start_ns)
		return clock;
	file = processes[process]->file->index;
	named = has_numbers(clocks->numbers, process);
	if (!named && cards_of_file(clocks, file) != 1)
		return clock; /* any of them may be its own */
	for (size_t i = 0; i < clocks->count; i++) {
		const struct step_clock_card *card = &clocks->card[i];
		struct step_clock one;

		if (card->file != file ||
		    (named && !process_has_card(clocks->numbers, process, card->uuid)))
			continue;
		one = clock_of_card(card, start_ns, end_ns);
		clock_join(&clock, &one);
	}
	return clock;
}

/* --- steps by whether they were throttled --- */

/* `column`: two arrays of `steps` numbers, durations and clocks. */
static struct step_clock_side side_of(const struct step_clocks *clocks, const struct steps *steps,
				      bool throttled, uint64_t *column)
{
	uint64_t *ns = column, *mhz = column + steps->row_count;
	struct step_clock_side side = { 0 };
	size_t clocked = 0;

	for (size_t i = 0; i < steps->row_count; i++) {
		const struct step_row *row = &steps->row[i];
		struct step_clock clock = step_clocks_over(clocks, row->process, row->start_ns,
							   row->start_ns + row->total_ns);

		if (!clock.has_throttled || throttled != (clock.throttled_ns > row->total_ns / 2))
			continue;
		ns[side.steps++] = row->total_ns;
		if (clock.has_mhz)
			mhz[clocked++] = (uint64_t)(clock.mhz + 0.5);
	}
	side.p50_ns = side.steps ? numbers_median(ns, side.steps) : 0;
	side.p50_mhz = clocked ? numbers_median(mhz, clocked) : 0;
	return side;
}

struct step_clock_sides step_clocks_sides(const struct step_clocks *clocks,
					  const struct steps *steps)
{
	uint64_t *column = memory_zero(2 * steps->row_count + 1, sizeof(*column));
	struct step_clock_sides sides = {
		.throttled = side_of(clocks, steps, true, column),
		.others = side_of(clocks, steps, false, column),
	};

	free(column);
	return sides;
}

/* --- the analysis --- */

static void step_clocks_start(void *state, struct run *run, const void *options)
{
	struct step_clocks *clocks = state;

	(void)options;
	clocks->source = run_source(run);
	clocks->numbers = device_numbers_want(run, NULL);
	clocks->states = device_states_want(
		run,
		&(struct device_states_options){ .take = step_clocks_take, .context = clocks });
}

static void step_clocks_release(void *state)
{
	struct step_clocks *clocks = state;

	for (size_t i = 0; i < clocks->count; i++)
		free(clocks->card[i].sample);
	free(clocks->card);
}

const struct analysis_kind analysis_step_clocks = {
	.name = "step clocks",
	.state_bytes = sizeof(struct step_clocks),
	.options_bytes = sizeof(struct step_clocks_options),
	.start = step_clocks_start,
	.release = step_clocks_release,
};
