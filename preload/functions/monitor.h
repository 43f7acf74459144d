/* SPDX-License-Identifier: MIT */
/* Calls by sys.monitoring, CPython 3.12 and newer. */
#ifndef PRELOAD_FUNCTIONS_MONITOR_H
#define PRELOAD_FUNCTIONS_MONITOR_H

#include "preload/base/hidden.h"

/* sys.monitoring.DISABLE: what a callback returns to see no more of that place. */
PRELOAD_HIDDEN extern void *monitor_disable;

#endif
