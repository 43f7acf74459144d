/* SPDX-License-Identifier: MIT */
/* aarch64: see x86_64/arch.h. Tried under an emulator only. */
#ifndef COLLECTOR_ARCH_AARCH64_ARCH_H
#define COLLECTOR_ARCH_AARCH64_ARCH_H

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define ARCH_NAME "aarch64"
#define ARCH_TITLE "aarch64"
#define ARCH_ELF_MACHINE 183u

/*
 * The kernel gives programs addresses below 2^48. With 52-bit addresses it gives larger ones only
 * to those that ask for one. Shared libraries and executables have bit 47 set, as a rule.
 */
#define ARCH_ADDRESS_BITS 48u

/* The kernel may have been built for pages of 4, 16 or 64 KiB. */
#define ARCH_PAGE_MAX 65536u

/* --- clock --- */

/* clock_gettime() in the vDSO */
#define ARCH_VDSO_CLOCK "__kernel_clock_gettime"
#define ARCH_TICKS_NAME "cntvct"

/*
 * The generic timer's virtual counter. It is coarse: 25 MHz to 1 GHz, so events of one thread often
 * have the same time. Their order is that of the ring.
 */
static inline uint64_t arch_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}

static inline bool arch_ticks_are_steady(void)
{
	return true;
}

static inline uint64_t arch_ticks_hz(void)
{
	uint64_t hz;

	__asm__("mrs %0, cntfrq_el0" : "=r"(hz));
	return hz;
}

/* --- bare system calls --- */

static inline long arch_call6(long number, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory", "cc");
	return x0;
}

static inline long arch_call4(long number, long a, long b, long c, long d)
{
	return arch_call6(number, a, b, c, d, 0, 0);
}

static inline long arch_call3(long number, long a, long b, long c)
{
	return arch_call6(number, a, b, c, 0, 0, 0);
}

/* --- single instructions --- */

static inline __attribute__((always_inline)) char *arch_thread(void)
{
	return __builtin_thread_pointer();
}

static inline void arch_prefetch(const void *line)
{
	__asm__ volatile("prfm pldl1keep, %a0" ::"p"(line));
}

/* A signal handler clears the exclusive monitor, so that the loop starts again. */
static inline bool arch_word_replace(uint64_t *word, uint64_t from, uint64_t to)
{
	return __atomic_compare_exchange_n(word, &from, to, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED);
}

static inline void arch_word_add(_Atomic uint64_t *sum, uint64_t value)
{
	__atomic_fetch_add((uint64_t *)sum, value, __ATOMIC_RELAXED);
}

#define ARCH_ADDRESS_OF(ret, function) \
	__asm__("adrp %0, %c1\n\tadd %0, %0, :lo12:%c1" : "=r"(ret) : "S"(function))

/* --- registers --- */

#define ARCH_CFI_FP 29u
#define ARCH_CFI_SP 31u
#define ARCH_CFI_RETURN 30u
/* DW_CFA_AARCH64_negate_ra_state, and the letter for the B key */
#define ARCH_CFI_SIGNS 0x2d
#define ARCH_CFI_SIGNS_LETTER 'B'
#define ARCH_CFI_HAS_LINK 1

/* In the frame of a signal's return: a siginfo_t (128 bytes), then a ucontext with x0 at 184. */
#define ARCH_SIGNAL_FP 544
#define ARCH_SIGNAL_SP 560
#define ARCH_SIGNAL_PC 568

#define ARCH_CONTEXT_RETURN(context) ((uintptr_t)(context)->uc_mcontext.regs[30])

/* x29, x30, sp, pc: PERF_REG_ARM64_* of asm/perf_regs.h */
#define ARCH_PERF_REGISTERS (1ull << 29 | 1ull << 30 | 1ull << 31 | 1ull << 32)
#define ARCH_PERF_HAS_LINK 1

/* --- vectors --- */

#define ARCH_HAS_WIDE_LANES 0

/* --- stacks --- */

#define ARCH_HAS_PAIRS 1

/* the caller's x29, the return address without its signature, the CFA */
#define ARCH_FRAME                                                     \
	((void *const[3]){ *(void *const *)__builtin_frame_address(0), \
			   __builtin_return_address(0), __builtin_dwarf_cfa() })

static inline uintptr_t arch_frame_cfa(void *const *frame)
{
	return (uintptr_t)frame[2];
}

/* Compilers store x29 and x30 as a pair. */
static inline uintptr_t arch_return_below(uintptr_t fp_words)
{
	return fp_words ? 8 * fp_words - 8 : 1;
}

/* Removes a signature (PAC), which is in the bits above those of an address. */
static inline uint64_t arch_return_address(uint64_t word)
{
	return word & ((1ull << ARCH_ADDRESS_BITS) - 1);
}

#define ARCH_HAS_BARE_SIGNAL_RETURN 1

/* mov x8, 139 (rt_sigreturn); svc 0 */
static inline bool arch_is_signal_return(const void *code)
{
	const uint32_t *instruction = code;

	return (uintptr_t)code % 4 == 0 && instruction[0] == 0xd2801168 &&
	       instruction[1] == 0xd4000001;
}

/* --- system calls that not every architecture has --- */

#define ARCH_FORK() syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L)
#define ARCH_POLL(files, count, ms)              \
	syscall(SYS_ppoll, files, (long)(count), \
		&(struct timespec){ (ms) / 1000, (ms) % 1000 * 1000000L }, NULL, 0L)
#define ARCH_READLINK(path, room, bytes) syscall(SYS_readlinkat, (long)AT_FDCWD, path, room, bytes)
#define ARCH_OPEN(path, flags) syscall(SYS_openat, (long)AT_FDCWD, path, (long)(flags))

#endif
