/* SPDX-License-Identifier: MIT */
/*
 * A trace in Perfetto's protobuf: packets of one sequence, in the order in which they are made;
 * trace_processor sorts them by time. Names are interned: a packet that uses a new name defines it.
 * Knows nothing of what events mean.
 *
 * An event is begun, may get arguments, and is ended:
 *
 *   perfetto_event_begin(trace, &event, PERFETTO_SPAN, "cpu_op", name);
 *   perfetto_number(trace, "bytes", 42);
 *   perfetto_event_end(trace, &event);
 *
 * Times are ns since the recording's begin; a clock snapshot gives the real time of the begin.
 * Memory grows with names and tracks. One thread. Format:
 * perfetto.dev/docs/reference/trace-packet-proto, "Synthetic track events".
 */
#ifndef REPORT_EXPORT_PERFETTO_TRACE_H
#define REPORT_EXPORT_PERFETTO_TRACE_H

#include "report/base/map.h"
#include "report/export/lanes.h"
#include "report/export/plain_text.h"
#include "report/export/protobuf.h"
#include "report/export/sink.h"

#define PERFETTO_NO_END LANE_NO_END

enum perfetto_kind {
	PERFETTO_PROCESS,
	PERFETTO_THREAD,
	PERFETTO_LINE,    /* anything with a name */
	PERFETTO_COUNTER, /* in bytes */
	PERFETTO_GAUGE    /* of any unit, which the name says */
};

/* Identifies a track; two with the same place are one track. */
struct perfetto_place {
	enum perfetto_kind kind;
	uint32_t parent; /* number of a track; 0: none */
	uint64_t pid, tid;
	const char *name; /* NULL: none. Our own text, plain ASCII */
};

enum perfetto_what { PERFETTO_SPAN = 1, PERFETTO_MOMENT = 3, PERFETTO_VALUE = 4 };

struct perfetto_event {
	uint32_t track;
	uint64_t start_ns, end_ns;
	uint64_t flow, flow_end; /* numbers of arrows; 0: none */
	uint64_t value;          /* of a PERFETTO_VALUE */
	enum perfetto_what what; /* given at the begin */
};

struct perfetto_trace {
	struct sink *sink;
	struct message body;     /* of the current event: its TrackEvent without track and flows */
	struct message interned; /* names that its packet defines */
	struct message packet;
	struct map names, categories, arguments; /* from the hash of the text to its number */
	uint64_t name_count;
	uint64_t *of_text; /* by a name's number, 0: not yet */
	size_t of_text_room;
	struct map tracks; /* from the hash of the place to its number */
	struct perfetto_line *line;
	uint32_t line_count;
	size_t line_room;
	struct plain_text plain;
};

void perfetto_open(struct perfetto_trace *trace, struct sink *sink, uint64_t base_real_ns);
void perfetto_release(struct perfetto_trace *trace);

/* Returns the number of the track, which is made if it is new. */
uint32_t perfetto_track(struct perfetto_trace *trace, const struct perfetto_place *place);
/* Returns the track for a span: `track`, or one below it if the span would cross another there. */
uint32_t perfetto_lane(struct perfetto_trace *trace, uint32_t track, uint64_t start_ns,
		       uint64_t end_ns);
/* Sets the name of a process or thread, which may be any bytes. */
void perfetto_name(struct perfetto_trace *trace, uint32_t track, struct trace_text name);

/* `category` is our own text and stays valid. */
void perfetto_event_begin(struct perfetto_trace *trace, struct perfetto_event *event,
			  enum perfetto_what what, const char *category, struct trace_text name);
void perfetto_number(struct perfetto_trace *trace, const char *name, uint64_t value);
void perfetto_text(struct perfetto_trace *trace, const char *name, struct trace_text value);
void perfetto_event_end(struct perfetto_trace *trace, const struct perfetto_event *event);

#endif
