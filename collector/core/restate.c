/* SPDX-License-Identifier: MIT */
/*
 * A list for each kind of event, in the order of time. Lists are searched from the end: what is
 * replaced or ends is mostly recent, and only lines of Python are many.
 */
#include "collector/core/restate.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 16u
#define LINES_FIRST 256u
#define TIME_WORDS 1u

/* Fields that identify a row: an event with the same ones takes its place. 0: none. */
struct restate_kind {
	bool is_kept;
	unsigned int keys;
};

static struct restate_kind kind_of(uint32_t id)
{
	switch (id) {
	case EVT_process:
	case EVT_thread:
	case EVT_python_sampling:
	case EVT_native_sampling:
	case EVT_device_card:
	case EVT_detail_asked:
		return (struct restate_kind){ true, 1 };
	case EVT_thread_name:
	case EVT_meta:
	case EVT_device_refused:
		return (struct restate_kind){ true, 2 };
	case EVT_module:
	case EVT_python_line:
	case EVT_python_code:
	case EVT_python_place:
	case EVT_gpu_scope:
		return (struct restate_kind){ true, 0 };
	default:
		return (struct restate_kind){ false, 0 };
	}
}

void restate_release(struct restate *restate)
{
	for (uint32_t id = 0; id < EVT_ID_LIMIT; id++)
		free(restate->rows[id].word);
	free(restate->lines.slot);
	*restate = (struct restate){ 0 };
}

static uint64_t *row_at(const struct restate_rows *rows, uint32_t index)
{
	return rows->word + (size_t)index * rows->stride;
}

static void row_remove(struct restate_rows *rows, uint32_t index)
{
	rows->count--;
	memmove(row_at(rows, index), row_at(rows, index + 1),
		(size_t)(rows->count - index) * rows->stride * sizeof(uint64_t));
}

/* Removes rows whose first `keys` fields are these: the oldest one only, or all. */
static void rows_remove(struct restate_rows *rows, const uint64_t *value, unsigned int keys,
			bool all)
{
	for (uint32_t i = 0; i < rows->count;) {
		if (memcmp(row_at(rows, i) + TIME_WORDS, value, keys * sizeof(*value)) != 0) {
			i++;
			continue;
		}
		row_remove(rows, i);
		if (!all)
			return;
	}
}

static bool rows_reserve(struct restate_rows *rows, uint32_t stride)
{
	uint32_t room = rows->room ? rows->room * 2 : ROOM_FIRST;
	uint64_t *word;

	rows->stride = stride;
	if (rows->count < rows->room)
		return true;
	if (room > RESTATE_ROWS_MAX)
		return false;
	word = realloc(rows->word, (size_t)room * stride * sizeof(*word));
	if (!word)
		return false;
	rows->word = word;
	rows->room = room;
	return true;
}

static uint64_t *line_slot(uint64_t *slot, uint32_t slots, uint64_t id)
{
	uint32_t at = (uint32_t)(id * 0x9e3779b97f4a7c15u >> 32) & (slots - 1);

	while (slot[at] && slot[at] != id)
		at = (at + 1) & (slots - 1);
	return &slot[at];
}

static bool lines_grow(struct restate *restate)
{
	uint32_t slots = restate->lines.slots ? restate->lines.slots * 2 : LINES_FIRST;
	uint64_t *slot = calloc(slots, sizeof(*slot));

	if (!slot)
		return false;
	for (uint32_t i = 0; i < restate->lines.slots; i++)
		if (restate->lines.slot[i])
			*line_slot(slot, slots, restate->lines.slot[i]) = restate->lines.slot[i];
	free(restate->lines.slot);
	restate->lines.slot = slot;
	restate->lines.slots = slots;
	return true;
}

/* A line is defined by each thread that names it. Returns whether it is new. */
static bool line_is_new(struct restate *restate, uint64_t id)
{
	uint64_t *slot;

	if (restate->lines.count >= RESTATE_ROWS_MAX ||
	    (restate->lines.count >= restate->lines.slots / 2 && !lines_grow(restate)))
		return false;
	slot = line_slot(restate->lines.slot, restate->lines.slots, id);
	if (*slot == id || !id)
		return false;
	*slot = id;
	restate->lines.count++;
	return true;
}

static void restate_add(struct restate *restate, const struct journal_event *event)
{
	struct restate_rows *rows = &restate->rows[event->id];
	uint64_t *row;

	if (!rows_reserve(rows, TIME_WORDS + event->words)) {
		restate->left_out++;
		return;
	}
	row = row_at(rows, rows->count++);
	row[0] = event->time_ns;
	memcpy(row + TIME_WORDS, event->value, event->words * sizeof(uint64_t));
}

/* Threads name their process in the second field. */
static void restate_drop_threads(struct restate *restate, uint64_t process)
{
	struct restate_rows *rows = &restate->rows[EVT_thread];

	for (uint32_t i = rows->count; i-- > 0;)
		if (row_at(rows, i)[TIME_WORDS + 1] == process)
			row_remove(rows, i);
}

