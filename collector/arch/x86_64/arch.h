/* SPDX-License-Identifier: MIT */
/* x86-64. The comments hold for the same names of every architecture. */
#ifndef COLLECTOR_ARCH_X86_64_ARCH_H
#define COLLECTOR_ARCH_X86_64_ARCH_H

#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>

/* As uname() names it, and as people do. */
#define ARCH_NAME "x86_64"
#define ARCH_TITLE "x86-64"
/* e_machine of its ELF files */
#define ARCH_ELF_MACHINE 62u

/* --- clock --- */

/* Returns the counter that records are stamped with. The instruction is not serialised. */
static inline uint64_t arch_ticks(void)
{
	return __builtin_ia32_rdtsc();
}

/* True if the counter runs at one rate all the time. */
static inline bool arch_ticks_are_steady(void)
{
	unsigned int a, b, c, d;

	/*
	 * leaf 0x80000007, EDX bit 8: the TSC runs at one rate in every power state (AMD APM 3,
	 * Intel SDM 3)
	 */
	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
}

/* --- bare system calls: errno is not touched, and the result is negative on error --- */

static inline long arch_call3(long number, long a, long b, long c)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
}

static inline long arch_call4(long number, long a, long b, long c, long d)
{
	register long fourth __asm__("r10") = d;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
			 : "rcx", "r11", "memory");
	return result;
}

static inline long arch_call6(long number, long a, long b, long c, long d, long e, long f)
{
	register long fourth __asm__("r10") = d;
	register long fifth __asm__("r8") = e;
	register long sixth __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
			 : "rcx", "r11", "memory");
	return result;
}

/* --- single instructions --- */

/* Returns the thread pointer, from which thread-local data has a fixed distance. */
static inline __attribute__((always_inline)) char *arch_thread(void)
{
	char *thread;

	__asm__("mov %%fs:0, %0" : "=r"(thread));
	return thread;
}

/* Not __builtin_prefetch(): gcc removes the call of a function that does nothing else. */
static inline void arch_prefetch(const void *line)
{
	__asm__ volatile("prefetcht0 %0" ::"m"(*(const char *)line));
}

/*
 * Replaces a word that only this thread and its signal handlers write. No handler can come between
 * the comparison and the store. Other threads' order is not concerned.
 */
static inline bool arch_word_replace(uint64_t *word, uint64_t from, uint64_t to)
{
	bool replaced;

	__asm__ volatile("cmpxchgq %3, %1"
			 : "=@ccz"(replaced), "+m"(*word), "+a"(from)
			 : "r"(to)
			 : "memory");
	return replaced;
}

/* Adds to a word that only this thread and its signal handlers write, and others read. */
static inline void arch_word_add(_Atomic uint64_t *sum, uint64_t value)
{
	__asm__ volatile("addq %1, %0" : "+m"(*sum) : "er"(value) : "cc");
}

/* Sets `ret` to the address of a function of this object, without a relocation. */
#define ARCH_ADDRESS_OF(ret, function) __asm__("lea %c1(%%rip), %0" : "=r"(ret) : "i"(function))

/* --- registers --- */

/* DWARF numbers: frame pointer, stack pointer, and the column of the return address */
#define ARCH_CFI_FP 6u
#define ARCH_CFI_SP 7u
#define ARCH_CFI_RETURN 16u

/* offsets of the interrupted registers from the stack pointer in the frame of a signal's return */
#define ARCH_SIGNAL_FP 120
#define ARCH_SIGNAL_SP 160
#define ARCH_SIGNAL_PC 168

/* In a ucontext_t after makecontext(): the address to which the function will return. */
#define ARCH_CONTEXT_RETURN(context) (*(const uintptr_t *)(context)->uc_mcontext.gregs[REG_RSP])

/* the registers of a perf sample, in this order: frame pointer, stack pointer, program counter */
#define ARCH_PERF_REGISTERS (1u << 6 | 1u << 7 | 1u << 8)

/* --- vectors --- */

/* varints_wide.c and kinds_wide.c have a form for its wide registers. */
#define ARCH_HAS_WIDE_LANES 1

/* --- system calls that not every architecture has --- */

#define ARCH_FORK() syscall(SYS_fork)

#endif
