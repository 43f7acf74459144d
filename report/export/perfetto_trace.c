/* SPDX-License-Identifier: MIT */
/* A trace in Perfetto's protobuf: encodes packets and interns names. */
#include "report/export/perfetto_trace.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/base/memory.h"
#include "report/export/perfetto.def"

enum perfetto_field {
#define FIELD_NUMBER(name, number) name = (number),
	PERFETTO_FIELDS(FIELD_NUMBER)
};

#define SEQUENCE 1      /* there is only one */
#define STATE_CLEARED 1 /* SEQ_INCREMENTAL_STATE_CLEARED: interned names start again */
#define NEEDS_STATE 2
#define TYPE_SPAN_END 2
#define UNIT_BYTES_SIZE 3
#define CLOCK_REAL 1 /* in ClockSnapshot */
#define CLOCK_BOOT 6 /* the clock of timestamps */
#define LANE_NAME_BYTES 96

struct perfetto_line {
	struct perfetto_place place; /* without its name */
	char *name;                  /* NULL: none */
	struct lanes lanes;
	uint32_t *of_lane; /* their tracks; 0: not yet */
	size_t of_lanes_room;
};

/* --- packets --- */

static void packet_begin(struct perfetto_trace *trace)
{
	trace->packet.length = 0;
	message_number(&trace->packet, PACKET_SEQUENCE, SEQUENCE);
}

static void packet_end(struct perfetto_trace *trace)
{
	uint8_t head[16];
	struct message front = { .byte = head, .room = sizeof(head) };

	message_varint(&front, TRACE_PACKET << 3 | 2);
	message_varint(&front, trace->packet.length);
	sink_put(trace->sink, (const char *)head, front.length);
	sink_put(trace->sink, (const char *)trace->packet.byte, trace->packet.length);
}

static void put_clock(struct message *packet, uint64_t id, uint64_t time)
{
	size_t clock = message_open(packet, CLOCKS_CLOCK);

	message_number(packet, CLOCK_ID, id);
	message_number(packet, CLOCK_TIME, time);
	message_close(packet, clock);
}

void perfetto_open(struct perfetto_trace *trace, struct sink *sink, uint64_t base_real_ns)
{
	struct message *packet = &trace->packet;

	trace->sink = sink;
	map_init(&trace->names);
	map_init(&trace->categories);
	map_init(&trace->arguments);
	map_init(&trace->tracks);
	packet_begin(trace);
	message_number(packet, PACKET_FLAGS, STATE_CLEARED);
	message_number(packet, PACKET_IS_FIRST, 1);
	if (base_real_ns) {
		size_t clocks = message_open(packet, PACKET_CLOCKS);

		put_clock(packet, CLOCK_BOOT, 0);
		put_clock(packet, CLOCK_REAL, base_real_ns);
		message_close(packet, clocks);
	}
	packet_end(trace);
}

void perfetto_release(struct perfetto_trace *trace)
{
	for (uint32_t i = 0; i < trace->line_count; i++) {
		free(trace->line[i].name);
		free(trace->line[i].of_lane);
		lanes_release(&trace->line[i].lanes);
	}
	free(trace->line);
	free(trace->of_text);
	map_release(&trace->names);
	map_release(&trace->categories);
	map_release(&trace->arguments);
	map_release(&trace->tracks);
	free(trace->body.byte);
	free(trace->interned.byte);
	free(trace->packet.byte);
	plain_text_release(&trace->plain);
}

/* --- names --- */

/* Returns the number of a text in its map; a new one becomes a field of the current packet. */
static uint64_t perfetto_trace_number_of(struct perfetto_trace *trace, struct map *map,
					 enum perfetto_field field, struct trace_text text)
{
	bool added;
	struct map_entry *entry = map_put(map, map_hash_bytes(text.text, text.length, field),
					  &added);
	size_t opened;

	if (!added)
		return entry->value;
	entry->value = ++trace->name_count;
	opened = message_open(&trace->interned, field);
	message_number(&trace->interned, INTERNED_ID, entry->value);
	message_bytes(&trace->interned, INTERNED_TEXT, text.text, text.length);
	message_close(&trace->interned, opened);
	return entry->value;
}

