/* SPDX-License-Identifier: MIT */
/*
 * A cache, keyed by a hash of object, instruction and the number of ends in the object's bucket.
 * When a code object ends, that number rises, and old keys never match again. A miss reads the
 * object and sends its line.
 */
#include "preload/pyframes/codes.h"

#include <string.h>

#include "collector/format/frame_flags.h"
#include "collector/region/line_table.h"
#include "preload/base/utf8.h"
#include "preload/pyframes/id_cache.h"
#include "preload/record/strings.h"
#include "preload/settings/settings.h"
#include "preload/stacks/frame_names.h"
#include "preload/stacks/memory.h"
#include "preload/stacks/pages.h"

#define ENTRIES (1u << 16)
#define BUCKETS 4096u /* buckets that count ends, by address */
#define PAGES 4096u   /* remembered pages */
/* offset of tp_dealloc in a type, after the pointer to the object's type; since 2.2 */
#define TYPE_DEALLOC 40u
#define TEXT_BYTES_MAX 4096u
#define TABLE_BYTES_MAX (64u << 10)
#define UNIT_BYTES 2u /* size of an instruction */

static struct {
	struct id_entry *entry;
	uint32_t *ends; /* number of ends, by bucket */
	uint64_t *page; /* pages that could be read, and when: see page_is_readable() */
	const struct python_layout *layout;
	uint64_t type;
	void (*dealloc)(void *code);
} codes;

uint64_t codes_ended;

static uint32_t bucket_of(uint64_t code)
{
	return (uint32_t)(code * 0x9e3779b97f4a7c15u >> 52);
}

/* Replaces the type's own function, which holds the GIL. */
static void code_ends(void *code)
{
	__atomic_add_fetch(&codes.ends[bucket_of((uintptr_t)code)], 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&codes_ended, 1, __ATOMIC_RELEASE);
	codes.dealloc(code);
}

bool codes_begin(const struct python_layout *layout, void *code_type)
{
	void (**dealloc)(void *) = (void (**)(void *))(void *)((char *)code_type +
							       layout->object_type + TYPE_DEALLOC);

	if (!codes.entry)
		codes.entry = pages_map(ENTRIES * sizeof(*codes.entry));
	if (!codes.ends)
		codes.ends = pages_map(BUCKETS * sizeof(*codes.ends));
	if (!codes.page)
		codes.page = pages_map(PAGES * sizeof(*codes.page));
	if (!codes.entry || !codes.ends || !codes.page)
		return false;
	codes.layout = layout;
	codes.type = (uintptr_t)code_type;
	if (!codes.dealloc) {
		codes.dealloc = *dealloc;
		*dealloc = code_ends;
	}
	return true;
}

/* --- reading --- */

/*
 * As a thread's own pages (page.h), for all threads, because texts and tables of code are close
 * together. A page stays readable until a code object ends, which may unmap memory. So the low bits
 * of an entry count ends.
 */
static bool page_is_readable(uint64_t page)
{
	uint64_t ends = __atomic_load_n(&codes_ended, __ATOMIC_ACQUIRE) % MEMORY_PAGE;
	uint64_t *known = &codes.page[page / MEMORY_PAGE % PAGES];

	if (__atomic_load_n(known, __ATOMIC_RELAXED) == (page | ends))
		return true;
	if (!memory_page_is_readable(page))
		return false;
	__atomic_store_n(known, page | ends, __ATOMIC_RELAXED);
	return true;
}

static bool codes_can_read(uint64_t address, size_t bytes)
{
	if (address < MEMORY_PAGE || address >> ARCH_ADDRESS_BITS || bytes >> 20)
		return false;
	for (uint64_t page = memory_page(address); page < address + bytes; page += MEMORY_PAGE)
		if (!page_is_readable(page))
			return false;
	return true;
}

static uint64_t codes_word_at(uint64_t address)
{
	return *(const uint64_t *)(uintptr_t)address;
}

static uint32_t codes_half_at(uint64_t address)
{
	return *(const uint32_t *)(uintptr_t)address;
}

/* Converts wider characters to UTF-8 in `room`, as many as fit. */
static size_t text_convert(const char *data, uint64_t length, uint32_t width, char room[512])
{
	size_t used = 0;

	for (uint64_t i = 0; i < length && used + UTF8_MAX <= 512; i++) {
		uint32_t c = 0;

		memcpy(&c, data + i * width, width);
		used += utf8_put(room + used, c);
	}
	return used;
}

/* Reads a compact str; names of code objects are compact. */
static bool text_read(uint64_t address, const char **ret_text, size_t *ret_bytes, char room[512])
{
	uint64_t length, data;
	uint32_t state, width;

	if (address % 8 || !codes_can_read(address, codes.layout->wide_data))
		return false;
	length = codes_word_at(address + codes.layout->text_length);
	state = codes_half_at(address + codes.layout->text_state) >> codes.layout->text_shift;
	width = state & 7;
	if (!(state >> 3 & 1) || (width != 1 && width != 2 && width != 4))
		return false;
	length = length < TEXT_BYTES_MAX ? length : TEXT_BYTES_MAX;
	data = address + (state >> 4 & 1 ? codes.layout->ascii_data : codes.layout->wide_data);
	if (!codes_can_read(data, length * width))
		return false;
	*ret_text = (const char *)(uintptr_t)data;
	*ret_bytes = length;
	if (state >> 4 & 1)
		return true;
	*ret_bytes = text_convert(*ret_text, length, width, room);
	*ret_text = room;
	return true;
}

