/* SPDX-License-Identifier: MIT */
/* A hash table with open addressing, at most half full. */
#include "collector/samples/codes.h"

#include <stdlib.h>
#include <string.h>

#include "collector/processes/redact.h"
#include "collector/region/line_table.h"

#define NAME_BYTES_MAX 1024u
#define TABLE_BYTES_MAX (64u << 10)
#define SLOTS_FIRST 1024u
#define UNIT_BYTES 2u /* of an instruction, from 3.6 on */

void codes_init(struct codes *codes, struct common *common, struct places *places)
{
	*codes = (struct codes){ .common = common, .places = places };
	packages_init(&codes->packages, common);
}

void codes_release(struct codes *codes)
{
	free(codes->known);
	free(codes->line);
	packages_release(&codes->packages);
	*codes = (struct codes){ 0 };
}

static uint32_t codes_hash_of(uint64_t one, uint64_t other)
{
	return (uint32_t)(((one ^ other * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u) >> 32);
}

/* --- code objects --- */

static struct code_known *codes_known_find(const struct codes *codes, uint64_t process,
					   uint64_t address)
{
	uint32_t at = codes_hash_of(address, process) & (codes->known_slots - 1);

	while (codes->known[at].process &&
	       (codes->known[at].process != process || codes->known[at].address != address))
		at = (at + 1) & (codes->known_slots - 1);
	return &codes->known[at];
}

/* Makes room for one more; returns -1 without memory. */
static int known_reserve(struct codes *codes)
{
	uint32_t slots = codes->known_slots ? codes->known_slots * 2 : SLOTS_FIRST;
	struct codes larger = *codes;

	if (codes->known_count * 2 < codes->known_slots)
		return 0;
	if (slots > CODES_KNOWN_MAX * 2) {
		memset(codes->known, 0, codes->known_slots * sizeof(*codes->known));
		codes->known_count = 0;
		return 0;
	}
	larger.known_slots = slots;
	larger.known = calloc(slots, sizeof(*larger.known));
	if (!larger.known)
		return -1;
	for (uint32_t i = 0; i < codes->known_slots; i++)
		if (codes->known[i].process)
			*codes_known_find(&larger, codes->known[i].process,
					  codes->known[i].address) = codes->known[i];
	free(codes->known);
	*codes = larger;
	return 0;
}

/* Writes a Latin-1 or wider character as UTF-8; returns its length. */
static size_t put_utf8(char *to, uint32_t character)
{
	if (character < 0x80) {
		to[0] = (char)character;
		return 1;
	}
	if (character < 0x800) {
		to[0] = (char)(0xc0 | character >> 6);
		to[1] = (char)(0x80 | (character & 63));
		return 2;
	}
	if (character < 0x10000) {
		to[0] = (char)(0xe0 | character >> 12);
		to[1] = (char)(0x80 | (character >> 6 & 63));
		to[2] = (char)(0x80 | (character & 63));
		return 3;
	}
	to[0] = (char)(0xf0 | (character >> 18 & 7));
	to[1] = (char)(0x80 | (character >> 12 & 63));
	to[2] = (char)(0x80 | (character >> 6 & 63));
	to[3] = (char)(0x80 | (character & 63));
	return 4;
}

/*
 * Reads the text of a str, truncated if it is too long. Returns false if it is no compact str, or
 * cannot be read.
 */
static bool read_text(const struct code_reader *reader, uint64_t address, char *text,
		      size_t *ret_length)
{
	uint8_t head[PYTHON_TEXT_BYTES], data[NAME_BYTES_MAX];
	uint64_t length;
	uint32_t state, width, character;
	const struct python_layout *layout = reader->layout;

	if (memory_copy(reader->memory, address, head, layout->text_state + 4u) !=
	    layout->text_state + 4u)
		return false;
	memcpy(&length, head + layout->text_length, sizeof(length));
	memcpy(&state, head + layout->text_state, sizeof(state));
	state >>= layout->text_shift;
	width = state & 7;
	if (!(state >> 3 & 1) || (width != 1 && width != 2 && width != 4))
		return false;
	address += state >> 4 & 1 ? layout->ascii_data : layout->wide_data;
	if (length > sizeof(data) / width)
		length = sizeof(data) / width;
	if (memory_copy(reader->memory, address, data, length * width) != length * width)
		return false;
	*ret_length = 0;
	for (uint64_t i = 0; i < length; i++) {
		character = 0;
		memcpy(&character, data + i * width, width);
		*ret_length += put_utf8(text + *ret_length, character);
	}
	return true;
}

/*
 * C code that calls the interpreter leaves a frame with this code, which its owner tells from a
 * function's. One that is met as a function's was read while C's stack changed.
 */
static bool is_trampoline(const char *name, size_t length)
{
	static const char trampoline[] = "<interpreter trampoline>";

	return length == sizeof(trampoline) - 1 && memcmp(name, trampoline, length) == 0;
}

/* The object has new contents: reads the names, and forgets the known lines. */
static bool known_fill(struct codes *codes, const struct code_reader *reader,
		       struct code_known *known)
{
	char text[NAME_BYTES_MAX * 2];
	struct names *names = &codes->common->names;
	uint64_t function, file;
	const char *path = text;
	size_t length;

	if (!read_text(reader, known->name, text, &length) || is_trampoline(text, length))
		return false;
	function = names_id_text(names, text, length);
	if (!read_text(reader, known->file, text, &length))
		return false;
	packages_note(&codes->packages, reader->process, text, length);
	path = redact_path(codes->common->view.redact, text, &length);
	file = names_id_text(names, path, length);
	known->id = places_code(codes->places, function, file, known->line);
	known->instance = ++codes->instances;
	return known->id != 0;
}

/* Reads the present fields of the object. */
static bool read_code(const struct code_reader *reader, uint64_t address, struct code_known *code)
{
	const struct python_layout *layout = reader->layout;
	uint8_t bytes[PYTHON_CODE_BYTES];
	uint64_t type;

	if (!memory_get(reader->memory, address, bytes, layout->code_bytes))
		return false;
	memcpy(&type, bytes + layout->object_type, sizeof(type));
	memcpy(&code->file, bytes + layout->code_file, sizeof(code->file));
	memcpy(&code->name, bytes + layout->code_name, sizeof(code->name));
	memcpy(&code->table, bytes + layout->code_table, sizeof(code->table));
	memcpy(&code->line, bytes + layout->code_line, sizeof(code->line));
	code->process = reader->process;
	code->address = address;
	return type == reader->code_type;
}

static bool codes_is_same(const struct code_known *one, const struct code_known *other)
{
	return one->process == other->process && one->file == other->file &&
	       one->name == other->name && one->table == other->table && one->line == other->line;
}

static struct code_known *known_of(struct codes *codes, const struct code_reader *reader,
				   uint64_t address)
{
	struct code_known now = { 0 }, *known;

	if (!read_code(reader, address, &now) || known_reserve(codes))
		return NULL;
	known = codes_known_find(codes, now.process, address);
	if (codes_is_same(known, &now))
		return known;
	if (!known_fill(codes, reader, &now))
		return NULL;
	codes->known_count += !known->process;
	*known = now;
	return known;
}

/* --- lines --- */

static struct line_known *codes_line_find(const struct codes *codes, uint64_t key)
{
	uint32_t at = codes_hash_of(key, 0) & (codes->line_slots - 1);

	while (codes->line[at].is_set && codes->line[at].key != key)
		at = (at + 1) & (codes->line_slots - 1);
	return &codes->line[at];
}

static int line_reserve(struct codes *codes)
{
	uint32_t slots = codes->line_slots ? codes->line_slots * 2 : SLOTS_FIRST;
	struct codes larger = *codes;

	if (codes->line_count * 2 < codes->line_slots)
		return 0;
	if (slots > LINES_KNOWN_MAX * 2) {
		memset(codes->line, 0, codes->line_slots * sizeof(*codes->line));
		codes->line_count = 0;
		return 0;
	}
	larger.line_slots = slots;
	larger.line = calloc(slots, sizeof(*larger.line));
	if (!larger.line)
		return -1;
	for (uint32_t i = 0; i < codes->line_slots; i++)
		if (codes->line[i].is_set)
			*codes_line_find(&larger, codes->line[i].key) = codes->line[i];
	free(codes->line);
	*codes = larger;
	return 0;
}

static uint32_t codes_read_line(const struct code_reader *reader, const struct code_known *known,
				uint32_t offset)
{
	uint8_t *bytes = malloc(TABLE_BYTES_MAX);
	struct line_table table = { .form = (enum python_table)reader->layout->table,
				    .bytes = bytes,
				    .first_line = known->line };
	uint64_t length = 0;
	uint32_t line = 0;

	if (bytes && memory_copy(reader->memory, known->table + reader->layout->bytes_size, &length,
				 sizeof(length)) == sizeof(length)) {
		if (length > TABLE_BYTES_MAX)
			length = TABLE_BYTES_MAX;
		table.length = memory_copy(
			reader->memory, known->table + reader->layout->bytes_data, bytes, length);
		line = line_table_find(&table, offset);
	}
	free(bytes);
	return line;
}

/* Returns the number of bytes into the code; 0 before its first instruction. */
static uint32_t codes_offset_of(const struct python_layout *layout, uint64_t address,
				uint64_t instruction)
{
	int64_t offset = layout->code_start ? (int64_t)(instruction - address - layout->code_start)
					    : (int32_t)instruction;

	if (!layout->code_start && layout->table == PYTHON_RANGES)
		offset *= UNIT_BYTES;
	return offset > 0 && offset < INT32_MAX ? (uint32_t)offset : 0;
}

bool codes_find(struct codes *codes, const struct code_reader *reader, uint64_t address,
		uint64_t instruction, struct code_place *ret_place)
{
	struct code_known *known = known_of(codes, reader, address);
	uint32_t offset = codes_offset_of(reader->layout, address, instruction);
	struct line_known *line;
	uint64_t key;

	if (!known || line_reserve(codes))
		return false;
	key = (uint64_t)known->instance << 32 | offset;
	line = codes_line_find(codes, key);
	if (!line->is_set) {
		*line = (struct line_known){ key, codes_read_line(reader, known, offset), true };
		codes->line_count++;
	}
	*ret_place = (struct code_place){ known->id, line->line };
	return true;
}