static uint64_t number_of_word(struct perfetto_trace *trace, struct map *map,
			       enum perfetto_field field, const char *word)
{
	return perfetto_trace_number_of(
		trace, map, field, (struct trace_text){ .text = word, .length = strlen(word) });
}

static uint64_t number_of_name(struct perfetto_trace *trace, const struct trace_text *name)
{
	uint64_t number;

	if (name->number < trace->of_text_room && trace->of_text[name->number])
		return trace->of_text[name->number];
	number = perfetto_trace_number_of(trace, &trace->names, INTERNED_NAME,
					  plain_text_clean(&trace->plain, *name));
	if (name->number) {
		trace->of_text = memory_room(trace->of_text, name->number, &trace->of_text_room,
					     sizeof(*trace->of_text));
		trace->of_text[name->number] = number;
	}
	return number;
}

/* --- tracks; the uuid of a track is its number --- */

static void describe(struct perfetto_trace *trace, uint32_t number, const struct trace_text *name)
{
	const struct perfetto_line *line = &trace->line[number - 1];
	struct message *packet = &trace->packet;
	size_t track, inner;

	packet_begin(trace);
	track = message_open(packet, PACKET_TRACK);
	message_number(packet, TRACK_UUID, number);
	if (line->place.parent)
		message_number(packet, TRACK_PARENT, line->place.parent);
	if (line->name)
		message_bytes(packet, TRACK_NAME, line->name, strlen(line->name));
	if (line->place.kind == PERFETTO_COUNTER || line->place.kind == PERFETTO_GAUGE) {
		inner = message_open(packet, TRACK_COUNTER);
		if (line->place.kind == PERFETTO_COUNTER)
			message_number(packet, COUNTER_UNIT, UNIT_BYTES_SIZE);
		message_close(packet, inner);
	} else if (line->place.kind == PERFETTO_PROCESS) {
		inner = message_open(packet, TRACK_PROCESS);
		message_number(packet, PROCESS_PID, line->place.pid);
		if (name)
			message_bytes(packet, PROCESS_NAME, name->text, name->length);
		message_close(packet, inner);
	} else if (line->place.kind == PERFETTO_THREAD) {
		inner = message_open(packet, TRACK_THREAD);
		message_number(packet, THREAD_PID, line->place.pid);
		message_number(packet, THREAD_TID, line->place.tid);
		if (name)
			message_bytes(packet, THREAD_NAME, name->text, name->length);
		message_close(packet, inner);
	}
	message_close(packet, track);
	packet_end(trace);
}

uint32_t perfetto_track(struct perfetto_trace *trace, const struct perfetto_place *place)
{
	uint64_t words[] = { place->kind, place->parent, place->pid, place->tid };
	uint64_t hash = place->name ? map_hash_bytes(place->name, strlen(place->name), 0) : 0;
	bool added;
	struct map_entry *entry = map_put(&trace->tracks,
					  map_hash_bytes(words, sizeof(words), hash), &added);
	struct perfetto_line *line;

	if (!added)
		return (uint32_t)entry->value;
	trace->line = memory_room(trace->line, trace->line_count, &trace->line_room,
				  sizeof(*trace->line));
	line = &trace->line[trace->line_count++];
	*line = (struct perfetto_line){ .place = *place };
	line->place.name = NULL;
	if (place->name) {
		size_t length = strlen(place->name) + 1;

		line->name = memcpy(memory_zero(length, 1), place->name, length);
	}
	entry->value = trace->line_count;
	describe(trace, trace->line_count, NULL);
	return trace->line_count;
}

