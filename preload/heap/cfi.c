/* SPDX-License-Identifier: MIT */
/* See cfi.h. */
#include "preload/heap/cfi.h"

#include <stddef.h>
#include <string.h>

#define REGISTER_RBP 6u
#define REGISTER_RSP 7u
#define REGISTER_RETURN 16u
#define REMEMBERED_MAX 4u

#define POINTER_RELATIVE_32 0x1bu /* DW_EH_PE_pcrel | sdata4 */
#define POINTER_COUNT_32 0x03u    /* DW_EH_PE_udata4 */
#define POINTER_TABLE_32 0x3bu    /* DW_EH_PE_datarel | sdata4 */

enum cfa_operation {
	CFA_NOP = 0x00,
	CFA_ADVANCE_1 = 0x02,
	CFA_ADVANCE_2 = 0x03,
	CFA_ADVANCE_4 = 0x04,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_SAME_VALUE = 0x08,
	CFA_REMEMBER = 0x0a,
	CFA_RECALL = 0x0b,
	CFA_DEFINE = 0x0c,
	CFA_DEFINE_REGISTER = 0x0d,
	CFA_DEFINE_OFFSET = 0x0e,
	CFA_ARGUMENTS = 0x2e,
	/* with an operand in the lower six bits */
	CFA_ADVANCE = 0x40,
	CFA_SAVED = 0x80,
	CFA_RESTORE = 0xc0,
};

/* A reader that goes bad at the first thing it does not like and gives zeroes from then on. */
struct cursor {
	const uint8_t *at, *end;
	bool bad;
};

struct frame_state {
	uint64_t cfa_register, cfa_offset;
	uint64_t rbp_words; /* below the CFA; 0: not saved */
};

struct machine {
	struct cursor code;
	uintptr_t location;
	struct frame_state now;
	struct frame_state remembered[REMEMBERED_MAX];
	unsigned int depth;
	bool return_is_saved; /* where a call puts it */
};

static uint64_t cursor_take(struct cursor *c, unsigned int bytes)
{
	uint64_t value = 0;

	if (c->bad || (size_t)(c->end - c->at) < bytes) {
		c->bad = true;
		return 0;
	}
	memcpy(&value, c->at, bytes);
	c->at += bytes;
	return value;
}

static void cursor_skip(struct cursor *c, uint64_t bytes)
{
	if (c->bad || (uint64_t)(c->end - c->at) < bytes)
		c->bad = true;
	else
		c->at += bytes;
}

/* LEB128 of at most 28 bits, unsigned, or its sign bits dropped: numbers here are small. */
static uint64_t cursor_number(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 28; shift += 7) {
		uint64_t byte = cursor_take(c, 1);

		value |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	c->bad = true;
	return 0;
}

static struct cursor span_cursor(struct cfi_span span, uintptr_t at, uint64_t bytes)
{
	struct cursor c = { .bad = at < span.low || at >= span.high || bytes > span.high - at };

	if (!c.bad) {
		c.at = (const uint8_t *)at;
		c.end = c.at + bytes;
	}
	return c;
}

/* A CIE or FDE behind its length. */
static struct cursor entry_cursor(struct cfi_span span, uintptr_t entry)
{
	struct cursor c = span_cursor(span, entry, 4);
	uint64_t bytes = cursor_take(&c, 4);

	if (c.bad || bytes > CFI_BYTES_MAX) /* 2^32 - 1: a 64-bit length follows */
		return (struct cursor){ .bad = true };
	return span_cursor(span, entry + 4, bytes);
}

static void machine_define(struct machine *m, uint64_t number, uint64_t offset)
{
	m->now.cfa_register = number;
	m->now.cfa_offset = offset;
}

/* Register `number` is saved at CFA - 8 * words. */
static void machine_save(struct machine *m, uint64_t number, uint64_t words)
{
	if (number == REGISTER_RETURN)
		m->return_is_saved = words == 1;
	else if (number == REGISTER_RBP)
		m->now.rbp_words = words;
	m->code.bad |= !words;
}

static void machine_restore(struct machine *m, uint64_t number)
{
	if (number == REGISTER_RBP)
		m->now.rbp_words = 0;
}

static void machine_remember(struct machine *m)
{
	if (m->depth < REMEMBERED_MAX)
		m->remembered[m->depth++] = m->now;
	else
		m->code.bad = true;
}

static void machine_recall(struct machine *m)
{
	if (m->depth)
		m->now = m->remembered[--m->depth];
	else
		m->code.bad = true;
}

static void machine_run_extended(struct machine *m, unsigned int operation)
{
	struct cursor *code = &m->code;
	uint64_t number;

	switch (operation) {
	case CFA_NOP:
		return;
	case CFA_ADVANCE_1:
	case CFA_ADVANCE_2:
	case CFA_ADVANCE_4:
		m->location += cursor_take(code, 1u << (operation - CFA_ADVANCE_1));
		return;
	case CFA_REMEMBER:
		machine_remember(m);
		return;
	case CFA_RECALL:
		machine_recall(m);
		return;
	}
	number = cursor_number(code);
	switch (operation) {
	case CFA_RESTORE_EXTENDED:
	case CFA_SAME_VALUE:
		machine_restore(m, number);
		code->bad |= number == REGISTER_RETURN;
		return;
	case CFA_DEFINE:
		machine_define(m, number, cursor_number(code));
		return;
	case CFA_DEFINE_REGISTER:
		m->now.cfa_register = number;
		return;
	case CFA_DEFINE_OFFSET:
		m->now.cfa_offset = number;
		return;
	case CFA_ARGUMENTS: /* bytes of arguments on the stack; the CFA is given all the same */
		return;
	}
	code->bad = true;
}

