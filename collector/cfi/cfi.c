/* SPDX-License-Identifier: MIT */
/*
 * A binary search of .eh_frame_hdr finds the entry. Then a small machine runs the instructions of
 * its CIE and its own, up to the address. It keeps only the rules for the CFA, rbp and the return
 * address.
 */
#include "collector/cfi/cfi.h"

#include <stddef.h>
#include <string.h>

#include "collector/arch/arch.h"
#include "collector/cfi/cfi_expression.h"
#include "collector/cfi/cursor.h"

#define REMEMBERED_MAX 8u
#define CODE_UNIT_MAX 4u
#define DATA_UNIT_MAX 8
#define LETTERS_MAX 8u /* limit for an augmentation, including its terminator */

#define POINTER_RELATIVE_32 0x1bu /* DW_EH_PE_pcrel | sdata4 */
#define POINTER_COUNT_32 0x03u    /* DW_EH_PE_udata4 */
#define POINTER_TABLE_32 0x3bu    /* DW_EH_PE_datarel | sdata4 */

enum cfa_operation {
	CFA_NOP = 0x00,
	CFA_ADVANCE_1 = 0x02,
	CFA_ADVANCE_2 = 0x03,
	CFA_ADVANCE_4 = 0x04,
	CFA_SAVED_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER = 0x0a,
	CFA_RECALL = 0x0b,
	CFA_DEFINE = 0x0c,
	CFA_DEFINE_REGISTER = 0x0d,
	CFA_DEFINE_OFFSET = 0x0e,
	CFA_DEFINE_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10,
	CFA_SAVED_SIGNED = 0x11,
	CFA_DEFINE_SIGNED = 0x12,
	CFA_DEFINE_OFFSET_SIGNED = 0x13,
	CFA_VALUE_OFFSET = 0x14,
	CFA_VALUE_OFFSET_SIGNED = 0x15,
	CFA_VALUE_EXPRESSION = 0x16,
	CFA_ARGUMENTS = 0x2e,
	/* these have an operand in the lower six bits */
	CFA_ADVANCE = 0x40,
	CFA_SAVED = 0x80,
	CFA_RESTORE = 0xc0,
};

struct frame_state {
	/* by rsp, rbp or a load; CFI_BASE_NONE: by something that we do not follow */
	struct cfi_value cfa;
	struct cfi_saved_at rbp, ret;
	bool rbp_has_stood; /* the place has been at or above rsp since rbp was saved there */
};

/* In which advances are counted, and offsets: downwards, so it is negative. */
struct units {
	uint64_t code;
	int64_t data;
};

struct machine {
	struct cursor code;
	uintptr_t location, address;
	struct frame_state now;
	struct frame_state first; /* state after the CIE's instructions */
	struct frame_state remembered[REMEMBERED_MAX];
	unsigned int depth;
	struct units units;
};

/* The contents of a CIE. */
struct common {
	struct cursor code;
	struct units units;
	bool signal;
};

/* --- memory --- */

static uintptr_t page_of(uintptr_t at)
{
	return at & ~(uintptr_t)(CFI_PAGE - 1);
}

static bool pages_are_readable(struct cfi_span span, uintptr_t at, uint64_t bytes)
{
	for (uintptr_t page = page_of(at); page < at + bytes; page += CFI_PAGE)
		if (!cfi_page_is_readable(span.context, page))
			return false;
	return true;
}

static struct cursor span_cursor(struct cfi_span span, uintptr_t at, uint64_t bytes)
{
	struct cursor c = { .bad = at < span.low || at >= span.high || bytes > span.high - at };

	if (!c.bad && span.probe)
		c.bad = !pages_are_readable(span, at, bytes);
	if (!c.bad) {
		c.at = (const uint8_t *)at;
		c.end = c.at + bytes;
	}
	return c;
}

/* Returns the contents of a CIE or FDE after its length. */
static struct cursor entry_cursor(struct cfi_span span, uintptr_t entry)
{
	struct cursor c = span_cursor(span, entry, 4);
	uint64_t bytes = cursor_take(&c, 4);

	if (c.bad || bytes > CFI_BYTES_MAX) /* 2^32 - 1 means that a 64-bit length follows */
		return (struct cursor){ .bad = true };
	return span_cursor(span, entry + 4, bytes);
}

/* --- the machine --- */

static struct cfi_saved_at *machine_register(struct machine *m, uint64_t number)
{
	if (number == ARCH_CFI_FP)
		return &m->now.rbp;
	return number == ARCH_CFI_RETURN ? &m->now.ret : NULL;
}

