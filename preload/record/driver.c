/* SPDX-License-Identifier: MIT */
/*
 * An atomic exchange lets only the first report call driver_found(). When driver_is_known is reset,
 * the next call reports again.
 */
#include "preload/record/driver.h"

bool driver_is_known;
void (*driver_found)(void);

void driver_report(void)
{
	if (!__atomic_exchange_n(&driver_is_known, true, __ATOMIC_ACQ_REL) && driver_found)
		driver_found();
}
