/* SPDX-License-Identifier: MIT */
/* Flags of a stack's frame, in rings and in files. Layout only. */
#ifndef COLLECTOR_FORMAT_FRAME_FLAGS_H
#define COLLECTOR_FORMAT_FRAME_FLAGS_H

#define FRAME_IS_EXACT 1u   /* stopped there by a signal: its address is no return address */
#define FRAME_IS_WRAPPER 2u /* operator new and its kin: who asked is further out */
#define FRAME_IS_TRUNCATED \
	4u /* the outermost known: its caller could not be found, or is beyond the limit of depth */
#define FRAME_IS_PYTHON 8u /* a line of a Python function: its address is the id of a python_line */
#define FRAME_IS_ENTRY \
	16u /* of these, one that C code has called: a C frame of the interpreter begins */

/* Ids of python_line have this bit, which no address of a program has. */
#define PYTHON_LINE_BIT (1ull << 55)

#endif
