/* SPDX-License-Identifier: MIT */
/*
 * The schema frame: events.def as the writer knew it. Entries contain their own length, so that
 * later versions can append to them. Decodes no event.
 */
#include "collector/format/block.h"

#include <stdlib.h>
#include <string.h>

#include "collector/format/error.h"

#define TEXT_MAX 4096u /* limit for a name or a description */
#define ENTRY_MAX 16384u

/* Bytes being written. It stops at the end of the room and remembers that. */
struct sink {
	uint8_t *at;
	uint8_t *end;
	bool failed;
};

static void sink_put(struct sink *s, const void *bytes, size_t length)
{
	if (length > (size_t)(s->end - s->at)) {
		s->failed = true;
		return;
	}
	memcpy(s->at, bytes, length);
	s->at += length;
}

static void sink_put_varint(struct sink *s, uint64_t value)
{
	uint8_t bytes[CODEC_VARINT_MAX];

	sink_put(s, bytes, (size_t)(put_varint(bytes, value) - bytes));
}

static void sink_put_text(struct sink *s, const char *text)
{
	size_t length = strlen(text);

	sink_put_varint(s, length);
	sink_put(s, text, length);
}

/* Writes an entry: its length, then its bytes, which were made in another sink. */
static void sink_put_entry(struct sink *s, const struct sink *entry, const uint8_t *start)
{
	sink_put_varint(s, (uint64_t)(entry->at - start));
	sink_put(s, start, (size_t)(entry->at - start));
	s->failed |= entry->failed;
}

static void schema_write_field(struct sink *s, const struct evt_field *field)
{
	uint8_t bytes[ENTRY_MAX];
	struct sink entry = { bytes, bytes + sizeof(bytes), false };

	sink_put_text(&entry, field->name);
	sink_put_varint(&entry, field->codec);
	sink_put_text(&entry, field->doc);
	sink_put_entry(s, &entry, bytes);
}

static void schema_write_event(struct sink *s, uint32_t id)
{
	const struct evt_descriptor *event = &evt_descriptors[id];
	uint8_t bytes[ENTRY_MAX];
	struct sink entry = { bytes, bytes + sizeof(bytes), false };

	sink_put_varint(&entry, evt_numbers[id]);
	sink_put_text(&entry, event->name);
	sink_put_text(&entry, evt_family_names[event->family]);
	sink_put_text(&entry, event->doc);
	sink_put_varint(&entry, event->field_count);
	for (unsigned int i = 0; i < event->field_count; i++)
		schema_write_field(&entry, &event->field[i]);
	sink_put_entry(s, &entry, bytes);
}

size_t schema_write(uint8_t *bytes, size_t room)
{
	struct sink s = { bytes, bytes + room, false };
	uint8_t tag[4];
	uint32_t count = 0;

	put_u32(tag, FRAME_TAG_SCHEMA);
	sink_put(&s, tag, sizeof(tag));
	for (uint32_t id = 0; id < EVT_ID_LIMIT; id++)
		count += evt_descriptors[id].name != NULL;
	sink_put_varint(&s, count);
	for (uint32_t id = 0; id < EVT_ID_LIMIT; id++) {
		if (evt_descriptors[id].name)
			schema_write_event(&s, id);
	}
	return s.failed ? 0 : (size_t)(s.at - bytes);
}

/* Returns NULL, with the cursor failed, if it is no text or there is no memory. */
static char *schema_get_text(struct cursor *c)
{
	uint64_t length = get_varint(c);
	const uint8_t *bytes = length <= TEXT_MAX ? get_bytes(c, length) : NULL;
	char *text = bytes && !memchr(bytes, 0, length) ? malloc(length + 1) : NULL;

	if (!text) {
		c->failed = true;
		return NULL;
	}
	memcpy(text, bytes, length);
	text[length] = 0;
	return text;
}

/*
 * What a text explains is not kept: nobody reads it, and a job has a schema in each of its files.
 */
static void schema_skip_text(struct cursor *c)
{
	uint64_t length = get_varint(c);
	const uint8_t *bytes = length <= TEXT_MAX ? get_bytes(c, length) : NULL;

	if (!bytes || memchr(bytes, 0, length))
		c->failed = true;
}

static struct cursor schema_get_entry(struct cursor *c)
{
	uint64_t length = get_varint(c);
	const uint8_t *bytes = get_bytes(c, length);
	struct cursor entry = cursor_of(bytes ? bytes : c->at, bytes ? length : 0);

	entry.failed = !bytes;
	return entry;
}

static void schema_release_event(struct schema_event *event)
{
	for (unsigned int i = 0; i < EVT_FIELDS_MAX; i++)
		free(event->field[i].name);
	free(event->name);
	free(event->family);
	*event = (struct schema_event){ 0 };
}

void schema_release(struct schema *schema)
{
	for (uint32_t id = 0; id < EVT_ID_LIMIT; id++)
		if (schema->event[id].number)
			schema_release_event(&schema->event[id]);
}

static int schema_read_field(struct schema_field *field, struct cursor *c, uint32_t number)
{
	struct cursor entry = schema_get_entry(c);
	uint64_t codec;

	field->number = number;
	field->name = schema_get_text(&entry);
	codec = get_varint(&entry);
	schema_skip_text(&entry);
	if (entry.failed || codec == 0)
		return EVT_CORRUPT;
	field->codec = (unsigned int)codec;
	return codec < EVT_CODEC_LIMIT ? 0 : EVT_NEWER;
}

