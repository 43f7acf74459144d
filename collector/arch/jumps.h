/* SPDX-License-Identifier: MIT */
/* Functions that jump on, as assembly: see x86_64/jumps.h. */
#ifndef COLLECTOR_ARCH_JUMPS_H
#define COLLECTOR_ARCH_JUMPS_H

#if defined(__x86_64__)
#include "collector/arch/x86_64/jumps.h"
#elif defined(__aarch64__)
#include "collector/arch/aarch64/jumps.h"
#endif

#endif
