/* SPDX-License-Identifier: MIT */
/* x86-64. The comments hold for the same names of every architecture. */
#ifndef COLLECTOR_ARCH_X86_64_CALLS_H
#define COLLECTOR_ARCH_X86_64_CALLS_H

/* From this number on all architectures have the same. */
#define ARCH_CALLS_COMMON 424

/* Returns the number on x86-64, as in files, of the system call `native`; -1: it has none. */
static inline long arch_call_number(long native)
{
	return native;
}

/* Returns the flags of open() as on x86-64, as in files. */
static inline int arch_open_flags(int native)
{
	return native;
}

#endif
