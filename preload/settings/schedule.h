/* SPDX-License-Identifier: MIT */
/*
 * INTERCEPT_SCHEDULE: which steps are recorded, with the meaning of torch.profiler.schedule()
 * (torch/profiler/profiler.py). Nothing is recorded for the first skip_first steps. Then follow
 * cycles of wait, warmup and active steps, `repeat` of them (0: without end). Pure functions, which
 * do not know what a step is.
 */
#ifndef PRELOAD_SETTINGS_SCHEDULE_H
#define PRELOAD_SETTINGS_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

/* torch.profiler.ProfilerAction, by value. */
enum schedule_action {
	SCHEDULE_NONE,
	SCHEDULE_WARMUP, /* torch.profiler discards what happens here; we record nothing */
	SCHEDULE_RECORD,
	SCHEDULE_RECORD_AND_SAVE, /* the last step of a cycle */
};

/* active 0: there is no schedule. */
struct schedule {
	unsigned int wait, warmup, active, repeat, skip_first, skip_first_wait;
};

/*
 * Parses "wait=1,warmup=1,active=3,repeat=2" in any order, each key at most once. active must be
 * given and not 0; missing keys are 0. If it returns false, the result is untouched.
 */
bool schedule_parse(const char *text, struct schedule *ret_schedule);

enum schedule_action schedule_action(const struct schedule *schedule, uint64_t step);

static inline bool schedule_records(const struct schedule *schedule, uint64_t step)
{
	return schedule_action(schedule, step) >= SCHEDULE_RECORD;
}

#endif
