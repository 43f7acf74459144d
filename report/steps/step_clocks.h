/* SPDX-License-Identifier: MIT */
/*
 * The clock of the GPU during steps, from the samples that NVML told once a second: a sample stands
 * for the time since the one before it (device/device_states.h). So of a step that is shorter than
 * a second, the clock is that of the second around it.
 *
 * A process is on the cards that CUPTI named for it, or on the only card of its file. The clock of
 * a step is not known if samples cover less than STEP_CLOCK_SHARE of it. Memory grows with samples.
 * To be used by one thread, once all is read.
 */
#ifndef REPORT_STEPS_STEP_CLOCKS_H
#define REPORT_STEPS_STEP_CLOCKS_H

#include "report/core/analysis.h"
#include "report/device/device_numbers.h"
#include "report/device/device_states.h"
#include "report/steps/steps.h"

#define STEP_CLOCK_SHARE 0.9

struct step_clock_sample {
	uint64_t from_ns, to_ns;
	uint32_t mhz; /* plus 1; 0: NVML refused it */
	bool has_reasons, is_throttled;
};

/* A card as one file tells about it. */
struct step_clock_card {
	uint32_t file, uuid;
	struct step_clock_sample *sample; /* in the order of time, none overlap */
	size_t count, room;
};

struct step_clocks {
	const struct device_states *states;
	const struct device_numbers *numbers;
	const struct source *source;
	struct step_clock_card *card;
	size_t count, room;
};
struct step_clocks_options {
	uint32_t none;
};
ANALYSIS(step_clocks, struct step_clocks)

/* If a process used several cards: the clock of the slowest, the time of the most throttled. */
struct step_clock {
	bool has_mhz, has_throttled;
	double mhz;            /* mean of the multiprocessors' clock */
	uint64_t throttled_ns; /* power or temperature held the clock down */
};

struct step_clock step_clocks_over(const struct step_clocks *clocks, uint32_t process,
				   uint64_t start_ns, uint64_t end_ns);

/* Steps that were throttled for more than half of their time, and the others. */
struct step_clock_side {
	uint64_t steps, p50_ns, p50_mhz; /* p50_mhz: 0 if unknown */
};
struct step_clock_sides {
	struct step_clock_side throttled, others;
};
/* Steps of which it is not known are in neither. */
struct step_clock_sides step_clocks_sides(const struct step_clocks *clocks,
					  const struct steps *steps);

#endif
