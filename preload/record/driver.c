/* SPDX-License-Identifier: MIT */
/* See driver.h. */
#include "preload/record/driver.h"

#include <stddef.h>

bool driver_is_known;
void (*driver_found)(void);

void driver_report(void)
{
	if (!__atomic_exchange_n(&driver_is_known, true, __ATOMIC_ACQ_REL) && driver_found)
		driver_found();
}
