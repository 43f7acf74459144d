/* SPDX-License-Identifier: MIT */
/* Starts stacks as the settings say, and registers the family calls that stacks need. */
#include <errno.h>
#include <stddef.h>

#include "preload/base/hidden.h"
#include "preload/base/object.h"
#include "preload/record/entry.h"
#include "preload/record/family.h"
#include "preload/record/limitation.h"
#include "preload/record/recorder.h"
#include "preload/settings/settings.h"
#include "preload/stacks/frame_names.h"
#include "preload/stacks/large.h"
#include "preload/stacks/long_calls.h"
#include "preload/stacks/objects.h"
#include "preload/stacks/stack.h"
#include "preload/stacks/thread.h"

static unsigned int families_of(enum settings_stacks mode)
{
	unsigned int families = 0;

#define FAMILY(name, by_default, needs, doc, none, why)        \
	if (settings.stacks[SETTINGS_FAMILY_##name] == (mode)) \
		families |= 1u << EVT_FAMILY_##name;
#include "collector/format/families.def"
	return families;
}

static void stacks_listen(void)
{
	struct region_header *region = entry_region();

	if (region)
		frame_names_listen(&region->stacks_asked);
}

static void stacks_forked(void)
{
	stack_forked();
	stacks_listen();
}

static void stacks_begun(void)
{
	recorder_on_thread_end(stack_thread_ends);
	stacks_listen();
}

static void stacks_find_own(void)
{
	struct object self;

	if (object_of((uintptr_t)stacks_find_own, &self))
		stack_set_own((uintptr_t)self.start, (uintptr_t)self.end);
	stacks_begun();
}

/* Of Python's frames, once these can be read. */
static void large_start(void)
{
	unsigned int families = settings_large_stacks();
	uint64_t bytes = settings.stacks_min_bytes ? settings.stacks_min_bytes : LARGE_BYTES_MIN;

	if (!families)
		return;
	large_prepare(families, bytes, settings.stacks_depth);
	large_prepare_smaller(settings.stacks_min_bytes ? 0 : families & 1u << EVT_FAMILY_tensors);
	stacks_begun();
}

static void stacks_start(void)
{
	unsigned int both = families_of(SETTINGS_STACKS_BOTH);
	unsigned int python = families_of(SETTINGS_STACKS_PYTHON) | both;
	unsigned int native = families_of(SETTINGS_STACKS_NATIVE) | both;
	int error;

	objects_start();
	stack_min_bytes = settings.stacks_min_bytes;
	stack_every = settings.stacks_every_bytes;
#define FAMILY_CALLS(name) \
	long_calls_ns[EVT_FAMILY_##name] = settings.stacks_min_ns[SETTINGS_FAMILY_##name];
#include "collector/format/families.def"
	stack_without = families_of(SETTINGS_STACKS_OFF);
	if (!(native | python)) {
		large_start();
		return;
	}
	error = stack_begin(native | python, STACK_ENTRIES_DEFAULT, settings.stacks_depth);
	if (error == -ENOSYS)
		limitation_say(LIMITATION_stacks_glibc, NULL);
	else if (error)
		limitation_say(LIMITATION_stacks_memory, NULL);
	else
		stacks_find_own();
	stack_native_families = stack_families ? native : 0;
	stack_python_families = stack_families ? python : 0;
	large_start();
}

PRELOAD_HIDDEN extern const struct family family_stacks;
const struct family family_stacks = { .start = stacks_start, .forked = stacks_forked };