uint32_t perfetto_lane(struct perfetto_trace *trace, uint32_t track, uint64_t start_ns,
		       uint64_t end_ns)
{
	struct perfetto_line *line = &trace->line[track - 1];
	uint32_t at = lanes_put(&line->lanes, start_ns, end_ns);
	char name[LANE_NAME_BYTES];
	uint32_t number;

	if (!at)
		return track;
	line->of_lane = memory_room(line->of_lane, at, &line->of_lanes_room,
				    sizeof(*line->of_lane));
	if (line->of_lane[at])
		return line->of_lane[at];
	snprintf(name, sizeof(name), "%.60s overlapping %u", line->name ? line->name : "", at);
	number = perfetto_track(
		trace, &(struct perfetto_place){ .kind = PERFETTO_LINE,
						 .name = *name == ' ' ? name + 1 : name,
						 .parent = line->place.kind == PERFETTO_LINE
								   ? line->place.parent
								   : track });
	trace->line[track - 1].of_lane[at] = number; /* the lines may have moved */
	return number;
}

void perfetto_name(struct perfetto_trace *trace, uint32_t track, struct trace_text name)
{
	struct trace_text clean = plain_text_clean(&trace->plain, name);

	describe(trace, track, &clean);
}

/* --- events --- */

void perfetto_event_begin(struct perfetto_trace *trace, struct perfetto_event *event,
			  enum perfetto_what what, const char *category, struct trace_text name)
{
	event->what = what;
	trace->body.length = trace->interned.length = 0;
	if (what == PERFETTO_VALUE)
		return;
	message_number(&trace->body, EVENT_CATEGORY,
		       number_of_word(trace, &trace->categories, INTERNED_CATEGORY, category));
	message_number(&trace->body, EVENT_NAME, number_of_name(trace, &name));
}

static size_t argument_open(struct perfetto_trace *trace, const char *name)
{
	uint64_t number = number_of_word(trace, &trace->arguments, INTERNED_ARGUMENT, name);
	size_t opened = message_open(&trace->body, EVENT_ARGUMENT);

	message_number(&trace->body, ARGUMENT_NAME, number);
	return opened;
}

/* A number with the highest bit set is negative: events have no such large numbers. */
void perfetto_number(struct perfetto_trace *trace, const char *name, uint64_t value)
{
	size_t opened = argument_open(trace, name);

	message_number(&trace->body, value > INT64_MAX ? ARGUMENT_SIGNED : ARGUMENT_UNSIGNED,
		       value);
	message_close(&trace->body, opened);
}

void perfetto_text(struct perfetto_trace *trace, const char *name, struct trace_text value)
{
	size_t opened = argument_open(trace, name);
	struct trace_text clean = plain_text_clean(&trace->plain, value);

	message_bytes(&trace->body, ARGUMENT_TEXT, clean.text, clean.length);
	message_close(&trace->body, opened);
}

static size_t perfetto_trace_event_open(struct perfetto_trace *trace, uint64_t time_ns)
{
	packet_begin(trace);
	message_number(&trace->packet, PACKET_TIMESTAMP, time_ns);
	message_number(&trace->packet, PACKET_FLAGS, NEEDS_STATE);
	if (trace->interned.length)
		message_bytes(&trace->packet, PACKET_INTERNED, trace->interned.byte,
			      trace->interned.length);
	trace->interned.length = 0;
	return message_open(&trace->packet, PACKET_EVENT);
}

void perfetto_event_end(struct perfetto_trace *trace, const struct perfetto_event *event)
{
	struct message *packet = &trace->packet;
	size_t opened = perfetto_trace_event_open(trace, event->start_ns);

	message_number(packet, EVENT_TYPE, event->what);
	message_number(packet, EVENT_TRACK, event->track);
	if (event->what == PERFETTO_VALUE)
		message_number(packet, EVENT_VALUE, event->value);
	if (event->flow)
		message_fixed(packet, EVENT_FLOW, event->flow);
	if (event->flow_end)
		message_fixed(packet, EVENT_FLOW_END, event->flow_end);
	message_append(packet, &trace->body);
	message_close(packet, opened);
	packet_end(trace);
	if (event->what != PERFETTO_SPAN || event->end_ns == PERFETTO_NO_END)
		return;
	opened = perfetto_trace_event_open(trace, event->end_ns);
	message_number(packet, EVENT_TYPE, TYPE_SPAN_END);
	message_number(packet, EVENT_TRACK, event->track);
	message_close(packet, opened);
	packet_end(trace);
}
