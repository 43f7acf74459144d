/* SPDX-License-Identifier: MIT */
/*
 * For tests of advice: a training is written and read (training_recording.h), and what `bottleneck`
 * says of it looked at.
 */
#ifndef TESTS_UNIT_ADVICE_RECORDING_H
#define TESTS_UNIT_ADVICE_RECORDING_H

#include "tests/unit/training_recording.h"

static const struct advice *advice_of(const char *id)
{
	for (size_t i = 0; i < bottleneck.advice_count; i++)
		if (!strcmp(bottleneck.advice[i].rule->id, id))
			return &bottleneck.advice[i];
	return NULL;
}

/* This, and nothing else but `also`, which may be NULL. */
static const struct advice *only(const char *id, const char *also)
{
	for (size_t i = 0; i < bottleneck.advice_count; i++) {
		const char *got = bottleneck.advice[i].rule->id;

		if (strcmp(got, id) && (!also || strcmp(got, also)))
			fail_msg("%s: %s", got, bottleneck.advice[i].text);
	}
	if (!advice_of(id))
		fail_msg("no advice '%s'", id);
	assert_true(advice_of(id)->text[0]);
	return advice_of(id);
}

static inline void write_one(const struct run *run)
{
	start(1);
	write_run(1, run);
	write_beside(2, run);
	read_back();
}

/* One thing of `well` is another. */
#define CHANGED(field, value)              \
	({                                 \
		struct run changed = well; \
		changed.field = (value);   \
		changed;                   \
	})

/*
 * That advice of `run`, and no other: its value within a twentieth of `value`, and above the rule's
 * threshold.
 */
static inline void one_is_wrong(struct run run, const char *id, double value)
{
	const struct advice *advice;

	write_one(&run);
	advice = only(id, NULL);
	assert_true(advice->value > value * 0.95 && advice->value < value * 1.05);
	assert_true(advice->value > advice->rule->threshold);
	release();
}

#endif
