/* SPDX-License-Identifier: MIT */
/*
 * The codes of RFC 7541 are canonical: those of one length follow each other, in the order of
 * hpack.def. So a code is found by counting from the shortest length on.
 */
#include "preload/requests/hpack.h"

#include <string.h>

#define NUMBER_MAX (1u << 24) /* of lengths and indices */
#define CODE_BITS_MAX 30u
#define STRING_END 256u

struct hpack_static {
	const char *name, *value;
};

static const struct hpack_static hpack_static[] = {
#define HPACK_STATIC(name, value) { name, value },
#include "preload/requests/hpack.def"
};

static const uint16_t code_count[CODE_BITS_MAX + 1] = {
#define HPACK_LENGTH(length, count) [length] = (count),
#include "preload/requests/hpack.def"
};

static const uint16_t code_symbol[] = {
#define HPACK_SYMBOL(symbol) symbol,
#include "preload/requests/hpack.def"
};

#define STATIC_FIELDS (sizeof(hpack_static) / sizeof(hpack_static[0]))

struct hpack_reader {
	const uint8_t *at, *end;
};

/* A string: the start of its text, and its whole length. */
struct hpack_string {
	size_t length;
	char text[HPACK_VALUE_BYTES];
};

/* --- numbers and strings --- */

/* The number begins in the low `bits` of the next byte. */
static bool hpack_number_read(struct hpack_reader *reader, unsigned int bits, uint32_t *ret_number)
{
	uint32_t most = (1u << bits) - 1, number;
	unsigned int shift = 0;

	if (reader->at == reader->end)
		return false;
	number = *reader->at++ & most;
	if (number == most) {
		uint8_t byte;

		do {
			if (reader->at == reader->end || shift > 21)
				return false;
			byte = *reader->at++;
			number += (uint32_t)(byte & 0x7f) << shift;
			shift += 7;
		} while (byte & 0x80);
	}
	*ret_number = number;
	return number < NUMBER_MAX;
}

static void hpack_string_put(struct hpack_string *string, uint8_t byte)
{
	if (string->length < sizeof(string->text))
		string->text[string->length] = (char)byte;
	string->length++;
}

/* What is left at the end are the first bits of the string end's code, all ones, fewer than 8. */
static bool hpack_codes_read(const uint8_t *at, size_t length, struct hpack_string *string)
{
	uint32_t code = 0, first = 0, symbols = 0;
	unsigned int bits = 0;

	for (size_t i = 0; i < length * 8; i++) {
		code = code << 1 | (at[i / 8] >> (7 - i % 8) & 1);
		first <<= 1;
		if (++bits > CODE_BITS_MAX)
			return false;
		if (code - first < code_count[bits]) {
			uint16_t symbol = code_symbol[symbols + code - first];

			if (symbol == STRING_END)
				return false;
			hpack_string_put(string, (uint8_t)symbol);
			code = first = symbols = bits = 0;
		} else {
			first += code_count[bits];
			symbols += code_count[bits];
		}
	}
	return bits < 8 && code == (1u << bits) - 1;
}

static bool hpack_string_read(struct hpack_reader *reader, struct hpack_string *string)
{
	bool is_coded = reader->at < reader->end && *reader->at & 0x80;
	uint32_t length;
	const uint8_t *from;

	string->length = 0;
	if (!hpack_number_read(reader, 7, &length) || length > (size_t)(reader->end - reader->at))
		return false;
	from = reader->at;
	reader->at += length;
	if (is_coded)
		return hpack_codes_read(from, length, string);
	memcpy(string->text, from, length < sizeof(string->text) ? length : sizeof(string->text));
	string->length = length;
	return true;
}

/* --- the table --- */

static enum hpack_name hpack_name_of(const char *name, size_t length)
{
	if (length == 7 && !memcmp(name, ":method", 7))
		return HPACK_METHOD;
	if (length == 5 && !memcmp(name, ":path", 5))
		return HPACK_PATH;
	if (length == 11 && !memcmp(name, "grpc-status", 11))
		return HPACK_GRPC_STATUS;
	return length == 7 && !memcmp(name, ":status", 7) ? HPACK_STATUS : HPACK_OTHER;
}

static uint32_t hpack_limit(const struct hpack_table *table)
{
	return table->has_limit ? table->limit : HPACK_FIRST_TABLE_BYTES;
}

/* `age`: 1 is the field that was added last. */
static struct hpack_kept *hpack_kept_at(struct hpack_table *table, uint32_t age)
{
	return &table->field[(table->next + HPACK_FIELDS - age) % HPACK_FIELDS];
}

static void hpack_make_room(struct hpack_table *table, uint32_t bytes)
{
	while (table->count && table->bytes + bytes > hpack_limit(table))
		table->bytes -= hpack_kept_at(table, table->count--)->bytes;
}

