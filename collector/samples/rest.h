/* SPDX-License-Identifier: MIT */
/*
 * Looks of the sampler that would find every thread to be skipped, because all have been idle for
 * long. The collector does not wake up for those: a program that sleeps costs a quarter of the
 * looks.
 */
#ifndef COLLECTOR_SAMPLES_REST_H
#define COLLECTOR_SAMPLES_REST_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/samples/samples.h"

/* Returns how many of the next looks are not needed. */
uint32_t rest_length(const struct samples *samples);
/* Counts the looks of the rest as if they had been taken. */
void rest_end(struct samples *samples);
/* True if a process reports its Python during a rest: it is looked at now. */
bool rest_is_disturbed(const struct samples *samples);

#endif