static void restate_drop_process(struct restate *restate, uint64_t process)
{
	static const uint16_t of_process[] = {
		EVT_process,         EVT_thread_name,     EVT_meta,        EVT_module,
		EVT_python_sampling, EVT_native_sampling, EVT_detail_asked
	};

	if (!process)
		return;
	for (size_t i = 0; i < sizeof(of_process) / sizeof(of_process[0]); i++)
		rows_remove(&restate->rows[of_process[i]], &process, 1, true);
	restate_drop_threads(restate, process);
}

static const struct evt_thread *thread_row(const struct restate_rows *rows, uint32_t index)
{
	return (const struct evt_thread *)(const void *)(row_at(rows, index) + TIME_WORDS);
}

/* The thread of this stream has ended, and so have its name and its streams of samples. */
static void restate_drop_thread(struct restate *restate, uint64_t stream)
{
	struct restate_rows *rows = &restate->rows[EVT_thread];
	uint64_t name[2] = { 0 };

	for (uint32_t i = rows->count; i-- > 0;) {
		const struct evt_thread *thread = thread_row(rows, i);

		if (thread->stream == stream && thread->level == 0) {
			name[0] = thread->process;
			name[1] = thread->tid;
		}
	}
	rows_remove(rows, &stream, 1, true);
	for (uint32_t i = rows->count; name[0] && i-- > 0;) {
		const struct evt_thread *thread = thread_row(rows, i);

		if (thread->process == name[0] && thread->tid == name[1] && thread->level)
			row_remove(rows, i);
	}
	if (name[0])
		rows_remove(&restate->rows[EVT_thread_name], name, 2, true);
}

void restate_take(struct restate *restate, const struct journal_event *event)
{
	struct restate_kind kind = kind_of(event->id);

	if (event->id == EVT_process_end)
		restate_drop_process(restate, event->value[0]);
	else if (event->id == EVT_thread_end)
		restate_drop_thread(restate, event->value[0]);
	else if (event->id == EVT_module_end)
		rows_remove(&restate->rows[EVT_module], event->value, 2, false);
	if (!kind.is_kept ||
	    (event->id == EVT_python_line && !line_is_new(restate, event->value[0])))
		return;
	if (kind.keys)
		rows_remove(&restate->rows[event->id], event->value, kind.keys, true);
	restate_add(restate, event);
}

/* Puts the definition of a name into the open block, unless this segment has it. */
static bool restate_name(struct names *names, struct frame_writer *fw, uint64_t id)
{
	uint64_t words[3] = { id };
	size_t length;
	const char *text = texts_find(&names->texts, id, &length);

	if (!text || !texts_is_stale(&names->texts, id))
		return true;
	if (!frame_block_room(fw)) {
		frame_end_block(fw);
		frame_begin_block(fw, 0);
	}
	words[1] = (uint64_t)(uintptr_t)text;
	words[2] = length;
	if (!frame_block_room(fw) || frame_put(fw, EVT_string, 0, words))
		return false;
	texts_use(&names->texts, id);
	return true;
}

bool restate_names(struct names *names, struct frame_writer *fw, uint32_t event,
		   const uint64_t *words)
{
	const struct evt_descriptor *descriptor = &evt_descriptors[event];

	for (unsigned int i = 0; i < descriptor->field_count; i++)
		if (descriptor->field[i].codec == EVT_CODEC_name &&
		    !restate_name(names, fw, words[i]))
			return false;
	return true;
}

static bool rows_write_names(const struct restate_rows *rows, uint32_t id, struct names *names,
			     struct frame_writer *fw)
{
	for (uint32_t i = 0; i < rows->count; i++)
		if (!restate_names(names, fw, id, row_at(rows, i) + TIME_WORDS))
			return false;
	return true;
}

static bool rows_write(const struct restate_rows *rows, uint32_t id, struct frame_writer *fw)
{
	bool fits = true;

	frame_begin_block(fw, 0);
	for (uint32_t i = 0; i < rows->count && fits; i++) {
		const uint64_t *row = row_at(rows, i);

		if (!frame_block_room(fw)) {
			frame_end_block(fw);
			frame_begin_block(fw, 0);
		}
		fits = frame_block_room(fw) && !frame_put(fw, id, row[0], row + TIME_WORDS);
	}
	frame_end_block(fw);
	return fits;
}

bool restate_write(const struct restate *restate, struct names *names, struct frame_writer *fw)
{
	bool fits = true;

	frame_begin_block(fw, 0);
	for (uint32_t id = 0; id < EVT_ID_LIMIT && fits; id++)
		fits = rows_write_names(&restate->rows[id], id, names, fw);
	frame_end_block(fw);
	for (uint32_t id = 0; id < EVT_ID_LIMIT && fits; id++)
		if (restate->rows[id].count)
			fits = rows_write(&restate->rows[id], id, fw);
	return fits;
}
