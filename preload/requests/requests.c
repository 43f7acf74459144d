/* SPDX-License-Identifier: MIT */
/*
 * The thread's CPU clock is read at both edges, and which task it runs, so that the report can tell
 * what the thread did in between.
 */
#include "preload/requests/requests.h"

#include <errno.h>
#include <stdatomic.h>

#include "preload/record/recorder.h"
#include "preload/record/event.h"
#include "preload/record/strings.h"
#include "preload/record/task.h"
#include "preload/record/thread_clock.h"
#include "preload/requests/arrival.h"
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

uint64_t requests_next_connection(void)
{
	static _Atomic uint64_t connections;

	return atomic_fetch_add_explicit(&connections, 1, memory_order_relaxed) + 1;
}

/* The lane is held; `waited_ns`: before it was received. */
static void requests_put_begin(struct recorder_lane *lane, const uint64_t identity[2],
			       const struct string *method, const struct string *endpoint,
			       uint64_t waited_ns)
{
	uint64_t ticks, field[5] = { identity[0], identity[1], string_id(method, lane),
				     string_id(endpoint, lane), waited_ns };

	ticks = requests_edge(lane);
	(void)recorder_put_in_block(lane, recorder_number_in_block(EVT_request_begin), ticks, field,
				    sizeof(field) / sizeof(field[0]));
}

void requests_record_begin(const struct request_begun *begun)
{
	char room[ENDPOINT_BYTES];
	struct string method, endpoint;
	int saved;
	struct recorder_lane *lane = requests_enter(&saved);

	if (!lane)
		return;
	method = string_of_bytes(begun->line.method, begun->line.method_length);
	endpoint = string_of_bytes(
		room, endpoint_of(begun->line.target, begun->line.target_length, room));
	requests_put_begin(lane, (uint64_t[]){ begun->connection, begun->number }, &method,
			   &endpoint, arrival_waited_ns(begun->fd));
	recorder_leave(lane);
	errno = saved;
}

void requests_record_named_begin(uint64_t connection, const struct string *method,
				 const struct string *endpoint)
{
	int saved;
	struct recorder_lane *lane = requests_enter(&saved);

	if (!lane)
		return;
	requests_put_begin(lane, (uint64_t[]){ connection, 0 }, method, endpoint, 0);
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
