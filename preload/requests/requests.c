/* SPDX-License-Identifier: MIT */
/*
 * The thread's CPU clock is read at both edges, and which task it runs, so that the report can tell
 * what the thread did in between.
 */
#include "preload/requests/requests.h"

#include <errno.h>

#include "preload/record/recorder.h"
#include "preload/record/event.h"
#include "preload/record/strings.h"
#include "preload/record/task.h"
#include "preload/record/thread_clock.h"
#include "preload/requests/endpoint.h"

/* Returns NULL if requests are not recorded now. */
static struct recorder_lane *requests_enter(int *ret_errno)
{
	*ret_errno = errno;
	return recorder_enter(EVT_FAMILY_requests, RECORDER_IN_RECORD);
}

static uint64_t requests_edge(struct recorder_lane *lane)
{
	uint64_t ticks = thread_clock_edge(lane, recorder_now());

	task_look(lane, ticks);
	return ticks;
}

void requests_record_begin(const struct request_begun *begun)
{
	char room[ENDPOINT_BYTES];
	struct string method, endpoint;
	int saved;
	struct recorder_lane *lane = requests_enter(&saved);
	uint64_t ticks, field[4];

	if (!lane)
		return;
	method = string_of_bytes(begun->line.method, begun->line.method_length);
	endpoint = string_of_bytes(
		room, endpoint_of(begun->line.target, begun->line.target_length, room));
	field[0] = begun->connection;
	field[1] = begun->number;
	field[2] = string_id(&method, lane);
	field[3] = string_id(&endpoint, lane);
	ticks = requests_edge(lane);
	(void)recorder_put_in_block(lane, recorder_number_in_block(EVT_request_begin), ticks, field,
				    sizeof(field) / sizeof(field[0]));
	recorder_leave(lane);
	errno = saved;
}

static uint64_t requests_since(uint64_t ticks, uint64_t then)
{
	return then && ticks > then ? ticks - then : 0;
}

void requests_record_end(const struct request_ended *ended)
{
	int saved;
	struct recorder_lane *lane = requests_enter(&saved);
	uint64_t ticks;

	if (!lane)
		return;
	ticks = requests_edge(lane);
	(void)recorder_put_in_block(lane, recorder_number_in_block(EVT_request_end), ticks,
				    (uint64_t[]){ ended->connection, ended->number, ended->status,
						  ended->ending, ended->bytes_in, ended->bytes_out,
						  requests_since(ticks, ended->answered_ticks),
						  requests_since(ticks, ended->started_ticks) },
				    8);
	recorder_leave(lane);
	errno = saved;
}
