/* SPDX-License-Identifier: MIT */
/* build: -Wl,-soname,libcupti.so.13 */
/*
 * A libcupti that asks the driver for what the fake driver refuses, as NVIDIA's do, and that ends
 * the program whichever of its functions is called, as CUPTI 13.2 does then.
 */
#include <stdlib.h>

#include "preload/gpu/cupti_api.h"

/* exported, so that it is kept; in constant data */
const unsigned char cupti_asks_for[16] = { 0x7c, 0xb6, 0x3f, 0x9b, 0x9c, 0xa4, 0x8e, 0x42,
					   0xa4, 0x84, 0xbe, 0xb6, 0x6e, 0x6a, 0xed, 0x7f };

#define DIES(name, parameters, is_needed) \
	cupti_result name parameters      \
	{                                 \
		abort();                  \
	}
CUPTI_FUNCTIONS(DIES)
