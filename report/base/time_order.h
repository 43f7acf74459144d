/* SPDX-License-Identifier: MIT */
/*
 * Arrays in the order of time: elements that begin with a uint64_t, their time. What comes from a recording is in
 * order or nearly so, or is a few such runs one after the other: an element that is late by a few places is moved
 * there, and only runs are merged. Elements of equal times keep their order.
 */
#ifndef REPORT_BASE_TIME_ORDER_H
#define REPORT_BASE_TIME_ORDER_H

#include <stddef.h>

/* `bytes` of an element: a multiple of 8. */
void time_order_sort(void *array, size_t count, size_t bytes);

#endif
