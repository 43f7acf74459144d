/* SPDX-License-Identifier: MIT */
/*
 * What depends on the processor's architecture: clock, registers, bare system calls, and a few
 * single instructions. Each architecture has a folder with headers of the same names, which define
 * the same functions and macros (x86_64/arch.h describes them). No file outside of collector/arch/
 * tests for an architecture (scripts/check-arch.sh).
 */
#ifndef COLLECTOR_ARCH_ARCH_H
#define COLLECTOR_ARCH_ARCH_H

#if defined(__x86_64__) && defined(__LP64__)
#include "collector/arch/x86_64/arch.h"
#elif defined(__aarch64__) && defined(__LP64__) && !defined(__AARCH64EB__)
#include "collector/arch/aarch64/arch.h"
#else
#error "intercept runs on x86-64 and on aarch64 with 64-bit pointers in little-endian order only"
#endif

#endif
