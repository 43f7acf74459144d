/* SPDX-License-Identifier: MIT */
/* A hash table by process and key, at most half full; what follows a removed slot moves up. */
#include "collector/drain/lasting.h"

#include <stdlib.h>
#include <string.h>

#include "collector/core/restate.h"

#define SLOTS_FIRST 256u

void lasting_release(struct lasting *lasting)
{
	free(lasting->slot);
	*lasting = (struct lasting){ 0 };
}

static uint32_t lasting_home(const struct lasting *lasting, uint32_t process, uint64_t key)
{
	uint64_t hash = (key ^ (uint64_t)process << 48) * 0x9e3779b97f4a7c15u;

	return (uint32_t)(hash >> 32) & (lasting->slots - 1);
}

static uint32_t lasting_find(const struct lasting *lasting, uint32_t process, uint64_t key)
{
	uint32_t at = lasting_home(lasting, process, key);

	while (lasting->slot[at].key &&
	       (lasting->slot[at].key != key || lasting->slot[at].process != process))
		at = (at + 1) & (lasting->slots - 1);
	return at;
}

static bool lasting_grow(struct lasting *lasting)
{
	struct lasting grown = { .slots = lasting->slots ? lasting->slots * 2 : SLOTS_FIRST };

	grown.slot = calloc(grown.slots, sizeof(*grown.slot));
	if (!grown.slot)
		return false;
	for (uint32_t i = 0; i < lasting->slots; i++) {
		const struct lasting_begin *begin = &lasting->slot[i];

		if (begin->key)
			grown.slot[lasting_find(&grown, begin->process, begin->key)] = *begin;
	}
	free(lasting->slot);
	lasting->slot = grown.slot;
	lasting->slots = grown.slots;
	return true;
}

static void lasting_remove(struct lasting *lasting, uint32_t at)
{
	uint32_t mask = lasting->slots - 1;

	lasting->count--;
	for (uint32_t next = (at + 1) & mask; lasting->slot[next].key; next = (next + 1) & mask) {
		const struct lasting_begin *begin = &lasting->slot[next];
		uint32_t home = lasting_home(lasting, begin->process, begin->key);

		if (((next - home) & mask) < ((next - at) & mask))
			continue; /* it would come before its home */
		lasting->slot[at] = *begin;
		at = next;
	}
	lasting->slot[at].key = 0;
}

void lasting_begins(struct lasting *lasting, const struct standing_event *event, uint64_t key)
{
	unsigned int fields = evt_descriptors[event->id].field_count;
	struct lasting_begin *begin;

	if (lasting->is_partial || !key || fields > LASTING_WORDS)
		return;
	if (lasting->count >= LASTING_MAX ||
	    (lasting->count >= lasting->slots / 2 && !lasting_grow(lasting))) {
		lasting->is_partial = true;
		return;
	}
	begin = &lasting->slot[lasting_find(lasting, event->process, key)];
	lasting->count += !begin->key;
	begin->time_ns = event->time_ns;
	begin->key = key;
	begin->process = event->process;
	begin->stream = event->stream;
	memcpy(begin->value, event->value, fields * sizeof(uint64_t));
}

void lasting_ends(struct lasting *lasting, uint32_t process, uint64_t key)
{
	uint32_t at;

	if (lasting->is_partial || !lasting->slots || !key)
		return;
	at = lasting_find(lasting, process, key);
	if (lasting->slot[at].key)
		lasting_remove(lasting, at);
}

void lasting_drop_process(struct lasting *lasting, uint32_t process)
{
	for (uint32_t at = 0; at < lasting->slots;) {
		if (lasting->slot[at].key && lasting->slot[at].process == process)
			lasting_remove(lasting, at); /* another one may be here now */
		else
			at++;
	}
}

static int lasting_by_stream(const void *one, const void *other)
{
	const struct lasting_begin *a = one, *b = other;

	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

/* The begins of processes that live, each with the stream that it is put into. */
static uint32_t lasting_list(struct lasting *lasting, const struct lasting_place *place,
			     struct lasting_begin *list)
{
	uint32_t count = 0;

	for (uint32_t at = 0; at < lasting->slots;) {
		struct lasting_begin *begin = &lasting->slot[at];
		uint32_t stream = begin->key ? place->stream_of(place->context, begin) : 0;

		if (begin->key && !stream) {
			lasting_remove(lasting, at); /* another one may be here now */
			continue;
		}
		if (begin->key) {
			list[count] = *begin;
			list[count++].stream = stream;
		}
		at++;
	}
	return count;
}

static bool lasting_put(const struct lasting_begin *list, uint32_t count, uint32_t id,
			struct frame_writer *fw)
{
	bool fits = true;

	frame_begin_block(fw, count ? list[0].stream : 0);
	for (uint32_t i = 0; i < count && fits; i++) {
		if (i && (list[i].stream != list[i - 1].stream || !frame_block_room(fw))) {
			frame_end_block(fw);
			frame_begin_block(fw, list[i].stream);
		}
		fits = frame_block_room(fw) && !frame_put(fw, id, list[i].time_ns, list[i].value);
	}
	frame_end_block(fw);
	return fits;
}

bool lasting_write_names(const struct lasting *lasting, uint32_t id, struct names *names,
			 struct frame_writer *fw)
{
	bool fits = true;

	for (uint32_t at = 0; at < lasting->slots && fits && !lasting->is_partial; at++)
		if (lasting->slot[at].key)
			fits = restate_names(names, fw, id, lasting->slot[at].value);
	return fits;
}

bool lasting_write(struct lasting *lasting, uint32_t id, const struct lasting_place *place,
		   struct frame_writer *fw)
{
	struct lasting_begin *list;
	uint32_t count;
	bool fits;

	if (lasting->is_partial || !lasting->count)
		return true;
	list = malloc(lasting->count * sizeof(*list));
	if (!list)
		return false;
	count = lasting_list(lasting, place, list);
	qsort(list, count, sizeof(*list), lasting_by_stream);
	fits = lasting_put(list, count, id, fw);
	free(list);
	return fits;
}