/* Index of the first field from `from` on with that name, or field_count. */
static unsigned int schema_find_field(const struct schema_event *event, unsigned int from,
				      const char *name)
{
	for (unsigned int i = from; i < event->field_count; i++) {
		if (strcmp(event->field[i].name, name) == 0)
			return i;
	}
	return event->field_count;
}

static int schema_add_absent(struct schema_event *event, const struct evt_field *own)
{
	struct schema_field *field = &event->field[event->field_count];

	if (event->field_count == EVT_FIELDS_MAX)
		return EVT_NEWER;
	event->field_count++;
	*field = (struct schema_field){ strdup(own->name), own->codec, SCHEMA_ABSENT };
	return field->name ? 0 : EVT_NO_MEMORY;
}

static bool codec_is_address(unsigned int codec)
{
	return codec == EVT_CODEC_addr || codec == EVT_CODEC_born || codec == EVT_CODEC_dies ||
	       codec == EVT_CODEC_block || codec == EVT_CODEC_serial;
}

static bool codec_is_signed(unsigned int codec)
{
	return codec == EVT_CODEC_sint || codec == EVT_CODEC_delta;
}

static bool codec_is_number(unsigned int codec)
{
	return codec == EVT_CODEC_uint || codec == EVT_CODEC_size;
}

/*
 * True if this version and the file's version of the format encode the same value in the same way.
 */
static bool codecs_agree(unsigned int file, unsigned int own)
{
	return file == own || (codec_is_address(file) && codec_is_address(own)) ||
	       (codec_is_number(file) && codec_is_number(own)) ||
	       (codec_is_signed(file) && codec_is_signed(own));
}

/* Puts the fields into the order of this program's own event with that id, if it has one. */
static int schema_order_fields(struct schema_event *event, const struct evt_descriptor *own)
{
	if (!own->name)
		return 0;
	if (strcmp(event->name, own->name) != 0)
		return EVT_CORRUPT;
	for (unsigned int i = 0; i < own->field_count; i++) {
		unsigned int at = schema_find_field(event, i, own->field[i].name);
		struct schema_field moved;
		int error = 0;

		if (at == event->field_count)
			error = schema_add_absent(event, &own->field[i]);
		if (error)
			return error;
		moved = event->field[at];
		if (!codecs_agree(moved.codec, own->field[i].codec))
			return EVT_CORRUPT;
		memmove(&event->field[i + 1], &event->field[i], (at - i) * sizeof(moved));
		event->field[i] = moved;
	}
	return 0;
}

/* Checks that an event has at most one text and one caller, and no name twice. */
static int schema_check_fields(const struct schema_event *event)
{
	unsigned int texts = 0, callers = 0;

	for (unsigned int i = 0; i < event->field_count; i++) {
		const struct schema_field *field = &event->field[i];

		if (schema_find_field(event, i + 1, field->name) < event->field_count)
			return EVT_CORRUPT;
		texts += field->codec == EVT_CODEC_text;
		callers += field->codec == EVT_CODEC_caller;
	}
	return texts > 1 || callers > 1 ? EVT_CORRUPT : 0;
}

static bool number_can_be(uint64_t number)
{
	return number && number <= EVT_NUMBER_MAX &&
	       (number < EVT_ID_BLOCKS || number >= EVT_BLOCK_NUMBERS);
}

/*
 * Returns the id for the number in this program. EVT_ID_LIMIT: there are more unknown events than
 * ids.
 */
static uint32_t schema_find_id(const struct schema *schema, uint64_t number)
{
	uint32_t id = evt_id_of_number(number);

	if (id)
		return id;
	for (id = evt_known_limit; id < EVT_ID_LIMIT && schema->event[id].name; id++)
		if (schema->event[id].number == number)
			break;
	return id;
}

static int schema_read_event(struct schema *schema, struct cursor *c)
{
	struct cursor entry = schema_get_entry(c);
	uint64_t number = get_varint(&entry), fields;
	struct schema_event *event;
	uint32_t id;
	int error;

	if (entry.failed || !number_can_be(number))
		return EVT_CORRUPT;
	id = schema_find_id(schema, number);
	if (id == EVT_ID_LIMIT)
		return EVT_NEWER;
	event = &schema->event[id];
	if (event->name)
		return EVT_CORRUPT;
	event->number = (uint32_t)number;
	event->name = schema_get_text(&entry);
	event->family = schema_get_text(&entry);
	schema_skip_text(&entry);
	fields = get_varint(&entry);
	if (entry.failed)
		return EVT_CORRUPT;
	if (fields > EVT_FIELDS_MAX)
		return EVT_NEWER;
	for (uint32_t i = 0; i < fields; i++) {
		error = schema_read_field(&event->field[i], &entry, i);
		if (error)
			return error;
		event->field_count++;
	}
	error = schema_order_fields(event, &evt_descriptors[id]);
	return error ? error : schema_check_fields(event);
}

int schema_read(struct schema *schema, const uint8_t *bytes, size_t length)
{
	struct cursor c = cursor_of(bytes, length);
	uint32_t tag = get_u32(&c);
	uint64_t count;
	int error = 0;

	*schema = (struct schema){ 0 };
	if (c.failed)
		return EVT_TRUNCATED;
	if (tag != FRAME_TAG_SCHEMA)
		return EVT_FOREIGN;
	count = get_varint(&c);
	if (count > EVT_NUMBER_MAX)
		error = EVT_CORRUPT;
	for (uint64_t i = 0; i < count && !error; i++)
		error = schema_read_event(schema, &c);
	if (!error && c.failed)
		error = EVT_CORRUPT;
	if (error)
		schema_release(schema);
	return error;
}
