/* SPDX-License-Identifier: MIT */
/*
 * Requests of servers as slices of their process: several are under way on one thread, so they need
 * not nest. See producer.h.
 */
#include <stdio.h>

#include "report/trace/producer.h"

#include "report/requests/request_events.h"

#define NAME_BYTES 160

static struct trace_text trace_requests_name(const struct trace *trace,
					     const struct request_key *key, char room[NAME_BYTES])
{
	size_t method_length, endpoint_length;
	const char *method = name_text(source_name_at(trace->source, key->method), &method_length);
	const char *endpoint = name_text(source_name_at(trace->source, key->endpoint),
					 &endpoint_length);
	int length = snprintf(room, NAME_BYTES, "%.*s %.*s",
			      (int)(method_length < 24 ? method_length : 24), method,
			      (int)(endpoint_length < 130 ? endpoint_length : 130), endpoint);

	return (struct trace_text){ .text = room, .length = length > 0 ? (size_t)length : 0 };
}

static void trace_requests_take(void *context, const struct request_key *key,
				const struct source_thread *thread, uint64_t end_ns)
{
	struct trace *trace = context;
	char name[NAME_BYTES];
	struct trace_list list = { .count = 0 };

	trace_add_number(&list, TRACE_OF_STATUS, key->status);
	trace_put_slice(
		trace, thread,
		(struct trace_slice){ .event = { .category = TRACE_ANNOTATION,
						 .name = trace_requests_name(trace, key, name),
						 .time_ns = key->start_ns,
						 .argument = list.argument,
						 .arguments = list.count },
				      .duration_ns = end_ns - key->start_ns,
				      .id = ++trace->ids });
}

void trace_requests_start(struct trace *trace, struct run *run)
{
	(void)requests_want(run, &(struct requests_options){ .by = BY_requests_endpoint,
							     .take = trace_requests_take,
							     .context = trace });
}
