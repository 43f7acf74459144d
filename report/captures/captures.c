/* SPDX-License-Identifier: MIT */
/* cases: capture_now */
/* Files have few captures, so they are found by going through them from the newest. */
#include "report/captures/captures.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/core/windows.h"

static struct captured *captured_of(struct captures *mine, const struct source_event *event,
				    uint64_t number)
{
	for (size_t i = mine->count; i-- > 0;)
		if (mine->capture[i].file == event->file->index &&
		    mine->capture[i].number == number)
			return &mine->capture[i];
	mine->capture = memory_room(mine->capture, mine->count, &mine->room,
				    sizeof(*mine->capture));
	mine->capture[mine->count] = (struct captured){ .file = event->file->index,
							.number = number,
							.begin_ns = event->event.time_ns };
	return &mine->capture[mine->count++];
}

static void captures_take_begin(void *state, const struct source_event *event, bool counts)
{
	struct captures *mine = state;
	const struct evt_capture_begin *begin = EVENT_AS(capture_begin, &event->event);
	struct captured *capture = captured_of(mine, event, begin->number);

	(void)counts;
	capture->from = (uint32_t)begin->from;
	capture->request = event_name(mine->source, event, begin->request);
}

static void captures_take_end(void *state, const struct source_event *event, bool counts)
{
	const struct evt_capture_end *end = EVENT_AS(capture_end, &event->event);
	struct captured *capture = captured_of(state, event, end->number);

	(void)counts;
	capture->how = (uint32_t)end->how;
	capture->end_ns = event->event.time_ns;
}

static void captures_take_start(void *state, const struct source_event *event, bool counts)
{
	uint64_t number = EVENT_AS(capture_start, &event->event)->number;

	(void)counts;
	if (number)
		captured_of(state, event, number)->is_recorded = true;
}

static void captures_take_stop(void *state, const struct source_event *event, bool counts)
{
	uint64_t number = EVENT_AS(capture_stop, &event->event)->number;

	(void)counts;
	if (number)
		captured_of(state, event, number)->stopped_ns = event->event.time_ns;
}

static void captures_take_refused(void *state, const struct source_event *event, bool counts)
{
	(void)event;
	(void)counts;
	((struct captures *)state)->refused++;
}

static void captures_start(void *state, struct run *run, const void *options)
{
	struct captures *mine = state;

	(void)options;
	mine->source = run_source(run);
	run_reads(run, EVT_capture_begin, FIELDS_ALL, captures_take_begin, mine);
	run_reads(run, EVT_capture_end, FIELDS_ALL, captures_take_end, mine);
	run_reads(run, EVT_capture_refused, 0, captures_take_refused, mine);
	run_reads(run, EVT_capture_start, FIELDS_ALL, captures_take_start, mine);
	run_reads(run, EVT_capture_stop, FIELDS_ALL, captures_take_stop, mine);
}

static void captures_release(void *state)
{
	free(((struct captures *)state)->capture);
}

const struct analysis_kind analysis_captures = {
	.name = "captures",
	.state_bytes = sizeof(struct captures),
	.options_bytes = sizeof(struct captures_options),
	.start = captures_start,
	.release = captures_release,
};

size_t captures_recorded(const struct captures *captures)
{
	size_t count = 0;

	for (size_t i = 0; i < captures->count; i++)
		count += captures->capture[i].is_recorded;
	return count;
}

/* A process may notice the end a moment after the collector: what it recorded belongs to it. */
uint64_t captured_end_ns(const struct captures *captures, const struct captured *capture)
{
	if (!capture->end_ns)
		return source_end_ns(captures->source);
	return capture->stopped_ns > capture->end_ns ? capture->stopped_ns : capture->end_ns;
}

/* --- the option --capture of all reports --- */

static const void *captures_window_start(struct run *run, bool by_marks)
{
	(void)by_marks; /* digests have all that is read */
	return captures_want(run, NULL);
}

static void captures_window_put(const void *state, const struct run *run, struct windows *windows)
{
	const struct captures *captures = state;
	struct source_process *const *process;
	size_t count = source_processes(run_source(run), &process);

	for (size_t i = 0; i < captures->count; i++) {
		const struct captured *capture = &captures->capture[i];

		for (size_t j = 0; j < count && capture->is_recorded; j++) {
			if (process[j]->file->index != capture->file)
				continue;
			windows_add(windows,
				    &(struct window){ .file = capture->file,
						      .process = process[j]->number,
						      .pid = process[j]->pid,
						      .number = capture->number,
						      .from_ns = capture->begin_ns,
						      .to_ns = captured_end_ns(captures, capture) +
							       1 });
		}
	}
}

const struct window_kind window_kind_capture = {
	.name = "capture",
	.start = captures_window_start,
	.put = captures_window_put,
};
