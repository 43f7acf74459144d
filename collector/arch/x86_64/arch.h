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

/* Programs have addresses below 2^ARCH_ADDRESS_BITS, unless they ask the kernel for others. */
#define ARCH_ADDRESS_BITS 47u

/* The largest page that a kernel may have been built for. */
#define ARCH_PAGE_MAX 4096u

/* --- clock --- */

/* clock_gettime() in the vDSO */
#define ARCH_VDSO_CLOCK "__vdso_clock_gettime"
/* the counter, in files */
#define ARCH_TICKS_NAME "tsc"

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

/* Returns the counter's rate as the processor states it; 0: it states none, so it is measured. */
static inline uint64_t arch_ticks_hz(void)
{
	return 0;
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
/* an operation and a letter of an augmentation that only say how return addresses are signed */
#define ARCH_CFI_SIGNS 0x100
#define ARCH_CFI_SIGNS_LETTER 'S'
/* a function may keep its return address in a register */
#define ARCH_CFI_HAS_LINK 0

/* offsets of the interrupted registers from the stack pointer in the frame of a signal's return */
#define ARCH_SIGNAL_FP 120
#define ARCH_SIGNAL_SP 160
#define ARCH_SIGNAL_PC 168

/* In a ucontext_t after makecontext(): the address to which the function will return. */
#define ARCH_CONTEXT_RETURN(context) (*(const uintptr_t *)(context)->uc_mcontext.gregs[REG_RSP])

/* the registers of a perf sample, in this order: frame pointer, stack pointer, program counter */
#define ARCH_PERF_REGISTERS (1u << 6 | 1u << 7 | 1u << 8)
/* after the frame pointer there is also the link register */
#define ARCH_PERF_HAS_LINK 0

/* --- stacks --- */

/*
 * The frame of the function that this stands in: the caller's frame pointer, then the return
 * address. Valid as long as the function runs.
 */
#define ARCH_FRAME ((void *const *)__builtin_frame_address(0))

/* Returns the CFA of such a frame: the stack pointer after its return. */
static inline uintptr_t arch_frame_cfa(void *const *frame)
{
	return (uintptr_t)(frame + 2);
}

/*
 * Returns how many bytes below a CFA the return address is stored, if the frame pointer is stored
 * `fp_words` words below it (0: not stored). 1: that is not known.
 */
static inline uintptr_t arch_return_below(uintptr_t fp_words)
{
	(void)fp_words;
	return 8;
}

/* The caller's frame pointer is stored just below the return address, wherever that is. */
#define ARCH_HAS_PAIRS 0

/* Returns the address in a stored return address, which may be signed. */
static inline uint64_t arch_return_address(uint64_t word)
{
	return word;
}

/* True if the instructions at `code` return from a signal handler. They must be readable. */
static inline bool arch_is_signal_return(const void *code)
{
	(void)code;
	return false;
}

/* the kernel's code that returns from a handler may be in no table */
#define ARCH_HAS_BARE_SIGNAL_RETURN 0

/* --- vectors --- */

/* varints_wide.c and kinds_wide.c have a form for its wide registers. */
#define ARCH_HAS_WIDE_LANES 1

/* --- system calls that not every architecture has, by libc's syscall() --- */

#define ARCH_FORK() syscall(SYS_fork)
#define ARCH_POLL(files, count, ms) syscall(SYS_poll, files, count, ms)
#define ARCH_READLINK(path, room, bytes) syscall(SYS_readlink, path, room, bytes)
#define ARCH_OPEN(path, flags) syscall(SYS_open, path, flags)

#endif
