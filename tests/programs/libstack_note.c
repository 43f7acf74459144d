/* SPDX-License-Identifier: MIT */
/* note() of stack_note.h for programs that are no C: 0 when it cannot be had. */
/* build: -ldl -O1 */
#include "tests/programs/stack_note.h"

int note_here(const char *where)
{
	if (!note_by.step && !note_open())
		return 0;
	note(where);
	return 1;
}