/*
 * A field larger than the table empties it. Texts cannot overtake each other: together they are
 * shorter than the fields are said to be.
 */
static void hpack_add(struct hpack_table *table, enum hpack_name name, size_t name_length,
		      const struct hpack_string *value)
{
	size_t bytes = name_length + value->length + HPACK_FIELD_BYTES;
	size_t length = value->length < sizeof(value->text) ? value->length : sizeof(value->text);
	struct hpack_kept *field = &table->field[table->next];

	hpack_make_room(table, (uint32_t)bytes);
	if (bytes > hpack_limit(table))
		return;
	*field = (struct hpack_kept){ .bytes = (uint32_t)bytes,
				      .name = name,
				      .length = name ? (uint8_t)length : 0,
				      .name_length = (uint32_t)name_length,
				      .text = table->text_next };
	for (uint32_t i = 0; i < field->length; i++)
		table->text[(field->text + i) % HPACK_TABLE_BYTES] = value->text[i];
	table->text_next = (field->text + field->length) % HPACK_TABLE_BYTES;
	table->next = (table->next + 1) % HPACK_FIELDS;
	table->bytes += (uint32_t)bytes;
	table->count++;
}

/* --- fields --- */

static void hpack_take(struct hpack_head *head, enum hpack_name name,
		       const struct hpack_string *value)
{
	struct hpack_value *to = &head->value[name];

	if (name == HPACK_OTHER)
		return;
	to->length = (uint32_t)(value->length < sizeof(to->text) ? value->length
								 : sizeof(to->text));
	memcpy(to->text, value->text, to->length);
}

/* A field of either table; `value` may be NULL if only the name is wanted. */
static bool hpack_look_up(struct hpack_table *table, uint32_t index, enum hpack_name *ret_name,
			  size_t *ret_length, struct hpack_string *value)
{
	const struct hpack_kept *kept;
	const char *name;

	if (index && index <= STATIC_FIELDS) {
		name = hpack_static[index - 1].name;
		*ret_length = strlen(name);
		*ret_name = hpack_name_of(name, *ret_length);
		if (value) {
			value->length = strlen(hpack_static[index - 1].value);
			memcpy(value->text, hpack_static[index - 1].value, value->length);
		}
		return true;
	}
	if (!index || index - STATIC_FIELDS > table->count)
		return false;
	kept = hpack_kept_at(table, (uint32_t)(index - STATIC_FIELDS));
	*ret_name = (enum hpack_name)kept->name;
	*ret_length = kept->name_length;
	for (uint32_t i = 0; value && i < kept->length; i++)
		value->text[i] = table->text[(kept->text + i) % HPACK_TABLE_BYTES];
	if (value)
		value->length = kept->length;
	return true;
}

static bool hpack_literal_read(struct hpack_table *table, struct hpack_reader *reader,
			       unsigned int bits, struct hpack_head *head)
{
	struct hpack_string string;
	enum hpack_name name;
	size_t name_length;
	uint32_t index;

	if (!hpack_number_read(reader, bits, &index))
		return false;
	if (index) {
		if (!hpack_look_up(table, index, &name, &name_length, NULL))
			return false;
	} else {
		if (!hpack_string_read(reader, &string))
			return false;
		name_length = string.length;
		name = hpack_name_of(string.text, name_length);
	}
	if (!hpack_string_read(reader, &string))
		return false;
	if (bits == 6)
		hpack_add(table, name, name_length, &string);
	hpack_take(head, name, &string);
	return true;
}

static bool hpack_field_read(struct hpack_table *table, struct hpack_reader *reader,
			     struct hpack_head *head)
{
	uint8_t first = *reader->at;
	struct hpack_string value;
	enum hpack_name name;
	size_t name_length;
	uint32_t number;

	if (first & 0x80) {
		if (!hpack_number_read(reader, 7, &number) ||
		    !hpack_look_up(table, number, &name, &name_length, &value))
			return false;
		hpack_take(head, name, &value);
		return true;
	}
	if (first & 0x40)
		return hpack_literal_read(table, reader, 6, head);
	if (!(first & 0x20))
		return hpack_literal_read(table, reader, 4, head);
	if (!hpack_number_read(reader, 5, &number) || number > HPACK_TABLE_BYTES)
		return false;
	table->limit = number;
	table->has_limit = true;
	hpack_make_room(table, 0);
	return true;
}

bool hpack_read(struct hpack_table *table, const uint8_t *block, size_t length,
		struct hpack_head *ret_head)
{
	struct hpack_reader reader = { .at = block, .end = block + length };

	for (int i = 0; i < HPACK_NAMES; i++)
		ret_head->value[i].length = 0;
	while (reader.at < reader.end)
		if (!hpack_field_read(table, &reader, ret_head))
			return false;
	return true;
}