static void machine_put(struct machine *m, uint64_t number, enum cfi_saved how, int64_t offset)
{
	struct cfi_saved_at *at = machine_register(m, number);

	if (at)
		*at = (struct cfi_saved_at){ how, offset };
	if (number == ARCH_CFI_FP)
		m->now.rbp_has_stood = false;
}

static void machine_put_by_cfa(struct machine *m, uint64_t number, int64_t count)
{
	machine_put(m, number, CFI_SAVED_BY_CFA, m->units.data * count);
}

/* True if the place of rbp is below rsp, where only a leaf function's data is safe. */
static bool machine_rbp_is_below(const struct machine *m)
{
	return m->now.rbp.how == CFI_SAVED_BY_CFA && m->now.cfa.base == CFI_BASE_RSP &&
	       m->now.cfa.offset + m->now.rbp.offset < 0;
}

/* The state so far is valid for at least one instruction. */
static void machine_advance(struct machine *m, uint64_t count)
{
	m->now.rbp_has_stood |= m->now.rbp.how == CFI_SAVED_BY_CFA && !machine_rbp_is_below(m);
	m->location += count * m->units.code;
}

static void machine_define(struct machine *m, uint64_t number, int64_t offset)
{
	enum cfi_base base = CFI_BASE_NONE;

	if (number == ARCH_CFI_SP)
		base = CFI_BASE_RSP;
	else if (number == ARCH_CFI_FP)
		base = CFI_BASE_RBP;
	m->now.cfa = (struct cfi_value){ .base = base, .offset = offset };
}

