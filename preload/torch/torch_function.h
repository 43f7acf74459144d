/* SPDX-License-Identifier: MIT */
/*
 * Where the fields of an at::RecordFunction are. They differ between versions of torch, so they are
 * found by examining operators with known sequence numbers, which bootstrap.py runs.
 *
 * One thread runs the operators; afterwards the layout is only read.
 */
#ifndef PRELOAD_TORCH_TORCH_FUNCTION_H
#define PRELOAD_TORCH_TORCH_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/base/hidden.h"
#include "preload/torch/torch_layout.h"

#define TORCH_SHOWN 4u
#define TORCH_SHOWN_NAME "aten::mul"

/* Word indices in a RecordFunction; 0: not known. Either all except `schema` are known, or none. */
struct torch_function {
	unsigned int sequence, thread, forward; /* the scope is a byte in the word after `thread` */
	unsigned int schema;
};

extern struct torch_function torch_function PRELOAD_HIDDEN;

#define TORCH_FUNCTION_NO_SEQUENCE (-1)

/* The function that has just begun has that name, and that sequence number if it is known. */
void torch_function_look(const uint64_t *function, const char *name, int64_t sequence);

/*
 * TORCH_SHOWN_NAME was run TORCH_SHOWN times by this thread, whose number in torch is `thread`.
 * Returns false if that was not seen as requested: not that many times, or with inputs when none
 * were requested.
 */
bool torch_function_find(uint64_t thread, bool with_inputs);

static inline unsigned int torch_function_scope(const uint64_t *function)
{
	return function[torch_function.thread + 1] & 0xff;
}

/*
 * std::variant<std::string, reference_wrapper<const FunctionSchema>>: four words, and which of the
 * two it is. A schema begins with its name, a std::string. Only in the new ABI of libstdc++;
 * otherwise torch is asked for the name.
 */
#define TORCH_FUNCTION_KIND 4u
#define TORCH_FUNCTION_HAS_SCHEMA 1u

static inline const uint64_t *torch_function_schema(const uint64_t *function)
{
	unsigned int word = torch_function.schema;

	if (!word || (function[word + TORCH_FUNCTION_KIND] & 0xff) != TORCH_FUNCTION_HAS_SCHEMA)
		return NULL;
	return (const uint64_t *)(uintptr_t)function[word];
}

/* ArrayRef<const IValue>, after the sequence number */
static inline const struct torch_value *torch_function_inputs(const uint64_t *function,
							      size_t *ret_count)
{
	*ret_count = function[torch_function.sequence + 2];
	return (const struct torch_value *)(uintptr_t)function[torch_function.sequence + 1];
}

#endif
