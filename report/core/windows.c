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

/* Whose time a window is. */
struct window_owner {
	uint32_t file, process, thread;
};

static int compare_owner(const struct window *left, struct window_owner owner)
{
	int order = windows_compare_number(left->file, owner.file);

	if (!order)
		order = windows_compare_number(left->process, owner.process);
	return order ? order : windows_compare_number(left->thread, owner.thread);
}

static struct window_owner window_owner(const struct window *window)
{
	return (struct window_owner){ window->file, window->process, window->thread };
}

static int windows_compare(const void *a, const void *b)
{
	const struct window *left = a, *right = b;
	int order = compare_owner(left, window_owner(right));

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

		if (!last || compare_owner(last, window_owner(next)) != 0 ||
		    next->from_ns > last->to_ns)
			windows->window[kept++] = *next;
		else if (next->to_ns > last->to_ns)
			last->to_ns = next->to_ns;
	}
	windows->count = kept;
}

static bool windows_find(const struct windows *windows, struct window_owner owner, uint64_t time_ns)
{
	size_t low = 0, high = windows->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct window *window = &windows->window[middle];
		int order = compare_owner(window, owner);

		if (!order && time_ns >= window->from_ns && time_ns < window->to_ns)
			return true;
		if (order < 0 || (!order && time_ns >= window->to_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

bool windows_hold(const struct windows *windows, uint32_t file, uint32_t process, uint64_t time_ns)
{
	return windows_find(windows, (struct window_owner){ file, process, 0 }, time_ns);
}

bool windows_hold_thread(const struct windows *windows, uint32_t file, uint32_t process,
			 uint32_t thread, uint64_t time_ns)
{
	return windows_hold(windows, file, process, time_ns) ||
	       windows_find(windows, (struct window_owner){ file, process, thread }, time_ns);
}