static void machine_restore(struct machine *m, uint64_t number)
{
	if (number == ARCH_CFI_FP) {
		m->now.rbp = m->first.rbp;
		m->now.rbp_has_stood = m->first.rbp_has_stood;
	} else if (number == ARCH_CFI_RETURN)
		m->now.ret = m->first.ret;
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

static struct cursor machine_block(struct machine *m)
{
	struct cursor block = m->code;
	uint64_t bytes = cursor_number(&m->code);

	block.at = m->code.at;
	cursor_skip(&m->code, bytes);
	block.end = m->code.at;
	block.bad = m->code.bad;
	return block;
}

static void machine_define_expression(struct machine *m)
{
	struct cursor block = machine_block(m);

	m->now.cfa = (struct cfi_value){ 0 };
	if (!block.bad)
		(void)cfi_expression_run(block, m->address, false, &m->now.cfa);
}

/* Sets where a register is saved; if the expression is not understood, the register is lost. */
static void machine_save_expression(struct machine *m, uint64_t number)
{
	struct cursor block = machine_block(m);
	struct cfi_value value = { 0 };
	enum cfi_saved how = CFI_SAVED_LOST;

	if (!machine_register(m, number) || block.bad)
		return;
	if (cfi_expression_run(block, m->address, true, &value)) {
		if (value.base == CFI_BASE_CFA)
			how = CFI_SAVED_BY_CFA;
		else if (value.base == CFI_BASE_RSP)
			how = CFI_SAVED_BY_RSP;
		else if (value.base == CFI_BASE_RBP)
			how = CFI_SAVED_BY_RBP;
	}
	machine_put(m, number, how, value.offset);
	/* only "undefined" may mark the outermost frame */
	m->code.bad |= number == ARCH_CFI_RETURN && how == CFI_SAVED_LOST;
}

/*
 * A register whose value is computed, or is in another register, is not followed. For the return
 * address that is an error.
 */
static void machine_lose(struct machine *m, uint64_t number)
{
	machine_put(m, number, CFI_SAVED_LOST, 0);
	m->code.bad |= number == ARCH_CFI_RETURN;
}

static void machine_run_register(struct machine *m, unsigned int operation)
{
	struct cursor *code = &m->code;
	uint64_t number = cursor_number(code);

	switch (operation) {
	case CFA_SAVED_EXTENDED:
		machine_put_by_cfa(m, number, (int64_t)cursor_number(code));
		return;
	case CFA_SAVED_SIGNED:
		machine_put_by_cfa(m, number, cursor_signed(code));
		return;
	case CFA_RESTORE_EXTENDED:
		machine_restore(m, number);
		return;
	case CFA_UNDEFINED:
		machine_put(m, number, CFI_SAVED_LOST, 0);
		return;
	case CFA_SAME_VALUE:
		machine_put(m, number, CFI_SAVED_SAME, 0);
		code->bad |= number == ARCH_CFI_RETURN && !ARCH_CFI_HAS_LINK;
		return;
	case CFA_REGISTER:
	case CFA_VALUE_OFFSET:
		(void)cursor_number(code);
		machine_lose(m, number);
		return;
	case CFA_VALUE_OFFSET_SIGNED:
		(void)cursor_signed(code);
		machine_lose(m, number);
		return;
	case CFA_EXPRESSION:
		machine_save_expression(m, number);
		return;
	case CFA_VALUE_EXPRESSION:
		(void)machine_block(m);
		machine_lose(m, number);
		return;
	case CFA_DEFINE:
		machine_define(m, number, (int64_t)cursor_number(code));
		return;
	case CFA_DEFINE_SIGNED:
		machine_define(m, number, m->units.data * cursor_signed(code));
		return;
	case CFA_DEFINE_REGISTER:
		machine_define(m, number, m->now.cfa.offset);
		return;
	}
	code->bad = true;
}

static void machine_run_extended(struct machine *m, unsigned int operation)
{
	struct cursor *code = &m->code;

	switch (operation) {
	case CFA_NOP:
		return;
	case CFA_ADVANCE_1:
	case CFA_ADVANCE_2:
	case CFA_ADVANCE_4:
		machine_advance(m, cursor_take(code, 1u << (operation - CFA_ADVANCE_1)));
		return;
	case CFA_REMEMBER:
		machine_remember(m);
		return;
	case CFA_RECALL:
		machine_recall(m);
		return;
	case CFA_DEFINE_OFFSET:
		m->now.cfa.offset = (int64_t)cursor_number(code);
		return;
	case CFA_DEFINE_OFFSET_SIGNED:
		m->now.cfa.offset = m->units.data * cursor_signed(code);
		return;
	case CFA_DEFINE_EXPRESSION:
		machine_define_expression(m);
		return;
	case ARCH_CFI_SIGNS:
		return;
	case CFA_ARGUMENTS: /* bytes of arguments on the stack; the CFA is given in addition */
		(void)cursor_number(code);
		return;
	}
	machine_run_register(m, operation);
}

/* Runs up to the state that is valid at `address`, and not further. */
static void machine_run(struct machine *m, struct cursor code, uintptr_t address)
{
	m->code = code;
	while (!m->code.bad && m->code.at < m->code.end && m->location <= address) {
		unsigned int byte = (unsigned int)cursor_take(&m->code, 1);
		unsigned int operand = byte & 0x3f;

		switch (byte & 0xc0) {
		case CFA_ADVANCE:
			machine_advance(m, operand);
			break;
		case CFA_SAVED:
			machine_put_by_cfa(m, operand, (int64_t)cursor_number(&m->code));
			break;
		case CFA_RESTORE:
			machine_restore(m, operand);
			break;
		default:
			machine_run_extended(m, operand);
		}
	}
}

static bool machine_row(const struct machine *m, struct cfi_row *ret_row)
{
	static const enum cfi_cfa kinds[] = { [CFI_BASE_RSP] = CFI_CFA_RSP,
					      [CFI_BASE_RBP] = CFI_CFA_RBP,
					      [CFI_BASE_RSP_LOAD] = CFI_CFA_RSP_LOAD,
					      [CFI_BASE_RBP_LOAD] = CFI_CFA_RBP_LOAD };
	const struct cfi_value *cfa = &m->now.cfa;
	bool loaded = cfa->base == CFI_BASE_RSP_LOAD || cfa->base == CFI_BASE_RBP_LOAD;

	if (m->code.bad)
		return false;
	if (m->now.ret.how != CFI_SAVED_LOST &&
	    (cfa->base == CFI_BASE_NONE || cfa->base == CFI_BASE_CFA))
		return false;
	*ret_row = (struct cfi_row){ .cfa = kinds[cfa->base],
				     .offset = loaded ? cfa->inner : cfa->offset,
				     .after = loaded ? cfa->offset : 0,
				     .rbp = m->now.rbp,
				     .ret = m->now.ret };
	/* compilers do not record that it was popped */
	if (m->now.rbp_has_stood && machine_rbp_is_below(m))
		ret_row->rbp = (struct cfi_saved_at){ CFI_SAVED_SAME, 0 };
	return m->now.ret.how != CFI_SAVED_SAME || ARCH_CFI_HAS_LINK;
}

/* --- entries --- */

/* Reads the augmentation's letters. Only one encoding of pointers to code is supported. */
static void common_read_letters(struct cursor *c, const char *letters, bool *ret_signal)
{
	static const uint8_t pointer_bytes[16] = {
		[0x0] = 8, [0x2] = 2, [0x3] = 4, [0x4] = 8, [0xa] = 2, [0xb] = 4, [0xc] = 8
	};

	for (; *letters && !c->bad; letters++) {
		uint64_t encoding;

		if (*letters == 'S' || *letters == ARCH_CFI_SIGNS_LETTER) {
			*ret_signal |= *letters == 'S';
			continue;
		}
		encoding = cursor_take(c, 1);
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

/*
 * Usual are words, and the length of an instruction. CUDA's libraries for aarch64 have halves of
 * both.
 */
static struct units common_read_units(struct cursor *c)
{
	struct units units = { .code = cursor_number(c) };

	units.data = cursor_signed(c);
	c->bad |= !units.code || units.code > CODE_UNIT_MAX || units.data >= 0 ||
		  units.data < -DATA_UNIT_MAX;
	return units;
}

/* Reads the CIE and runs its instructions. `bad` if it has an unsupported form. */
static struct common common_read(struct cfi_span span, uintptr_t entry)
{
	struct common common = { .code = entry_cursor(span, entry) };
	struct cursor *c = &common.code;
	struct cursor data;
	char letters[LETTERS_MAX + 1] = "";
	uint64_t version, bytes;

	c->bad |= cursor_take(c, 4) != 0; /* not a CIE */
	version = cursor_take(c, 1);
	for (size_t i = 0; i < LETTERS_MAX && (letters[i] = (char)cursor_take(c, 1)); i++)
		c->bad |= i + 1 == LETTERS_MAX; /* no terminator so far */
	c->bad |= (version != 1 && version != 3) || letters[0] != 'z' || !strchr(letters, 'R');
	common.units = common_read_units(c);
	c->bad |= cursor_take(c, 1) != ARCH_CFI_RETURN;
	bytes = cursor_number(c);
	data = *c;
	cursor_skip(c, bytes);
	if (c->bad)
		return common;
	data.end = c->at;
	common_read_letters(&data, letters + 1, &common.signal);
	c->bad |= data.bad;
	return common;
}

bool cfi_run_entry(struct cfi_span span, uintptr_t entry, uintptr_t address,
		   struct cfi_row *ret_row)
{
	struct cursor c = entry_cursor(span, entry);
	uint64_t back = cursor_take(&c, 4);
	struct machine m = { .address = address, .now.ret = { .how = CFI_SAVED_SAME } };
	struct common common;
	uintptr_t start;
	uint64_t bytes;

	if (c.bad || !back || back > entry + 4 - span.low)
		return false;
	start = (uintptr_t)c.at;
	start += (uintptr_t)(int64_t)(int32_t)cursor_take(&c, 4);
	bytes = cursor_take(&c, 4);
	cursor_skip(&c, cursor_number(&c)); /* skips the augmentation data: an LSDA */
	if (c.bad || address - start >= bytes)
		return false;
	common = common_read(span, entry + 4 - back);
	m.units = common.units;
	machine_run(&m, common.code, UINTPTR_MAX);
	if (m.code.bad || m.location || m.depth)
		return false;
	m.first = m.now;
	m.location = start;
	machine_run(&m, c, address);
	if (!machine_row(&m, ret_row))
		return false;
	ret_row->signal = common.signal;
	return true;
}

/* a row of the search table: both fields are relative to the header */
struct search_row {
	int32_t start;
	int32_t entry;
};

static bool row_is_readable(struct cfi_span span, const struct search_row *row, uintptr_t *page)
{
	uintptr_t at = page_of((uintptr_t)row);

	if (!span.probe || at == *page)
		return true;
	/* rows are aligned to their halves, so a page is probed when a row ends there */
	*page = at;
	return cfi_page_is_readable(span.context, at) &&
	       cfi_page_is_readable(span.context, page_of((uintptr_t)(row + 1) - 1));
}

bool cfi_find_row(struct cfi_span span, uintptr_t header, uintptr_t address,
		  struct cfi_row *ret_row)
{
	struct cursor c = span_cursor(span, header, 12);
	const struct search_row *row = (const struct search_row *)(header + 12);
	uint64_t low = 0, high;
	uintptr_t page = 0;

	if (header & 3 || cursor_take(&c, 4) != (1u | POINTER_RELATIVE_32 << 8 |
						 POINTER_COUNT_32 << 16 | POINTER_TABLE_32 << 24))
		return false;
	cursor_skip(&c, 4); /* skips the address of .eh_frame, because the rows contain it */
	high = cursor_take(&c, 4);
	if (c.bad || !high || high > (span.high - header - 12) / sizeof(*row))
		return false;
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		if (!row_is_readable(span, &row[middle], &page))
			return false;
		if (header + (uintptr_t)(int64_t)row[middle].start <= address)
			low = middle;
		else
			high = middle;
	}
	return row_is_readable(span, &row[low], &page) &&
	       cfi_run_entry(span, header + (uintptr_t)(int64_t)row[low].entry, address, ret_row);
}
