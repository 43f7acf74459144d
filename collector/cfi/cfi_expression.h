/* SPDX-License-Identifier: MIT */
/*
 * DWARF expressions of call frame information, evaluated without registers: the result is given in
 * terms of rsp, rbp and the CFA. The result may also be a word read from memory through rsp or rbp;
 * a second read is refused.
 */
#ifndef COLLECTOR_CFI_CFI_EXPRESSION_H
#define COLLECTOR_CFI_CFI_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/cfi/cursor.h"

enum cfi_base {
	CFI_BASE_NONE, /* a number */
	CFI_BASE_RSP,
	CFI_BASE_RBP,
	CFI_BASE_CFA,
	CFI_BASE_RSP_LOAD, /* the word at rsp + inner */
	CFI_BASE_RBP_LOAD,
};

struct cfi_value {
	enum cfi_base base;
	int64_t inner;
	int64_t offset; /* is added */
};

/*
 * `address`: the instruction pointer. `on_cfa`: the CFA is on the expression's stack. Returns false
 * if the expression is not supported.
 */
bool cfi_expression_run(struct cursor code, uintptr_t address, bool on_cfa,
			struct cfi_value *ret_value);

#endif
