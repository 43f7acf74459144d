/* SPDX-License-Identifier: MIT */
/* cases: capture_now */
/* Files have few captures, so they are found by going through them from the newest. */
#include "report/captures/captures.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/text.h"
#include "report/base/units.h"
#include "report/core/windows.h"

#define CAPTURES_KEPT_SHOWN 3u

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

static void captures_take_detail_start(void *state, const struct source_event *event, bool counts)
{
	uint64_t number = EVENT_AS(detail_start, &event->event)->number;

	(void)counts;
	if (number)
		captured_of(state, event, number)->is_recorded = true;
}

static void captures_take_detail_stop(void *state, const struct source_event *event, bool counts)
{
	uint64_t number = EVENT_AS(detail_stop, &event->event)->number;

	(void)counts;
	if (number)
		captured_of(state, event, number)->stopped_ns = event->event.time_ns;
}

static void captures_take_kept(void *state, const struct source_event *event, bool counts)
{
	struct captures *mine = state;
	const struct evt_window_kept *kept = EVENT_AS(window_kept, &event->event);

	(void)counts;
	mine->kept = memory_room(mine->kept, mine->kept_count, &mine->kept_room,
				 sizeof(*mine->kept));
	mine->kept[mine->kept_count++] = (struct kept_window){
		.request = event_name(mine->source, event, kept->request),
		.file = event_name(mine->source, event, kept->file),
		.at_ns = event->event.time_ns,
		.from_ns = kept->from_ns,
		.to_ns = kept->to_ns,
		.error = (int)kept->error
	};
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
	run_reads(run, EVT_detail_start, FIELDS_ALL, captures_take_detail_start, mine);
	run_reads(run, EVT_detail_stop, FIELDS_ALL, captures_take_detail_stop, mine);
	run_reads(run, EVT_window_kept, FIELDS_ALL, captures_take_kept, mine);
}

static void captures_release(void *state)
{
	free(((struct captures *)state)->kept);
	free(((struct captures *)state)->capture);
}

const struct analysis_kind analysis_captures = {
	.name = "captures",
	.state_bytes = sizeof(struct captures),
	.options_bytes = sizeof(struct captures_options),
	.start = captures_start,
	.release = captures_release,
};

/* "run.kept-1.evt (812 s to 934 s, when step > 3 * p50)". Returns the length. */
static size_t kept_say(const struct captures *captures, const struct kept_window *kept, char *text,
		       size_t room)
{
	const struct source_name *file = source_name_at(captures->source, kept->file);
	const struct source_name *request = source_name_at(captures->source, kept->request);
	char from[UNIT_TEXT_BYTES], to[UNIT_TEXT_BYTES], name[128] = "?", why[96] = "";
	int length;

	if (file->text)
		text_escape(name, sizeof(name), file->text, file->length);
	if (request->text)
		text_escape(why, sizeof(why), request->text, request->length);
	length = snprintf(text, room, "%s (%s to %s, %s)", name,
			  unit_format_ns(from, kept->from_ns), unit_format_ns(to, kept->to_ns),
			  why);
	return length < 0 ? 0 : (size_t)length;
}

const char *captures_say_kept(const struct captures *captures, char text[CAPTURES_KEPT_BYTES])
{
	size_t length = 0, shown = 0, copied = 0, refused = 0;
	int error = 0;

	*text = 0;
	for (size_t i = 0; i < captures->kept_count; i++) {
		const struct kept_window *kept = &captures->kept[i];

		copied += !kept->error;
		refused += kept->error != 0;
		error = kept->error ? kept->error : error;
		if (kept->error || shown == CAPTURES_KEPT_SHOWN || length >= CAPTURES_KEPT_BYTES)
			continue;
		length += (size_t)snprintf(text + length, CAPTURES_KEPT_BYTES - length, "%s",
					   shown++ ? ", " : "Kept by a rule: ");
		if (length < CAPTURES_KEPT_BYTES)
			length += kept_say(captures, kept, text + length,
					   CAPTURES_KEPT_BYTES - length);
	}
	if (copied > shown && length < CAPTURES_KEPT_BYTES)
		length += (size_t)snprintf(text + length, CAPTURES_KEPT_BYTES - length,
					   " and %zu more", copied - shown);
	if (refused && length < CAPTURES_KEPT_BYTES)
		snprintf(text + length, CAPTURES_KEPT_BYTES - length,
			 "%s%zu window%s could not be kept: %s", length ? "; " : "", refused,
			 refused == 1 ? "" : "s",
			 error == EEXIST ? "there are 16 such files already" : strerror(error));
	return text;
}

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
