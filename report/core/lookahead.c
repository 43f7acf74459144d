/* SPDX-License-Identifier: MIT */
/*
 * Opens the files a second time and reads them with the analyses that know steps. Then it
 * translates times from the end and numbers of steps into times.
 */
#include "report/core/lookahead.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/core/analysis.h"
#include "report/session/holes.h"

#define LOOKAHEAD_UNCLEAR 1 /* marks of steps do not suffice */

bool lookahead_is_needed(const struct filter_settings *scope)
{
	return scope->from_end || scope->to_end || scope->by_step;
}

/* --- times from the end --- */

static uint64_t lookahead_time_of(bool from_end, uint64_t ns, uint64_t end_ns)
{
	if (!from_end)
		return ns;
	return ns < end_ns ? end_ns - ns : 0;
}

static int complete_time(struct filter_settings *scope, uint64_t end_ns, char *message,
			 size_t message_bytes)
{
	scope->from_ns = lookahead_time_of(scope->from_end, scope->from_ns, end_ns);
	scope->to_ns = lookahead_time_of(scope->to_end, scope->to_ns, end_ns);
	if (scope->from_ns <= scope->to_ns)
		return 0;
	snprintf(message, message_bytes,
		 "--time: what was recorded has no such time, it ended at %.3f s",
		 (double)end_ns / 1e9);
	return -1;
}

/* --- steps --- */

/* Returns the file's index in the other source; SIZE_MAX: it is not there. */
static size_t lookahead_file_find(const struct source *source, const char *path)
{
	struct source_file *const *file;
	size_t count = source_files(source, &file), at = 0;

	while (at < count && strcmp(file[at]->path, path) != 0)
		at++;
	return at < count ? at : SIZE_MAX;
}

/* Chooses the selected windows, with the file numbers of the source that will be read. */
static void windows_choose(struct windows *windows, const struct filter_settings *scope,
			   const struct source *ahead, const struct source *source)
{
	struct source_file *const *file;
	size_t kept = 0, count = source_files(ahead, &file);
	size_t *there = memory_zero(count + 1, sizeof(*there));

	for (size_t i = 0; i < count; i++)
		there[i] = lookahead_file_find(source, file[i]->path);
	for (size_t i = 0; i < windows->count; i++) {
		struct window window = windows->window[i];
		size_t index = there[window.file];

		if (window.number < scope->step_first || window.number > scope->step_last ||
		    (scope->pid != FILTER_NO_ID && scope->pid != window.pid) || index == SIZE_MAX)
			continue;
		window.file = (uint32_t)index;
		windows->window[kept++] = window;
	}
	windows->count = kept;
	free(there);
}

/* Writes which steps there are, over all processes. */
static void say_steps(const struct filter_settings *scope, const struct windows *windows,
		      char *message, size_t message_bytes)
{
	uint64_t first = UINT64_MAX, last = 0, count = 0;
	const char *of_process = scope->pid != FILTER_NO_ID ? " of that process" : "";
	const char *kind = filter_step_word(scope);

	for (size_t i = 0; i < windows->count; i++) {
		const struct window *window = &windows->window[i];

		if (scope->pid != FILTER_NO_ID && scope->pid != window->pid)
			continue;
		first = window->number < first ? window->number : first;
		last = window->number > last ? window->number : last;
		count++;
	}
	if (!count && scope->by_capture)
		snprintf(message, message_bytes,
			 "--capture: no capture was recorded%s; they are for programs that are "
			 "started with INTERCEPT_CAPTURE=trigger",
			 of_process);
	else if (!count && scope->by_request)
		snprintf(message, message_bytes,
			 "--request: no request was recorded from begin to end%s", of_process);
	else if (!count)
		snprintf(message, message_bytes,
			 "--step: no whole step was recorded%s; prof-report steps says why",
			 of_process);
	else
		snprintf(message, message_bytes,
			 "--%s: there is no such %s; %" PRIu64 " %s%s recorded, %" PRIu64
			 " to %" PRIu64,
			 kind, kind, count, kind, count == 1 ? " was" : "s were", first, last);
}

