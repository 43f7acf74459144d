/* SPDX-License-Identifier: MIT */
/* Two growing arrays: events and the bytes of strings. They keep their size for the next frame. */
#include "collector/core/journal.h"

#include <stdlib.h>
#include <string.h>

#define JOURNAL_ROOM_FIRST 256u
#define JOURNAL_TEXT_FIRST 8192u

void journal_init(struct journal *journal)
{
	*journal = (struct journal){ 0 };
}

void journal_release(struct journal *journal)
{
	free(journal->event);
	free(journal->text);
	*journal = (struct journal){ 0 };
}

/*
 * Makes room for `more` elements of `size` bytes after `count`; -1 at the limit or without memory.
 */
static int journal_array_reserve(void **array, size_t *room, size_t wanted, size_t size,
				 size_t limit)
{
	size_t larger = *room;
	void *moved;

	if (wanted <= *room)
		return 0;
	if (wanted > limit)
		return -1;
	while (larger < wanted)
		larger *= 2;
	moved = realloc(*array, larger * size);
	if (!moved)
		return -1;
	*array = moved;
	*room = larger;
	return 0;
}

static struct journal_event *journal_new_event(struct journal *journal)
{
	struct journal_event *event;

	if (!journal->room) {
		journal->event = malloc(JOURNAL_ROOM_FIRST * sizeof(*event));
		journal->room = journal->event ? JOURNAL_ROOM_FIRST : 0;
	}
	if (!journal->room ||
	    journal_array_reserve((void **)&journal->event, &journal->room, journal->count + 1,
				  sizeof(*event), JOURNAL_EVENTS_MAX)) {
		journal->dropped++;
		return NULL;
	}
	event = &journal->event[journal->count];
	*event = (struct journal_event){ .order = (uint32_t)journal->count };
	journal->count++;
	return event;
}

void journal_add(struct journal *journal, uint32_t id, uint64_t time_ns, const void *words,
		 size_t count)
{
	struct journal_event *event = journal_new_event(journal);

	if (!event)
		return;
	event->time_ns = time_ns;
	event->id = (uint16_t)id;
	event->words = (uint16_t)count;
	memcpy(event->value, words, count * sizeof(uint64_t));
}

static int text_reserve(struct journal *journal, size_t length)
{
	if (!journal->text_room) {
		journal->text = malloc(JOURNAL_TEXT_FIRST);
		if (!journal->text)
			return -1;
		journal->text_room = JOURNAL_TEXT_FIRST;
	}
	return journal_array_reserve((void **)&journal->text, &journal->text_room,
				     journal->text_bytes + length, 1, JOURNAL_TEXT_MAX);
}

uint64_t journal_newest_ns(const struct journal *journal)
{
	uint64_t newest_ns = 0;

	for (size_t i = 0; i < journal->count; i++) {
		if (journal->event[i].time_ns > newest_ns)
			newest_ns = journal->event[i].time_ns;
	}
	return newest_ns;
}

void journal_add_string(struct journal *journal, uint64_t id, const char *text, size_t length)
{
	const uint64_t words[] = { id, journal->text_bytes, length };

	if (text_reserve(journal, length)) {
		journal->dropped++;
		return;
	}
	memcpy(journal->text + journal->text_bytes, text, length);
	journal->text_bytes += length;
	journal_add(journal, EVT_string, journal->string_ns, words, 3);
}

static int journal_by_time(const void *one, const void *other)
{
	const struct journal_event *a = one, *b = other;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static int event_write(const struct journal *journal, const struct journal_event *event,
		       struct frame_writer *fw)
{
	uint64_t words[EVT_WORDS_MAX];

	if (event->id != EVT_string)
		return frame_put(fw, event->id, event->time_ns, event->value);
	words[0] = event->value[0];
	words[1] = (uint64_t)(uintptr_t)(journal->text + event->value[1]);
	words[2] = event->value[2];
	return frame_put(fw, EVT_string, event->time_ns, words);
}

/* The index was the order of arrival; afterwards it is the position in the list. */
static void journal_sort(struct journal *journal)
{
	qsort(journal->event, journal->count, sizeof(*journal->event), journal_by_time);
	for (size_t i = 0; i < journal->count; i++)
		journal->event[i].order = (uint32_t)i;
}

void journal_write(struct journal *journal, struct frame_writer *fw)
{
	size_t at = 0;

	journal->written = 0;
	if (!journal->count)
		return;
	journal_sort(journal);
	frame_begin_block(fw, 0);
	for (; at < journal->count; at++) {
		if (!frame_block_room(fw)) {
			frame_end_block(fw);
			frame_begin_block(fw, 0);
		}
		if (!frame_block_room(fw) || event_write(journal, &journal->event[at], fw))
			break;
	}
	frame_end_block(fw);
	journal->written = at;
}

void journal_clear(struct journal *journal, uint64_t string_ns)
{
	size_t left = journal->count - journal->written, written = journal->written;

	journal->string_ns = string_ns;
	for (size_t i = 0; i < written && journal->is_written; i++)
		journal->is_written(journal->context, &journal->event[i]);
	if (left)
		memmove(journal->event, journal->event + journal->written,
			left * sizeof(*journal->event));
	else
		journal->text_bytes = 0;
	journal->count = left;
	journal->written = 0;
}
