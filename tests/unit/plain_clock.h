/* SPDX-License-Identifier: MIT */
/* Stands for preload/base/clock.c in tests that are not about clocks. One file includes it. */
#ifndef TESTS_UNIT_PLAIN_CLOCK_H
#define TESTS_UNIT_PLAIN_CLOCK_H

#include "preload/base/clock.h"

bool clock_is_tsc = true;
int (*clock_of_kernel)(clockid_t clock, struct timespec *ret_time) = clock_gettime;

#endif
