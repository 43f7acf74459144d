/* SPDX-License-Identifier: MIT */
/*
 * Where things lie in an at::RecordFunction: found by looking at those of operators whose sequence
 * numbers are known (bootstrap.py runs them), since they differ between versions of torch.
 *
 * One thread shows; afterwards the layout is read only.
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

/* Words of a RecordFunction, 0 where they are not known; all but `schema` are known or none. */
struct torch_function {
	unsigned int sequence, thread,
		forward; /* the scope is a byte in the word behind `thread` */
	unsigned int schema;
};

extern struct torch_function torch_function PRELOAD_HIDDEN;

#define TORCH_FUNCTION_NO_SEQUENCE (-1)

/* The function that has just begun is of that name; its sequence number, if that is known. */
void torch_function_look(const uint64_t *function, const char *name, int64_t sequence);

/*
 * TORCH_SHOWN_NAME was run TORCH_SHOWN times by this thread, `thread` to torch. False when that was not
 * seen as it was asked for: not so often, or with inputs when none were asked for.
 */
bool torch_function_find(uint64_t thread, bool with_inputs);

static inline unsigned int torch_function_scope(const uint64_t *function)
{
	return function[torch_function.thread + 1] & 0xff;
}

/*
 * std::variant<std::string, reference_wrapper<const FunctionSchema>>: four words and which of them it is;
 * a schema begins with a std::string, its name. Of the new ABI of libstdc++, else the name is asked for.
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

/* ArrayRef<const IValue> behind the sequence number */
static inline const struct torch_value *torch_function_inputs(const uint64_t *function,
							      size_t *ret_count)
{
	*ret_count = function[torch_function.sequence + 2];
	return (const struct torch_value *)(uintptr_t)function[torch_function.sequence + 1];
}

#endif
