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
#include "preload/settings/settings.h"

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

struct request_names {
	struct string method, endpoint, path;
};

/* The lane is held. */
static void requests_put_begin(struct recorder_lane *lane, const uint64_t identity[2],
			       const struct request_names *names, struct arrival arrival)
{
	uint64_t ticks, field[7] = { identity[0], identity[1], string_id(&names->method, lane),
				     string_id(&names->endpoint, lane), arrival.waited_ns };

	field[6] = arrival.held_ns;
	field[5] = names->path.length ? string_id(&names->path, lane) : 0;
	ticks = requests_edge(lane);
	(void)recorder_put_in_block(lane, recorder_number_in_block(EVT_request_begin), ticks, field,
				    sizeof(field) / sizeof(field[0]));
}

/* Clients choose paths: what differs from very many others in its last part is a key. */
struct string requests_endpoint(struct paths *paths, const char *target, size_t target_length,
				char room[ENDPOINT_BYTES])
{
	size_t length = endpoint_of(target, target_length, room);
	struct string endpoint = string_of_bytes(room, length);

	if (paths_names(paths, endpoint.hash, 0))
		return endpoint;
	if (!paths_takes_sibling(paths, string_hash(room, endpoint_parent(room, length)))) {
		length = endpoint_generalise(room, length);
		endpoint = string_of_bytes(room, length);
	}
	if (paths_names(paths, endpoint.hash, PATHS_NAMED))
		return endpoint;
	length = endpoint_shorten(room, length, true);
	endpoint = string_of_bytes(room, length);
	if (paths_names(paths, endpoint.hash, PATHS_NAMED + PATHS_SHORTENED))
		return endpoint;
	return string_of_bytes(room, endpoint_shorten(room, length, false));
}

/* `room`: for the text. Returns the empty string if the path is not to be recorded. */
static struct string requests_path(const struct request_begun *begun, const struct string *endpoint,
				   char room[ENDPOINT_BYTES])
{
	struct string path;

	if (settings.redact & 1u << REGION_REDACT_paths ||
	    !endpoint_has_numbers(endpoint->bytes, endpoint->length))
		return string_of(NULL);
	path = string_of_bytes(
		room, endpoint_path_of(begun->line.target, begun->line.target_length, room));
	return paths_keeps(begun->paths, endpoint->hash, path.hash) ? path : string_of(NULL);
}

void requests_record_begin(const struct request_begun *begun)
{
	char pattern[ENDPOINT_BYTES], path[ENDPOINT_BYTES];
	struct request_names names;
	int saved;
	struct recorder_lane *lane = requests_enter(&saved);

	if (!lane)
		return;
	names.method = string_of_bytes(begun->line.method, begun->line.method_length);
	names.endpoint = requests_endpoint(begun->paths, begun->line.target,
					   begun->line.target_length, pattern);
	names.path = requests_path(begun, &names.endpoint, path);
	requests_put_begin(lane, (uint64_t[]){ begun->connection, begun->number }, &names,
			   arrival_look(begun->fd, begun->held_since_ns));
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
	requests_put_begin(lane, (uint64_t[]){ connection, 0 },
			   &(struct request_names){ .method = *method, .endpoint = *endpoint },
			   (struct arrival){ 0 });
	recorder_leave(lane);
	errno = saved;
}

bool requests_record_route(const struct string *method, const struct string *endpoint,
			   const struct string *route)
{
	return recorder_record(EVT_FAMILY_requests, EVT_request_route,
			       (struct recorder_field[]){ { .text = method },
							  { .text = endpoint },
							  { .text = route } },
			       3);
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
						  requests_since(ticks, ended->started_ticks),
						  requests_since(ticks, ended->body.first_ticks),
						  ended->body.pieces },
				    10);
	recorder_leave(lane);
	errno = saved;
}
