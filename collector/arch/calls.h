/* SPDX-License-Identifier: MIT */
/* Numbers of system calls in files (collector/format/calls.h), of those of this architecture. */
#ifndef COLLECTOR_ARCH_CALLS_H
#define COLLECTOR_ARCH_CALLS_H

#if defined(__x86_64__)
#include "collector/arch/x86_64/calls.h"
#elif defined(__aarch64__)
#include "collector/arch/aarch64/calls.h"
#endif

#endif
