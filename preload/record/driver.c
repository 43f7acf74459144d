/* SPDX-License-Identifier: MIT */
/*
 * See driver.h. An atomic exchange lets only the first report call driver_found(). Whoever resets
 * driver_is_known has the next call report again.
 */
#include "preload/record/driver.h"

#include <stddef.h>

bool driver_is_known;
void (*driver_found)(void);

void driver_report(void)
{
	if (!__atomic_exchange_n(&driver_is_known, true, __ATOMIC_ACQ_REL) && driver_found)
		driver_found();
}