static uint32_t line_read(uint64_t table, uint32_t first, uint32_t offset)
{
	uint64_t length, data = table + codes.layout->bytes_data;

	if (table % 8 || !codes_can_read(table, codes.layout->bytes_data))
		return 0;
	length = codes_word_at(table + codes.layout->bytes_size);
	length = length < TABLE_BYTES_MAX ? length : TABLE_BYTES_MAX;
	if (!codes_can_read(data, length))
		return 0;
	return line_table_find(&(struct line_table){ .form = (enum python_table)codes.layout->table,
						     .bytes = (const uint8_t *)(uintptr_t)data,
						     .length = length,
						     .first_line = first },
			       offset);
}

/* Offset in bytes into the code; negative before its first instruction has begun. */
static int64_t offset_of(uint64_t code, uint64_t instruction)
{
	if (codes.layout->code_start)
		return (int64_t)(instruction - code - codes.layout->code_start);
	return (int64_t)(int32_t)instruction *
	       (codes.layout->table == PYTHON_RANGES ? (int)UNIT_BYTES : 1);
}

static uint64_t instruction_find(uint64_t code, uint64_t instruction, uint32_t copy)
{
	uint64_t copies;

	if (code % 8 || !codes_can_read(code, codes.layout->code_copies + 8u))
		return 0;
	copies = codes_word_at(code + codes.layout->code_copies);
	if (copies % 8 || !codes_can_read(copies, 8) || copy >= codes_word_at(copies) ||
	    !codes_can_read(copies + 8 + copy * 8ull, 8))
		return 0;
	return instruction - codes_word_at(copies + 8 + copy * 8ull) + code +
	       codes.layout->code_start;
}

uint64_t code_instruction(uint64_t code, uint64_t instruction, uint32_t copy)
{
	if (__builtin_expect(!copy || !codes.layout->code_copies, 1))
		return instruction;
	return instruction_find(code, instruction, copy);
}

bool code_read(uint64_t code, uint64_t instruction, struct code_line *ret_line)
{
	const struct python_layout *layout = codes.layout;
	int64_t offset = offset_of(code, instruction);

	if (code % 8 || (layout->code_start && !instruction) ||
	    !codes_can_read(code, layout->code_bytes) ||
	    codes_word_at(code + layout->object_type) != codes.type || offset > INT32_MAX)
		return false;
	if (!text_read(codes_word_at(code + layout->code_name), &ret_line->function,
		       &ret_line->function_bytes, ret_line->room[0]) ||
	    !text_read(codes_word_at(code + layout->code_file), &ret_line->file,
		       &ret_line->file_bytes, ret_line->room[1]))
		return false;
	ret_line->first = codes_half_at(code + layout->code_line);
	ret_line->line = offset < 0 ? ret_line->first
				    : line_read(codes_word_at(code + layout->code_table),
						ret_line->first, (uint32_t)offset);
	return true;
}

/* --- into a ring --- */

static struct string file_string(const struct code_line *line)
{
	const char *slash = settings.redact & 1u << REGION_REDACT_paths
				    ? memrchr(line->file, '/', line->file_bytes)
				    : NULL;
	size_t skip = slash ? (size_t)(slash + 1 - line->file) : 0;

	return string_of_bytes(line->file + skip, line->file_bytes - skip);
}

/* A forked child shares what was sent, as with texts, because it has the same collector. */
static uint64_t line_send(struct recorder_lane *lane, const struct code_line *line)
{
	struct string function = string_of_bytes(line->function, line->function_bytes);
	struct string file = file_string(line);
	uint64_t lines = line->first | (uint64_t)line->line << 32;
	uint64_t id = frame_mix(frame_mix(function.hash, file.hash), lines) >> 9 | PYTHON_LINE_BIT;
	uint64_t field[RECORD_LINE_WORDS - 1] = { id, 0, 0, lines };

	if (string_is_sent(id))
		return id;
	field[1] = string_id(&function, lane);
	field[2] = string_id(&file, lane);
	if (lane->head + RECORD_LINE_WORDS > lane->limit &&
	    !recorder_find_room(lane, RECORD_LINE_WORDS))
		return 0;
	(void)recorder_put(lane, RECORD_LINE, recorder_now(), field, RECORD_LINE_WORDS - 1);
	__atomic_store_n(strings_slot(id), id, __ATOMIC_RELAXED);
	return id;
}

static __attribute__((noinline)) uint64_t line_find_out(struct recorder_lane *lane, uint64_t code,
							uint64_t instruction)
{
	struct code_line line;

	return code_read(code, instruction, &line) ? line_send(lane, &line) : 0;
}

uint64_t code_line_id(struct recorder_lane *lane, uint64_t code, uint64_t instruction)
{
	uint64_t ends = __atomic_load_n(&codes.ends[bucket_of(code)], __ATOMIC_RELAXED);
	uint64_t key = frame_mix(code ^ ends * 0xff51afd7ed558ccdu,
				 instruction + (frame_names.generation << 48));
	struct id_entry *at;
	uint64_t id = id_cache_find(codes.entry, ENTRIES, key, &at);

	if (id)
		return id;
	id = line_find_out(lane, code, instruction);
	if (id)
		id_cache_put(at, key, id);
	return id;
}
