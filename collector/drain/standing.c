/* SPDX-License-Identifier: MIT */
/* Lists are searched from the end: what ends is mostly what began last. */
#include "collector/drain/standing.h"

#include <stdlib.h>
#include <string.h>

#include "collector/core/restate.h"

#define ROOM_FIRST 16u

static uint64_t standing_part(const uint64_t *value, uint8_t part)
{
	return part ? value[part - 1] : 0;
}

static void standing_list_remove(struct standing_list *list, uint32_t index)
{
	list->count--;
	memmove(&list->entry[index], &list->entry[index + 1],
		(list->count - index) * sizeof(*list->entry));
}

static bool standing_list_add(struct standing_list *list, const struct standing_event *event,
			      const uint64_t *task)
{
	unsigned int fields = evt_descriptors[event->id].field_count;
	struct standing_entry *entry;

	if (list->count == list->room) {
		uint32_t room = list->room ? list->room * 2 : ROOM_FIRST;

		entry = room > STANDING_MAX ? NULL : realloc(list->entry, room * sizeof(*entry));
		if (!entry) {
			list->is_partial = true;
			return false;
		}
		list->entry = entry;
		list->room = room;
	}
	entry = &list->entry[list->count++];
	entry->time_ns = event->time_ns; /* field by field, because most of `value` is unused */
	entry->stream = event->stream;
	entry->process = event->process;
	entry->id = event->id;
	memcpy(entry->value, event->value, fields * sizeof(uint64_t));
	memcpy(entry->task, task, sizeof(entry->task));
	return true;
}

/* Belongs to the process, or has an identity: its end may be on any thread. */
static bool standing_is_shared(enum evt_scope_kind kind, const struct evt_role *role)
{
	return evt_scopes[kind].owner == EVT_OWNER_process || role->identity;
}

/* Returns whether the event ends the scope, whose owner has been checked. */
static bool standing_ends(const struct standing_entry *entry, const struct standing_event *event)
{
	const struct evt_role *began = evt_role_of(entry->id), *ends = evt_role_of(event->id);

	if (began->opens != ends->closes || !began->identity != !ends->identity)
		return false;
	if (ends->identity)
		return standing_part(entry->value, began->identity) ==
		       standing_part(event->value, ends->identity);
	return !ends->key ||
	       standing_part(entry->value, began->key) == standing_part(event->value, ends->key);
}

/* Whose helper a thread is, and which number it has, is known by operators that may have ended. */
static void standing_note_numbered(struct standing *standing, const struct standing_entry *entry,
				   uint64_t end_ns)
{
	const unsigned int number = offsetof(struct evt_torch_begin_ex, thread) / sizeof(uint64_t);

	if (entry->id != EVT_torch_begin_ex || !entry->value[number])
		return;
	standing->numbered.begin_ns = entry->time_ns;
	standing->numbered.end_ns = end_ns;
	memcpy(standing->numbered.value, entry->value,
	       evt_descriptors[entry->id].field_count * sizeof(uint64_t));
}

static void standing_close(struct standing *standing, struct standing_list *shared,
			   const struct standing_event *event)
{
	const struct evt_role *role = evt_role_of(event->id);
	bool is_shared = standing_is_shared(role->closes, role);
	struct standing_list *list = is_shared ? shared : &standing->list;
	uint64_t inside = standing_part(event->value, role->inside);

	if (!is_shared && standing->beyond) {
		standing->beyond--;
		return;
	}
	for (uint32_t i = list->count; i-- > 0;) {
		const struct standing_entry *entry = &list->entry[i];

		if ((is_shared && entry->process != event->process) ||
		    !standing_ends(entry, event) || (inside && inside--))
			continue;
		if (!is_shared)
			standing_note_numbered(standing, entry, event->time_ns);
		standing_list_remove(list, i);
		return;
	}
}

static void standing_hold(struct standing *standing, const struct standing_event *event,
			  unsigned int keys)
{
	struct standing_list *list = &standing->list;

	for (uint32_t i = list->count; i-- > 0;) {
		const struct standing_entry *entry = &list->entry[i];

		if (entry->id != event->id ||
		    memcmp(entry->value, event->value, keys * sizeof(uint64_t)) != 0)
			continue;
		standing_list_remove(list, i);
		break;
	}
	(void)standing_list_add(list, event, standing->task);
}

