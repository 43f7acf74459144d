/* SPDX-License-Identifier: MIT */
/* A sorted array; windows_hold() searches it by bisection. */
#include "report/core/windows.h"

#include <stdlib.h>

#include "report/base/memory.h"

void windows_release(struct windows *windows)
{
	free(windows->window);
}

void windows_add(struct windows *windows, const struct window *window)
{
	windows->window = memory_room(windows->window, windows->count, &windows->room,
				      sizeof(*windows->window));
	windows->window[windows->count++] = *window;
}

static int windows_compare_number(uint64_t left, uint64_t right)
{
	return (left > right) - (left < right);
}

static int compare_process(const struct window *left, uint32_t file, uint32_t process)
{
	int order = windows_compare_number(left->file, file);

	return order ? order : windows_compare_number(left->process, process);
}

static int windows_compare(const void *a, const void *b)
{
	const struct window *left = a, *right = b;
	int order = compare_process(left, right->file, right->process);

	return order ? order : windows_compare_number(left->from_ns, right->from_ns);
}

void windows_sort(struct windows *windows)
{
	if (windows->count)
		qsort(windows->window, windows->count, sizeof(*windows->window), windows_compare);
}

void windows_settle(struct windows *windows)
{
	size_t kept = 0;

	windows_sort(windows);
	for (size_t i = 0; i < windows->count; i++) {
		const struct window *next = &windows->window[i];
		struct window *last = kept ? &windows->window[kept - 1] : NULL;

		if (!last || compare_process(last, next->file, next->process) != 0 ||
		    next->from_ns > last->to_ns)
			windows->window[kept++] = *next;
		else if (next->to_ns > last->to_ns)
			last->to_ns = next->to_ns;
	}
	windows->count = kept;
}

bool windows_hold(const struct windows *windows, uint32_t file, uint32_t process, uint64_t time_ns)
{
	size_t low = 0, high = windows->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct window *window = &windows->window[middle];
		int order = compare_process(window, file, process);

		if (!order && time_ns >= window->from_ns && time_ns < window->to_ns)
			return true;
		if (order < 0 || (!order && time_ns >= window->to_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}
