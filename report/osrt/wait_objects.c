/* SPDX-License-Identifier: MIT */
/*
 * A hash of process, kind, value and name finds an object. A loss of events raises the epoch of its
 * process, which makes all of its descriptors unknown.
 */
#include "report/osrt/wait_objects.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

enum wait_object_form { NOTHING, ADDRESS, PID, DESCRIPTOR };

static const struct {
	const char *word;
	enum wait_object_form form;
} kinds[] = {
#define WAIT_OBJECT(name, word, form) { word, form },
#include "collector/format/wait_objects.def"
};

const char *wait_object_word(uint64_t kind)
{
	return kind < WAIT_OBJECT_LIMIT ? kinds[kind].word : "";
}

static enum wait_object_form wait_object_form(uint64_t kind)
{
	return kind < WAIT_OBJECT_LIMIT ? kinds[kind].form : NOTHING;
}

void wait_objects_init(struct wait_objects *objects)
{
	*objects = (struct wait_objects){ 0 };
	map_init(&objects->index);
	map_init(&objects->descriptor_index);
}

void wait_objects_release(struct wait_objects *objects)
{
	map_release(&objects->index);
	map_release(&objects->descriptor_index);
	free(objects->object);
	free(objects->descriptor);
	free(objects->epoch);
}

static uint64_t epoch_of(const struct wait_objects *objects, uint32_t process)
{
	return process < objects->epochs_room ? objects->epoch[process] : 0;
}

void wait_objects_forget(struct wait_objects *objects, uint32_t process)
{
	objects->epoch = memory_room(objects->epoch, process, &objects->epochs_room,
				     sizeof(*objects->epoch));
	objects->epoch[process]++;
}

static uint64_t descriptor_hash(uint32_t process, uint64_t fd)
{
	uint64_t words[2] = { process, fd };

	return map_hash_bytes(words, sizeof(words), 0);
}

void wait_objects_open(struct wait_objects *objects, uint32_t process, uint64_t fd, uint64_t kind,
		       uint32_t name)
{
	struct map_entry *entry;
	bool added;

	entry = map_put(&objects->descriptor_index, descriptor_hash(process, fd), &added);
	if (added) {
		objects->descriptor = memory_room(objects->descriptor, objects->descriptors,
						  &objects->descriptors_room,
						  sizeof(*objects->descriptor));
		entry->value = objects->descriptors++;
	}
	objects->descriptor[entry->value] = (struct wait_descriptor){ kind, name,
								      epoch_of(objects, process) };
}

const struct wait_descriptor *wait_objects_descriptor(const struct wait_objects *objects,
						      uint32_t process, uint64_t fd)
{
	const struct map_entry *entry = map_find(&objects->descriptor_index,
						 descriptor_hash(process, fd));

	if (!entry || objects->descriptor[entry->value].epoch != epoch_of(objects, process))
		return NULL;
	return &objects->descriptor[entry->value];
}

uint32_t wait_objects_of(struct wait_objects *objects, uint32_t process, uint64_t kind,
			 uint64_t value)
{
	struct wait_object object = { process, (uint32_t)kind, value, UINT32_MAX };
	const struct wait_descriptor *known;
	struct map_entry *entry;
	bool added;

	if (wait_object_form(kind) == NOTHING)
		return 0;
	if (wait_object_form(kind) == DESCRIPTOR) {
		known = wait_objects_descriptor(objects, process, value);
		if (known && known->name) {
			object.name = known->name;
			object.value = 0;
		}
	}
	entry = map_put(&objects->index,
			map_hash_bytes((uint64_t[]){ process, kind, object.value, object.name },
				       4 * sizeof(uint64_t), 0),
			&added);
	if (added) {
		objects->object = memory_room(objects->object, objects->count, &objects->room,
					      sizeof(*objects->object));
		objects->object[objects->count] = object;
		entry->value = ++objects->count;
	}
	return (uint32_t)entry->value;
}

const char *wait_object_text(const struct wait_objects *objects, const struct source *source,
			     uint32_t number, char room[WAIT_OBJECT_BYTES], size_t *ret_length)
{
	const struct wait_object *object = &objects->object[number - 1];

	if (object->name != UINT32_MAX)
		return name_text(source_name_at(source, object->name), ret_length);
	switch (wait_object_form(object->kind)) {
	case ADDRESS:
		snprintf(room, WAIT_OBJECT_BYTES, "0x%" PRIx64, object->value);
		break;
	case PID:
		if (object->value)
			snprintf(room, WAIT_OBJECT_BYTES, "pid %" PRIu64, object->value);
		else
			strcpy(room, "any child");
		break;
	case DESCRIPTOR:
		snprintf(room, WAIT_OBJECT_BYTES, "descriptor %" PRIu64, object->value);
		break;
	case NOTHING:
		*room = 0;
		break;
	}
	*ret_length = strlen(room);
	return room;
}