void standing_take(struct standing *standing, struct standing_list *shared,
		   const struct standing_event *event)
{
	const struct evt_role *role = evt_role_of(event->id);

	if (event->id == EVT_python_task) {
		memcpy(standing->task, event->value, sizeof(standing->task));
		standing->task_ns = event->time_ns;
	}
	if (event->id == EVT_thread_clock) {
		standing->clock_ns = event->time_ns;
		standing->clock_cpu_ns = event->value[0];
	}
	if (role->closes)
		standing_close(standing, shared, event);
	if (role->holds)
		standing_hold(standing, event, role->holds - 1u);
	if (!role->opens)
		return;
	if (standing_is_shared(role->opens, role))
		(void)standing_list_add(shared, event, standing->task);
	else if (standing->beyond || !standing_list_add(&standing->list, event, standing->task))
		standing->beyond++;
}

void standing_cut(struct standing *standing)
{
	struct standing_list *list = &standing->list;
	uint32_t count = 0;

	for (uint32_t i = 0; i < list->count; i++)
		if (evt_role_of(list->entry[i].id)->holds)
			list->entry[count++] = list->entry[i];
	list->count = count;
	standing->beyond = 0;
	standing->numbered.end_ns = 0;
}

void standing_drop_process(struct standing_list *shared, uint32_t process)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < shared->count; i++)
		if (shared->entry[i].process != process)
			shared->entry[count++] = shared->entry[i];
	shared->count = count;
}

void standing_list_release(struct standing_list *list)
{
	free(list->entry);
	*list = (struct standing_list){ 0 };
}

void standing_release(struct standing *standing)
{
	standing_list_release(&standing->list);
	*standing = (struct standing){ 0 };
}

bool standing_write_own_names(const struct standing *standing, struct names *names,
			      struct frame_writer *fw)
{
	return standing_write_names(&standing->list, names, fw) &&
	       (!standing->numbered.end_ns ||
		restate_names(names, fw, EVT_torch_begin_ex, standing->numbered.value));
}

bool standing_write_names(const struct standing_list *list, struct names *names,
			  struct frame_writer *fw)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (!restate_names(names, fw, list->entry[i].id, list->entry[i].value))
			return false;
	return true;
}

static bool standing_put_task(struct frame_writer *fw, uint64_t *now, const uint64_t *task,
			      uint64_t time_ns)
{
	if (memcmp(now, task, 3 * sizeof(*now)) == 0)
		return true;
	memcpy(now, task, 3 * sizeof(*now));
	return frame_block_room(fw) && !frame_put(fw, EVT_python_task, time_ns, task);
}

static bool standing_put(struct frame_writer *fw, uint64_t *task,
			 const struct standing_entry *entry)
{
	return standing_put_task(fw, task, entry->task, entry->time_ns) && frame_block_room(fw) &&
	       !frame_put(fw, entry->id, entry->time_ns, entry->value);
}

/* A block of its own, because scopes that are open may have begun later. */
static bool standing_write_numbered(const struct standing *standing, uint32_t stream,
				    struct frame_writer *fw)
{
	static const uint64_t nothing[EVT_FIELDS_MAX];
	bool fits;

	if (!standing->numbered.end_ns)
		return true;
	frame_begin_block(fw, stream);
	fits = frame_block_room(fw) &&
	       !frame_put(fw, EVT_torch_begin_ex, standing->numbered.begin_ns,
			  standing->numbered.value) &&
	       frame_block_room(fw) &&
	       !frame_put(fw, EVT_torch_end, standing->numbered.end_ns, nothing);
	frame_end_block(fw);
	return fits;
}

/* A block of its own, as above. */
static bool standing_write_clock(const struct standing *standing, uint32_t stream,
				 struct frame_writer *fw)
{
	bool fits;

	if (!standing->clock_ns)
		return true;
	frame_begin_block(fw, stream);
	fits = frame_block_room(fw) &&
	       !frame_put(fw, EVT_thread_clock, standing->clock_ns, &standing->clock_cpu_ns);
	frame_end_block(fw);
	return fits;
}

/* Both lists are in the order of time. */
bool standing_write(const struct standing *standing, const struct standing_list *shared,
		    uint32_t stream, struct frame_writer *fw)
{
	const struct standing_list *own = &standing->list;
	uint64_t task[3] = { 0 };
	uint32_t i = 0, j = 0;
	bool fits = standing_write_numbered(standing, stream, fw) &&
		    standing_write_clock(standing, stream, fw);

	frame_begin_block(fw, stream);
	while (fits && (i < own->count || j < shared->count)) {
		if (j < shared->count && shared->entry[j].stream != stream)
			j++;
		else if (j == shared->count ||
			 (i < own->count && own->entry[i].time_ns <= shared->entry[j].time_ns))
			fits = standing_put(fw, task, &own->entry[i++]);
		else
			fits = standing_put(fw, task, &shared->entry[j++]);
	}
	fits = fits && standing_put_task(fw, task, standing->task, standing->task_ns);
	frame_end_block(fw);
	return fits;
}
