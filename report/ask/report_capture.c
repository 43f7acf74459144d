/* SPDX-License-Identifier: MIT */
/* Report `capture`: asks every collector first, then waits for all of them. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collector/control/trigger.h"
#include "collector/format/events.h"
#include "report/ask/collectors.h"
#include "report/base/talk.h"
#include "report/base/text.h"
#include "report/base/units.h"
#include "report/core/report_kind.h"

#define POLL_NS 50000000L

static const char *option_text(const struct report_request *request, enum report_option option)
{
	return request->options->of_report[option].text;
}

/* Writes the request as trigger.h reads it. */
static int capture_request_write(struct report_request *request, char text[CONTROL_TEXT_BYTES])
{
	const char *length = option_text(request, REPORT_OPTION_for);
	const char *steps = option_text(request, REPORT_OPTION_steps);
	const char *ranks = option_text(request, REPORT_OPTION_ranks);
	const char *begin = steps && strstr(steps, "..") ? "steps" : "now";
	char why[TRIGGER_WHY_BYTES];
	struct trigger trigger;

	if (length && steps) {
		snprintf(request->message, sizeof(request->message),
			 "--for and --steps are both given; a capture has one of them");
		return STATUS_USAGE;
	}
	if (steps && begin[0] == 's')
		snprintf(text, CONTROL_TEXT_BYTES, "steps %.100s", steps);
	else if (steps)
		snprintf(text, CONTROL_TEXT_BYTES, "now steps %.100s", steps);
	else
		snprintf(text, CONTROL_TEXT_BYTES, "now for %.100s", length ? length : "10s");
	if (ranks)
		snprintf(text + strlen(text), CONTROL_TEXT_BYTES - strlen(text), " ranks %.250s",
			 ranks);
	if (trigger_parse(text, strlen(text), &trigger, why)) {
		snprintf(request->message, sizeof(request->message), "--%s: %s",
			 steps ? "steps" : "for", why);
		return STATUS_USAGE;
	}
	return STATUS_OK;
}

/* What the collector answered; true if it makes the capture. */
static bool answer_take(const struct asked_collector *collector, char *message,
			size_t message_bytes)
{
	const struct control *seen = &collector->seen;

	switch (atomic_load(&seen->answer)) {
	case CONTROL_TAKEN:
		return true;
	case CONTROL_BUSY:
		snprintf(message, message_bytes,
			 "capture %u of '%s' is under way; ask again when it is over", seen->number,
			 collector->path);
		return false;
	case CONTROL_OTHER_RANK:
		*message = 0; /* its rank is not asked for */
		return false;
	default:
		snprintf(message, message_bytes, "'%s': %s", collector->path, seen->text);
		return false;
	}
}

static bool capture_is_over(struct asked_collector *collector, uint32_t number, bool *ret_is_alive)
{
	*ret_is_alive = collector_look(collector);
	return !*ret_is_alive || collector->seen.newest != number ||
	       collector->seen.phase == CONTROL_DONE;
}

static void result_print(const struct asked_collector *collector, uint32_t number)
{
	const struct control *seen = &collector->seen;
	char from[UNIT_TEXT_BYTES], length[UNIT_TEXT_BYTES];
	uint64_t begin_ns = seen->begin_ns, end_ns = seen->end_ns;

	text_print(stdout, collector->path);
	printf(": capture %u: ", number);
	if (seen->newest != number)
		printf("over; a later one has begun\n");
	else if (seen->how == EVT_CAPTURE_PASSED)
		printf("nothing: these steps were over before it was asked for\n");
	else if (seen->how == EVT_CAPTURE_IDLE)
		printf("given up: no step began for 60 s; without steps, use --for\n");
	else if (!seen->how || end_ns < begin_ns)
		printf("from %s on, until the program ended\n", unit_format_ns(from, begin_ns));
	else
		printf("%s from %s on%s\n", unit_format_ns(length, end_ns - begin_ns),
		       unit_format_ns(from, begin_ns),
		       seen->how == EVT_CAPTURE_LEFT ? ", until the program ended" : "");
}

static void capture_wait(struct asked_collector *collector)
{
	const struct timespec nap = { .tv_nsec = POLL_NS };
	uint32_t number = collector->seen.number;
	bool is_alive;

	while (!capture_is_over(collector, number, &is_alive))
		nanosleep(&nap, NULL);
	result_print(collector, number);
}

static int capture_all(struct report_request *request, struct collectors *collectors,
		       const char *text)
{
	size_t taken = 0;
	int status = STATUS_OK;

	for (size_t i = 0; i < collectors->count; i++) {
		struct asked_collector *collector = &collectors->collector[i];
		char message[PATH_MAX + CONTROL_TEXT_BYTES + 64] = "";

		if (!collector_ask(collector, text, message, sizeof(message)) &&
		    answer_take(collector, message, sizeof(message))) {
			collectors->collector[taken++] = *collector;
			continue;
		}
		close(collector->fd);
		if (!*message)
			continue;
		status = STATUS_INPUT;
		talk_print("%s", message);
	}
	collectors->count = taken;
	if (!taken && !status) {
		snprintf(request->message, sizeof(request->message),
			 "none of these ranks has a collector on this machine");
		status = STATUS_INPUT;
	}
	for (size_t i = 0; i < taken; i++)
		capture_wait(&collectors->collector[i]);
	return status;
}

static int capture_files(struct report_request *request)
{
	char text[CONTROL_TEXT_BYTES];
	struct collectors collectors;
	int status = capture_request_write(request, text);

	if (status)
		return status;
	if (request->options->file_count != 1) {
		snprintf(request->message, sizeof(request->message),
			 "capture takes one pid or one recording, not %zu; its session is found",
			 request->options->file_count);
		return STATUS_USAGE;
	}
	if (collectors_find(&collectors, request->options->file[0], request->message,
			    sizeof(request->message)))
		status = STATUS_INPUT;
	else
		status = capture_all(request, &collectors, text);
	collectors_release(&collectors);
	return status;
}

const struct report_kind report_kind_capture = { .read_files = capture_files };