/* Narrows the time to that from the begin of the first window to the end of the last. */
static void scope_narrow(struct filter_settings *scope, const struct windows *windows)
{
	uint64_t from_ns = UINT64_MAX, to_ns = 0;

	for (size_t i = 0; i < windows->count; i++) {
		const struct window *window = &windows->window[i];

		from_ns = window->from_ns < from_ns ? window->from_ns : from_ns;
		to_ns = window->to_ns > to_ns ? window->to_ns : to_ns;
	}
	scope->windows = windows;
	scope->from_ns = from_ns > scope->from_ns ? from_ns : scope->from_ns;
	scope->to_ns = to_ns < scope->to_ns ? to_ns : scope->to_ns;
}

/* --- reading --- */

static const struct window_kind *const kinds[] = {
#define WINDOW_KIND(name) &window_kind_##name,
#include "report/families.def"
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* The kind of windows that the scope has numbers of; NULL: it has none. */
static const struct window_kind *lookahead_kind(const struct filter_settings *scope)
{
	const char *name = filter_step_word(scope);

	for (size_t i = 0; i < KINDS && scope->by_step; i++)
		if (!strcmp(kinds[i]->name, name))
			return kinds[i];
	return NULL;
}

/*
 * Finds all complete windows of the kind, and the end of the recording. `by_marks`: only by what
 * digests of segments have.
 */
static uint64_t read_ahead(struct source *ahead, const struct window_kind *kind, bool by_marks,
			   struct windows *windows)
{
	static const struct filter_settings all = { .pid = FILTER_NO_ID,
						    .tid = FILTER_NO_ID,
						    .to_ns = UINT64_MAX };
	struct run *run = run_new(ahead, &all);
	const void *state = kind ? kind->start(run, by_marks) : NULL;

	if (by_marks)
		source_seek(ahead, &(struct source_plan){ .only_digests = true });
	run_read(run, true);
	if (kind)
		kind->put(state, run, windows);
	run_free(run);
	return source_known_ns(ahead);
}

/* Sets the windows of the selected steps; returns -1 if there are none. */
static int complete_steps(struct filter_settings *scope, struct windows *windows,
			  const struct source *ahead, const struct source *source, char *message,
			  size_t message_bytes)
{
	say_steps(scope, windows, message, message_bytes);
	windows_choose(windows, scope, ahead, source);
	if (!windows->count)
		return -1;
	message[0] = '\0';
	windows_settle(windows);
	scope_narrow(scope, windows);
	return 0;
}

/*
 * Returns whether marks alone say where the selected steps are. Not of the first step, which may
 * begin with an operator, and not of a process's last one, which may be an empty one that does not
 * count.
 */
static bool marks_suffice(const struct filter_settings *scope, const struct windows *windows)
{
	size_t selected = 0;

	if (!scope->by_step || scope->by_capture)
		return true;
	for (size_t i = 0; i < windows->count; i++) {
		const struct window *window = &windows->window[i], *next = window + 1;
		bool is_last = i + 1 == windows->count || next->file != window->file ||
			       next->process != window->process;

		if (window->number < scope->step_first || window->number > scope->step_last)
			continue;
		selected++;
		if (is_last)
			return false;
	}
	return selected && scope->step_first;
}

static int lookahead_read(struct filter_settings *scope, struct windows *windows,
			  const struct source *source, struct source *ahead, bool by_marks,
			  char *message, size_t message_bytes)
{
	uint64_t end_ns = read_ahead(ahead, lookahead_kind(scope), by_marks, windows);
	int result;

	windows_sort(windows);
	if (by_marks && !marks_suffice(scope, windows))
		return LOOKAHEAD_UNCLEAR;
	result = complete_time(scope, end_ns, message, message_bytes);
	if (!result && scope->by_step)
		result = complete_steps(scope, windows, ahead, source, message, message_bytes);
	return result;
}

int lookahead_complete(struct filter_settings *scope, struct windows *ret_windows,
		       const struct source *source, char *const *paths, size_t count, char *message,
		       size_t message_bytes)
{
	static const struct source_options at_once = { .live = true };
	int result = LOOKAHEAD_UNCLEAR;

	*ret_windows = (struct windows){ .count = 0 };
	/* digests of segments have steps and captures, but no requests */
	for (int pass = scope->by_request ? 1 : 0; pass < 2 && result == LOOKAHEAD_UNCLEAR;
	     pass++) {
		struct source *ahead;

		ret_windows->count = 0;
		if (source_open(&ahead, paths, count, &at_once, message, message_bytes))
			return -1;
		(void)source_share_clocks(ahead, source);
		result = lookahead_read(scope, ret_windows, source, ahead, pass == 0, message,
					message_bytes);
		source_close(ahead);
	}
	return result;
}
