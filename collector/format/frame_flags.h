/* SPDX-License-Identifier: MIT */
/* Flags of a stack's frame, in rings and in files. Layout only. */
#ifndef COLLECTOR_FORMAT_FRAME_FLAGS_H
#define COLLECTOR_FORMAT_FRAME_FLAGS_H

#define FRAME_IS_EXACT 1u   /* stopped there by a signal: its address is no return address */
#define FRAME_IS_WRAPPER 2u /* operator new and its kin: who asked is further out */
#define FRAME_IS_TRUNCATED \
	4u /* the outermost known: its caller could not be found, or is beyond the limit of depth */

#endif
