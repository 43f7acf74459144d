/* SPDX-License-Identifier: MIT */
/* Calls seen by sys.monitoring, CPython 3.12 and newer. */
#ifndef PRELOAD_FUNCTIONS_MONITOR_H
#define PRELOAD_FUNCTIONS_MONITOR_H

#include "preload/base/hidden.h"

/* sys.monitoring.DISABLE: a callback returns it to get no more events of that position. */
PRELOAD_HIDDEN extern void *monitor_disable;

#endif
