/* SPDX-License-Identifier: MIT */
/*
 * A stack machine with symbolic values: a base (none, CFA, rsp, rbp, or a word loaded through one
 * of the last two) and an offset. If something cannot be expressed this way, the run ends without a
 * result.
 */
#include "collector/cfi/cfi_expression.h"

#include "collector/arch/arch.h"

#define DEPTH_MAX 8u

enum expression_operation {
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST1S = 0x09,
	OP_CONST2U = 0x0a,
	OP_CONST2S = 0x0b,
	OP_CONST4U = 0x0c,
	OP_CONST4S = 0x0d,
	OP_CONST8U = 0x0e,
	OP_CONST8S = 0x0f,
	OP_CONSTU = 0x10,
	OP_CONSTS = 0x11,
	OP_AND = 0x1a,
	OP_MINUS = 0x1c,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_GE = 0x2a,
	OP_LIT = 0x30,
	OP_LIT_LAST = 0x4f,
	OP_BREG = 0x70,
	OP_BREG_LAST = 0x8f,
};

struct expression {
	struct cursor code;
	uintptr_t address;
	struct cfi_value value[DEPTH_MAX];
	unsigned int depth;
};

static void cfi_expression_push(struct expression *e, enum cfi_base base, int64_t offset)
{
	if (e->depth < DEPTH_MAX)
		e->value[e->depth++] = (struct cfi_value){ .base = base, .offset = offset };
	else
		e->code.bad = true;
}

static struct cfi_value cfi_expression_pop(struct expression *e)
{
	if (e->depth)
		return e->value[--e->depth];
	e->code.bad = true;
	return (struct cfi_value){ 0 };
}

static int64_t sum(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static void push_register(struct expression *e, unsigned int number)
{
	int64_t offset = cursor_signed(&e->code);

	if (number == ARCH_CFI_SP)
		cfi_expression_push(e, CFI_BASE_RSP, offset);
	else if (number == ARCH_CFI_FP)
		cfi_expression_push(e, CFI_BASE_RBP, offset);
	else if (number == ARCH_CFI_RETURN)
		cfi_expression_push(e, CFI_BASE_NONE, sum((int64_t)e->address, offset));
	else
		e->code.bad = true;
}

static void load(struct expression *e)
{
	struct cfi_value at = cfi_expression_pop(e);

	if (at.base != CFI_BASE_RSP && at.base != CFI_BASE_RBP) {
		e->code.bad = true;
		return;
	}
	cfi_expression_push(e, at.base == CFI_BASE_RSP ? CFI_BASE_RSP_LOAD : CFI_BASE_RBP_LOAD, 0);
	if (!e->code.bad)
		e->value[e->depth - 1].inner = at.offset;
}

/* Combines two numbers. Plus and minus also accept a base and a number. */
static void combine(struct expression *e, unsigned int operation)
{
	struct cfi_value b = cfi_expression_pop(e), a = cfi_expression_pop(e);

	if (operation == OP_PLUS && a.base == CFI_BASE_NONE) {
		struct cfi_value swapped = a;

		a = b;
		b = swapped;
	}
	e->code.bad |= b.base != CFI_BASE_NONE;
	e->code.bad |= a.base != CFI_BASE_NONE && operation != OP_PLUS && operation != OP_MINUS;
	switch (operation) {
	case OP_PLUS:
		a.offset = sum(a.offset, b.offset);
		break;
	case OP_MINUS:
		a.offset = (int64_t)((uint64_t)a.offset - (uint64_t)b.offset);
		break;
	case OP_AND:
		a.offset &= b.offset;
		break;
	case OP_GE:
		a.offset = a.offset >= b.offset;
		break;
	case OP_SHL:
		e->code.bad |= b.offset < 0 || b.offset > 63;
		if (!e->code.bad)
			a.offset = (int64_t)((uint64_t)a.offset << b.offset);
		break;
	}
	if (!e->code.bad)
		e->value[e->depth++] = a;
}

static void push_constant(struct expression *e, unsigned int operation)
{
	unsigned int bytes = 1u << (operation - OP_CONST1U) / 2;
	uint64_t value = cursor_take(&e->code, bytes);

	if ((operation - OP_CONST1U) % 2 && bytes < 8)
		value = (value ^ 1ull << (8 * bytes - 1)) - (1ull << (8 * bytes - 1));
	cfi_expression_push(e, CFI_BASE_NONE, (int64_t)value);
}

static void cfi_expression_step(struct expression *e)
{
	unsigned int operation = (unsigned int)cursor_take(&e->code, 1);

	if (operation >= OP_LIT && operation <= OP_LIT_LAST) {
		cfi_expression_push(e, CFI_BASE_NONE, operation - OP_LIT);
		return;
	}
	if (operation >= OP_BREG && operation <= OP_BREG_LAST) {
		push_register(e, operation - OP_BREG);
		return;
	}
	if (operation >= OP_CONST1U && operation <= OP_CONST8S) {
		push_constant(e, operation);
		return;
	}
	switch (operation) {
	case OP_DEREF:
		load(e);
		return;
	case OP_CONSTU:
		cfi_expression_push(e, CFI_BASE_NONE, (int64_t)cursor_number(&e->code));
		return;
	case OP_CONSTS:
		cfi_expression_push(e, CFI_BASE_NONE, cursor_signed(&e->code));
		return;
	case OP_PLUS_UCONST:
		cfi_expression_push(e, CFI_BASE_NONE, (int64_t)cursor_number(&e->code));
		combine(e, OP_PLUS);
		return;
	case OP_AND:
	case OP_MINUS:
	case OP_PLUS:
	case OP_SHL:
	case OP_GE:
		combine(e, operation);
		return;
	}
	e->code.bad = true;
}

bool cfi_expression_run(struct cursor code, uintptr_t address, bool on_cfa,
			struct cfi_value *ret_value)
{
	struct expression e = { .code = code, .address = address };

	if (on_cfa)
		cfi_expression_push(&e, CFI_BASE_CFA, 0);
	while (!e.code.bad && e.code.at < e.code.end)
		cfi_expression_step(&e);
	if (e.code.bad || !e.depth)
		return false;
	*ret_value = e.value[e.depth - 1];
	return true;
}
