/* SPDX-License-Identifier: MIT */
/* System calls by their numbers in files: CALL_read and so on. See calls.def. */
#ifndef COLLECTOR_FORMAT_CALLS_H
#define COLLECTOR_FORMAT_CALLS_H

enum call_number {
#define CALL(name, number) CALL_##name = number,
#include "collector/format/calls.def"
};

#endif