/* Up to and not beyond what holds at `address`. */
static void machine_run(struct machine *m, struct cursor code, uintptr_t address)
{
	m->code = code;
	while (!m->code.bad && m->code.at < m->code.end && m->location <= address) {
		unsigned int byte = (unsigned int)cursor_take(&m->code, 1);
		unsigned int operand = byte & 0x3f;

		switch (byte & 0xc0) {
		case CFA_ADVANCE:
			m->location += operand;
			break;
		case CFA_SAVED:
			machine_save(m, operand, cursor_number(&m->code));
			break;
		case CFA_RESTORE:
			machine_restore(m, operand);
			break;
		default:
			machine_run_extended(m, operand);
		}
	}
}

static bool machine_rule(const struct machine *m, struct cfi_rule *ret_rule)
{
	const struct frame_state *s = &m->now;
	uint64_t words = s->cfa_offset / 8;

	if (m->code.bad || !m->return_is_saved)
		return false;
	if (s->cfa_register == REGISTER_RBP) {
		*ret_rule = (struct cfi_rule){ .by_rbp = true, .rbp_words = 2 };
		return s->cfa_offset == 16 && s->rbp_words == 2;
	}
	*ret_rule = (struct cfi_rule){ .words = (uint8_t)words,
				       .rbp_words = (uint8_t)s->rbp_words };
	return s->cfa_register == REGISTER_RSP && s->cfa_offset % 8 == 0 && words >= 1 &&
	       words <= CFI_WORDS_MAX && s->rbp_words != 1 && s->rbp_words <= words &&
	       s->rbp_words < 32;
}

/* Of the augmentation's letters: the only form of pointers to code that we read is asked for. */
static void common_read_letters(struct cursor *c, const char *letters)
{
	static const uint8_t pointer_bytes[16] = {
		[0x0] = 8, [0x2] = 2, [0x3] = 4, [0x4] = 8, [0xa] = 2, [0xb] = 4, [0xc] = 8
	};

	for (; *letters && !c->bad; letters++) {
		uint64_t encoding = cursor_take(c, 1);

		switch (*letters) {
		case 'R':
			c->bad |= encoding != POINTER_RELATIVE_32;
			break;
		case 'P':
			c->bad |= !pointer_bytes[encoding & 0xf] || (encoding & 0x70) == 0x50;
			cursor_skip(c, pointer_bytes[encoding & 0xf]);
			break;
		case 'L':
			break;
		default:
			c->bad = true;
		}
	}
}

/* The CIE's instructions, bad when it is not one of ours. */
static struct cursor common_code(struct cfi_span span, uintptr_t entry)
{
	struct cursor c = entry_cursor(span, entry);
	struct cursor data;
	char letters[8] = "";
	uint64_t version, bytes;

	c.bad |= cursor_take(&c, 4) != 0; /* not a CIE */
	version = cursor_take(&c, 1);
	for (size_t i = 0; i < sizeof(letters) && (letters[i] = (char)cursor_take(&c, 1)); i++)
		c.bad |= i + 1 == sizeof(letters);
	c.bad |= (version != 1 && version != 3) || letters[0] != 'z' || !strchr(letters, 'R');
	c.bad |= cursor_number(&c) != 1;           /* code is counted in bytes */
	c.bad |= cursor_take(&c, 1) != (0x80 - 8); /* and the stack in words, downwards */
	c.bad |= cursor_take(&c, 1) != REGISTER_RETURN;
	bytes = cursor_number(&c);
	data = c;
	cursor_skip(&c, bytes);
	if (c.bad)
		return c;
	data.end = c.at;
	common_read_letters(&data, letters + 1);
	c.bad |= data.bad;
	return c;
}

bool cfi_run_entry(struct cfi_span span, uintptr_t entry, uintptr_t address,
		   struct cfi_rule *ret_rule)
{
	struct cursor c = entry_cursor(span, entry);
	uint64_t back = cursor_take(&c, 4);
	struct machine m = { .location = 0 };
	uintptr_t start;
	uint64_t bytes;

	if (c.bad || !back || back > entry + 4 - span.low)
		return false;
	start = (uintptr_t)c.at;
	start += (uintptr_t)(int64_t)(int32_t)cursor_take(&c, 4);
	bytes = cursor_take(&c, 4);
	cursor_skip(&c, cursor_number(&c)); /* augmentation data: an LSDA */
	if (c.bad || address - start >= bytes)
		return false;
	machine_run(&m, common_code(span, entry + 4 - back), UINTPTR_MAX);
	if (m.code.bad || m.location || m.depth || m.now.rbp_words)
		return false;
	m.location = start;
	machine_run(&m, c, address);
	return machine_rule(&m, ret_rule);
}

/* struct of the search table: both relative to the header */
struct search_row {
	int32_t start;
	int32_t entry;
};

bool cfi_find_rule(struct cfi_span span, uintptr_t header, uintptr_t address,
		   struct cfi_rule *ret_rule)
{
	struct cursor c = span_cursor(span, header, 12);
	const struct search_row *row;
	uint64_t low = 0, high;

	if (header & 3 || cursor_take(&c, 4) != (1u | POINTER_RELATIVE_32 << 8 |
						 POINTER_COUNT_32 << 16 | POINTER_TABLE_32 << 24))
		return false;
	cursor_skip(&c, 4); /* where .eh_frame is: the rows say it themselves */
	high = cursor_take(&c, 4);
	c = span_cursor(span, header + 12, high * sizeof(*row));
	if (c.bad)
		return false;
	row = (const struct search_row *)(header + 12);
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		if (header + (uintptr_t)(int64_t)row[middle].start <= address)
			low = middle;
		else
			high = middle;
	}
	return high &&
	       cfi_run_entry(span, header + (uintptr_t)(int64_t)row[low].entry, address, ret_rule);
}
