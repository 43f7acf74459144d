/* SPDX-License-Identifier: MIT */
/*
 * A library of functions with names that stacks are made of, mapped into processes that are made by
 * hand.
 */
#ifndef TESTS_UNIT_REPORT_STACKS_STACK_LIBRARY_H
#define TESTS_UNIT_REPORT_STACKS_STACK_LIBRARY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/session/source_state.h"
#include "report/stacks/named_stacks.h"

/* By their symbols, each FUNCTION_BYTES long; no debug information. */
static const char *const stack_functions[] = { "_start",
					       "__libc_start_main",
					       "main",
					       "train",
					       "step",
					       "_Znwm",
					       "malloc",
					       "other",
					       "_ZNSt15__new_allocatorIiE8allocateEmPKv" };
enum {
	START_FUNCTION,
	LIBC_START,
	MAIN,
	TRAIN,
	STEP,
	OPERATOR_NEW,
	MALLOC,
	OTHER,
	ALLOCATE,
	FUNCTIONS
};
#define FUNCTION_BYTES 16u

struct stack_library {
	char path[64];
	uint64_t first; /* address of the first function, in the file */
};

static inline void stack_library_make(struct stack_library *library)
{
	char command[2048], *at = command, line[512];
	FILE *nm;

	snprintf(library->path, sizeof(library->path), "./stacks-%d.so", (int)getpid());
	at += sprintf(at, "{ echo .text; echo .balign 64;");
	for (size_t i = 0; i < FUNCTIONS; i++)
		at += sprintf(
			at,
			" echo .globl %s; echo .type %s,@function; echo %s:; echo .fill %u,1,0x90;"
			" echo .size %s,%u;",
			stack_functions[i], stack_functions[i], stack_functions[i], FUNCTION_BYTES,
			stack_functions[i], FUNCTION_BYTES);
	sprintf(at, " } | ${CC:-cc} -shared -nostdlib -Wl,--build-id=none -x assembler - -o %s",
		library->path);
	if (system(command))
		abort();
	snprintf(command, sizeof(command), "nm %s | grep ' _start$'", library->path);
	nm = popen(command, "r");
	if (!nm || !fgets(line, sizeof(line), nm))
		abort();
	library->first = strtoull(line, NULL, 16);
	pclose(nm);
}

/* A return address in a function, `call` bytes in. */
static inline uint64_t stack_address(const struct stack_library *library, uint64_t bias,
				     unsigned int function, unsigned int call)
{
	return bias + library->first + function * FUNCTION_BYTES + call;
}

/* A process with the library, at `bias`. */
struct stack_process {
	struct source_name path, build_id;
	struct source_module module[2], *modules[2];
	struct source_process process;
};

static inline void stack_process_init(struct stack_process *mapped, uint32_t index,
				      const struct stack_library *library, uint64_t bias)
{
	*mapped = (struct stack_process){
		.path = { .text = library->path, .length = strlen(library->path) },
		.build_id = { .text = "", .length = 0 },
		.module = { { .start = bias,
			      .bytes = 0x10000,
			      .bias = bias,
			      .path = &mapped->path,
			      .build_id = &mapped->build_id,
			      .to_ns = UINT64_MAX } },
		.modules = { &mapped->module[0], &mapped->module[1] },
	};
	mapped->process.index = index;
	mapped->process.module = mapped->modules;
	mapped->process.module_count = 1;
}

/*
 * A stack of functions from the outermost to the innermost, -1 at the end, each at the byte `call`.
 */
static inline uint32_t stack_put(struct source *source, const struct stack_library *library,
				 uint64_t bias, unsigned int call, const int *functions)
{
	uint32_t stack = STACK_NONE;

	for (; *functions >= 0; functions++)
		stack = stacks_add(&source->stacks, stack,
				   stack_address(library, bias, (unsigned int)*functions, call), 0);
	return stack;
}
#define STACK(source, library, bias, call, ...) \
	stack_put(source, library, bias, call, (const int[]){ __VA_ARGS__, -1 })

#endif
