/* SPDX-License-Identifier: MIT */
/*
 * How often small numbers occurred, exactly: clocks in MHz, watts, degrees, percent. Numbers of
 * LADDER_STEPS and more count as the largest below. Memory: 16 KiB after the first number.
 */
#ifndef REPORT_DEVICE_LADDER_H
#define REPORT_DEVICE_LADDER_H

#include <stdint.h>

#define LADDER_STEPS 4096u

struct ladder {
	uint32_t *of; /* NULL: no number yet */
	uint64_t count, sum;
	uint32_t min, max;
};

void ladder_release(struct ladder *ladder);
void ladder_add(struct ladder *ladder, uint64_t value);
/* The smallest number that at least half of them do not exceed; 0 without numbers. */
uint32_t ladder_median(const struct ladder *ladder);

#endif
