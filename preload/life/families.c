/* SPDX-License-Identifier: MIT */
/*
 * The calls are generated from the list instead of made in a loop over a table, so that the machine
 * code shows which functions are called and scripts/reach.py can follow them.
 */
#include "preload/life/families.h"

#include "preload/base/clock.h"
#include "preload/base/hidden.h"
#include "preload/record/family.h"

#define FAMILY(name) PRELOAD_HIDDEN extern const struct family family_##name;
#include "preload/families.def"

void families_loaded(void)
{
#define FAMILY(name)              \
	if (family_##name.loaded) \
		family_##name.loaded();
#include "preload/families.def"
}

void families_start(void)
{
#define FAMILY(name)             \
	if (family_##name.start) \
		family_##name.start();
#include "preload/families.def"
}

void families_opened(void)
{
#define FAMILY(name)              \
	if (family_##name.opened) \
		family_##name.opened();
#include "preload/families.def"
}

void families_forked(void)
{
#define FAMILY(name)              \
	if (family_##name.forked) \
		family_##name.forked();
#include "preload/families.def"
}

void families_driver_starts(bool is_late)
{
#define FAMILY(name)                     \
	if (family_##name.driver_starts) \
		family_##name.driver_starts(is_late);
#include "preload/families.def"
}

void families_flush(void)
{
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + FAMILY_FLUSH_NS;

#define FAMILY(name)                                                  \
	if (family_##name.flush && clock_ns(CLOCK_MONOTONIC) < until) \
		family_##name.flush(until);
#include "preload/families.def"
}

void families_leave(void)
{
#define FAMILY(name)              \
	if (family_##name.leaves) \
		family_##name.leaves();
#include "preload/families.def"
}
