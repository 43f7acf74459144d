/* SPDX-License-Identifier: MIT */
/*
 * The collector's own events (stream 0) for the open frame. They are kept until the frame is in the
 * file: if a frame cannot be written, its definitions go into the next one.
 *
 * One thread. Bounded by JOURNAL_EVENTS_MAX and JOURNAL_TEXT_MAX; events without room are counted.
 */
#ifndef COLLECTOR_CORE_JOURNAL_H
#define COLLECTOR_CORE_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

#include "collector/format/block.h"

#define JOURNAL_EVENTS_MAX 65536u
#define JOURNAL_TEXT_MAX (2u << 20)

struct journal {
	struct journal_event {
		uint64_t time_ns;
		uint32_t order; /* of arrival, so that sorting is stable */
		uint16_t id;
		uint16_t words;
		uint64_t value[EVT_WORDS_MAX];
	} * event;
	size_t count;
	size_t room;
	size_t written; /* how many were written into the open frame */
	char *text;     /* bytes of `string` events, which hold an offset until they are written */
	size_t text_bytes;
	size_t text_room;
	uint64_t string_ns; /* time of definitions: before everything else in the frame */
	uint64_t dropped;
	/* called for each event that is in the file; NULL: nobody wants to know */
	void (*is_written)(void *context, const struct journal_event *event);
	void *context;
};

void journal_init(struct journal *journal);
void journal_release(struct journal *journal);

/* Adds any event without a text field; `words` are its `count` fields. */
void journal_add(struct journal *journal, uint32_t id, uint64_t time_ns, const void *words,
		 size_t count);

/* JOURNAL_ADD(journal, time_ns, lost, .count = 3) */
#define JOURNAL_ADD(journal, time_ns, event, ...)                                        \
	journal_add(journal, EVT_##event, time_ns, &(struct evt_##event){ __VA_ARGS__ }, \
		    sizeof(struct evt_##event) / sizeof(uint64_t))

/* The latest time of the waiting events; 0 without events. */
uint64_t journal_newest_ns(const struct journal *journal);

void journal_add_string(struct journal *journal, uint64_t id, const char *text, size_t length);

/* Puts all events into blocks of stream 0, by time, or as many as the frame has room for. */
void journal_write(struct journal *journal, struct frame_writer *fw);

/*
 * The frame is in the file: forgets what was written into it. The next frame's definitions get the
 * time `string_ns`.
 */
void journal_clear(struct journal *journal, uint64_t string_ns);

#endif
