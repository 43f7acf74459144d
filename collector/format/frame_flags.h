/* SPDX-License-Identifier: MIT */
/* Flags of a stack's frame, in rings and in files. Layout only. */
#ifndef COLLECTOR_FORMAT_FRAME_FLAGS_H
#define COLLECTOR_FORMAT_FRAME_FLAGS_H

#define FRAME_IS_EXACT 1u   /* a signal interrupted it here: its address is no return address */
#define FRAME_IS_WRAPPER 2u /* operator new and its relatives: the caller is further out */
/* the outermost known frame: its caller could not be found, or is beyond the depth limit */
#define FRAME_IS_TRUNCATED 4u
#define FRAME_IS_PYTHON 8u /* a line of a Python function: its address is the id of a python_line */
/* such a frame, called by C code: here a C frame of the interpreter begins */
#define FRAME_IS_ENTRY 16u

/* Ids of python_line have this bit, which no address of a program has. */
#define PYTHON_LINE_BIT (1ull << 55)

#endif
