/* SPDX-License-Identifier: MIT */
/* What files have as it is on x86-64: numbers of system calls (collector/format/calls.h), flags. */
#ifndef COLLECTOR_ARCH_CALLS_H
#define COLLECTOR_ARCH_CALLS_H

#if defined(__x86_64__)
#include "collector/arch/x86_64/calls.h"
#elif defined(__aarch64__)
#include "collector/arch/aarch64/calls.h"
#endif

#endif
