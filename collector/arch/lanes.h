/* SPDX-License-Identifier: MIT */
/* Sixteen bytes, or eight or four numbers, in a vector register: see x86_64/lanes.h. */
#ifndef COLLECTOR_ARCH_LANES_H
#define COLLECTOR_ARCH_LANES_H

#if defined(__x86_64__)
#include "collector/arch/x86_64/lanes.h"
#elif defined(__aarch64__)
#include "collector/arch/aarch64/lanes.h"
#endif

#endif
