/* SPDX-License-Identifier: MIT */
/*
 * Sorts arrays by time: elements that begin with a uint64_t, their time. The elements of a
 * recording are sorted, or nearly so, or consist of a few sorted runs. So an element that is late
 * by a few places is moved there, and only runs are merged. Elements with equal times keep their
 * order.
 */
#ifndef REPORT_BASE_TIME_ORDER_H
#define REPORT_BASE_TIME_ORDER_H

#include <stddef.h>

/* `bytes` is the size of an element: a multiple of 8. */
void time_order_sort(void *array, size_t count, size_t bytes);

#endif
