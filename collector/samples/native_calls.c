/* SPDX-License-Identifier: MIT */
/*
 * What was read is read together with the stack the next time, so that a sample still takes one
 * system call. Up to 3.10, a code object has its instructions in a separate bytes object. From 3.11
 * on, a frame has the address of its instruction, in the form that CPython specialised it to.
 */
#include "collector/samples/native_calls.h"

#include <stddef.h>

#define CODE_INSTRUCTIONS 48u /* in a code object up to 3.10: its instructions, a bytes object */
#define INSTRUCTION_BYTES 2u
/* from this version on, an instruction's number counts instructions; before, bytes */
#define MINOR_NUMBERED 10u

/*
 * Operations of BINARY_OP that have a specialised form for numbers and texts, so the general form
 * has other objects.
 */
static bool is_of_objects(uint8_t operation)
{
	enum { ADD, MATRIX_MULTIPLY = 4, MULTIPLY = 5, SUBTRACT = 10, IN_PLACE = 13, ELEMENT = 26 };
	unsigned int plain = operation < IN_PLACE ? operation : operation - IN_PLACE;

	return operation == ELEMENT || plain == ADD || plain == MATRIX_MULTIPLY ||
	       plain == MULTIPLY || plain == SUBTRACT;
}

bool native_calls_is(unsigned int minor, uint8_t code, uint8_t argument)
{
	static const struct {
		uint8_t minor, code;
		bool is_arithmetic;
	} known[] = {
#define CALLS(version, number) { version, number, false },
#define ARITHMETIC(version, number) { version, number, true },
#include "collector/samples/native_calls.def"
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].minor == minor && known[i].code == code)
			return !known[i].is_arithmetic || is_of_objects(argument);
	return false;
}

bool native_calls_at(struct memory *memory, const struct python_layout *layout,
		     const struct call_site *site)
{
	uint8_t instruction[INSTRUCTION_BYTES];
	uint64_t address = site->at;

	if (!layout->code_start) {
		if (!memory_get(memory, site->code + CODE_INSTRUCTIONS, &address, sizeof(address)))
			return false;
		address += layout->bytes_data +
			   site->at * (layout->minor >= MINOR_NUMBERED ? INSTRUCTION_BYTES : 1);
	}
	return memory_get_around(memory, address, instruction, sizeof(instruction)) &&
	       native_calls_is(layout->minor, instruction[0], instruction[1]);
}
