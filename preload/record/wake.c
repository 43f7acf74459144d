/* SPDX-License-Identifier: MIT */
/* A hook may run before our constructor: until then nobody wakes the program. */
#include "preload/record/wake.h"

static bool stay_asleep(void)
{
	return false;
}

bool (*wake_program)(void) = stay_asleep;
