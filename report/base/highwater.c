/* SPDX-License-Identifier: MIT */
/*
 * Keeps the last changes in a ring, so that a late report of a free can still lower the values
 * since then.
 */
#include "report/base/highwater.h"

void highwater_raise(struct highwater *highwater, uint64_t time_ns, uint64_t bytes)
{
	uint32_t at = highwater->next;

	highwater->now += bytes;
	if (highwater->step[at].value > highwater->settled)
		highwater->settled = highwater->step[at].value;
	highwater->step[at].time_ns = time_ns;
	highwater->step[at].value = highwater->now;
	highwater->next = (at + 1) % HIGHWATER_STEPS;
}

void highwater_lower(struct highwater *highwater, uint64_t from_ns, uint64_t bytes)
{
	highwater->now -= bytes;
	highwater_correct(highwater, from_ns, UINT64_MAX, bytes);
}

void highwater_correct(struct highwater *highwater, uint64_t from_ns, uint64_t to_ns,
		       uint64_t bytes)
{
	for (unsigned int i = 0; i < HIGHWATER_STEPS; i++) {
		uint64_t value = highwater->step[i].value;

		if (highwater->step[i].time_ns >= from_ns && highwater->step[i].time_ns < to_ns)
			highwater->step[i].value = value > bytes ? value - bytes : 0;
	}
}

uint64_t highwater_peak(const struct highwater *highwater)
{
	uint64_t peak = highwater->settled;

	for (unsigned int i = 0; i < HIGHWATER_STEPS; i++)
		if (highwater->step[i].value > peak)
			peak = highwater->step[i].value;
	return peak;
}
