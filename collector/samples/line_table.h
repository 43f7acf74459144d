/* SPDX-License-Identifier: MIT */
/*
 * CPython's tables of lines: which line of the source an instruction is of. The bytes are a program's and may be
 * anything. Equal to co_lines() of 3.10 and later, and to what dis.findlinestarts() gives in 3.8 and 3.9.
 */
#ifndef COLLECTOR_SAMPLES_LINE_TABLE_H
#define COLLECTOR_SAMPLES_LINE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/region/python_layout.h"

struct line_table {
	enum python_table form;
	const uint8_t *bytes;
	size_t length;
	uint32_t first_line; /* co_firstlineno */
};

/* Of the instruction that many bytes into the code; 0: it has none, or the table ends before it. */
uint32_t line_table_find(const struct line_table *table, uint32_t offset);

#endif
