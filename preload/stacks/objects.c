/* SPDX-License-Identifier: MIT */
/*
 * Objects that ld.so loaded at the start are never unloaded, so the table has only those loaded
 * later. It is in memory of our own that is not touched before the first dlclose(). If the table
 * has no room for an object, its unloading is not recorded, and the collector goes by
 * /proc/PID/maps.
 */
#include "preload/stacks/objects.h"

#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "preload/base/futex.h"
#include "preload/base/loaded.h"
#include "preload/record/strings.h"
#include "preload/settings/settings.h"
#include "preload/stacks/pages.h"

#define OBJECTS 1024u
/* for another thread's look, which takes some microseconds where it has a CPU */
#define WAITS 100u
#define WAIT_NS 5000000u
#define BUILD_ID_BYTES 20u /* SHA-1; longer ones are left out */
#define PATH_BYTES 256u

struct known {
	struct loaded_span span; /* `end` 0: this place is free */
	uint64_t look;           /* number of the last look that saw it */
	uint64_t seen;           /* start of that look, in ticks */
	uint64_t name;           /* hash of its name in ld.so */
	uint32_t path_bytes, build_id_bytes;
	char path[PATH_BYTES];
	char build_id[BUILD_ID_BYTES];
};

struct counters {
	unsigned long long loads, unloads; /* so far, as ld.so counts them */
};

static struct {
	_Atomic uint64_t
		looker; /* generation of the process whose thread is looking; 0: no thread is */
	_Atomic bool again;
	_Atomic uint32_t ended;   /* counts the times when a thread has looked; a futex */
	uint64_t look;            /* number of the current look */
	uint64_t ticks;           /* its start */
	_Atomic uint64_t checked; /* in ticks: all that the last look saw was still there then */
	_Atomic uint64_t begun;   /* in ticks: when the newest call of dlclose() began */
	struct counters counters; /* values at the last look */
	/* number of objects loaded at the start; they are first in ld.so's list */
	unsigned long long at_start;
	uint32_t count;      /* places that have ever been used */
	struct known *known; /* [OBJECTS], mapped at the first look; NULL: not yet */
} objects;

static uint64_t objects_hash_of(const char *text)
{
	uint64_t hash = 14695981039346656037ull; /* FNV-1a */

	while (*text)
		hash = (hash ^ (uint8_t)*text++) * 1099511628211ull;
	return hash;
}

static bool has_build_id(const struct known *known, const struct dl_phdr_info *info)
{
	uint32_t bytes;
	const char *build_id = loaded_build_id(info, &bytes);

	if (!build_id || bytes > BUILD_ID_BYTES)
		bytes = 0;
	return bytes == known->build_id_bytes &&
	       (!bytes || !memcmp(build_id, known->build_id, bytes));
}

/*
 * The build-id is compared too, because another object may have been loaded there meanwhile: a
 * thread that finds another one looking leaves the work to it.
 */
static struct known *objects_find(const struct dl_phdr_info *info, const struct loaded_span *span)
{
	for (uint32_t i = 0; i < objects.count; i++) {
		struct known *known = &objects.known[i];

		if (known->span.start == span->start && known->span.end == span->end &&
		    known->name == objects_hash_of(info->dlpi_name) && has_build_id(known, info))
			return known;
	}
	return NULL;
}

static struct known *place(void)
{
	for (uint32_t i = 0; i < objects.count; i++)
		if (!objects.known[i].span.end)
			return &objects.known[i];
	return objects.known && objects.count < OBJECTS ? &objects.known[objects.count++] : NULL;
}

static void keep(const struct dl_phdr_info *info, const struct loaded_span *span)
{
	struct known *known = place();
	const char *build_id;

	if (!known)
		return;
	known->span = *span;
	known->look = objects.look;
	known->seen = objects.ticks;
	known->name = objects_hash_of(info->dlpi_name);
	known->path_bytes = (uint32_t)loaded_path(info->dlpi_name, known->path, PATH_BYTES);
	build_id = loaded_build_id(info, &known->build_id_bytes);
	if (!build_id || known->build_id_bytes > BUILD_ID_BYTES)
		known->build_id_bytes = 0;
	else
		memcpy(known->build_id, build_id, known->build_id_bytes);
}

/* --- looks --- */

static bool has_counters(size_t bytes)
{
	const struct dl_phdr_info *info = NULL;

	return bytes >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof(info->dlpi_subs);
}

static int take_counters(struct dl_phdr_info *info, size_t bytes, void *context)
{
	struct counters *counters = context;

	if (has_counters(bytes))
		*counters = (struct counters){ info->dlpi_adds, info->dlpi_subs };
	return 1; /* every object has the counters */
}

static struct counters counters_now(void)
{
	struct counters now = { 0, 0 };

	(void)dl_iterate_phdr(take_counters, &now);
	return now;
}

static int objects_see(struct dl_phdr_info *info, size_t bytes, void *context)
{
	unsigned long long *passed = context;
	struct loaded_span span;
	struct known *known;

	if (!has_counters(bytes))
		return 1;
	objects.counters = (struct counters){ info->dlpi_adds, info->dlpi_subs };
	if ((*passed)++ < objects.at_start || !loaded_span(info, &span))
		return 0;
	known = objects_find(info, &span);
	if (!known)
		keep(info, &span);
	else {
		known->look = objects.look;
		known->seen = objects.ticks;
	}
	return 0;
}

static struct string path_of(const struct known *known)
{
	const char *slash = settings.redact & 1u << REGION_REDACT_paths
				    ? memrchr(known->path, '/', known->path_bytes)
				    : NULL;
	const char *from = slash ? slash + 1 : known->path;

	return string_of_bytes(from, known->path_bytes - (size_t)(from - known->path));
}

/* When it was certainly still there, in ticks. */
static uint64_t objects_seen(const struct known *known)
{
	uint64_t checked = atomic_load(&objects.checked);

	return checked > known->seen ? checked : known->seen;
}

/*
 * Another object that is loaded there must come later. If there may be one already, the time is
 * that of the call that has unloaded this one, as far as that is known; else that of the look,
 * which is behind the object's destructors.
 */
static uint64_t objects_ended(const struct known *known, bool is_replaced)
{
	uint64_t seen = objects_seen(known), begun = atomic_load(&objects.begun);

	if (!is_replaced || begun > objects.ticks)
		return objects.ticks;
	return begun > seen ? begun : seen;
}

static void objects_record_end(const struct known *known, bool is_replaced)
{
	static const char digits[] = "0123456789abcdef";
	struct recorder_lane *lane = recorder_enter(RECORDER_LATE, RECORDER_IN_RECORD);
	const struct loaded_span *span = &known->span;
	struct string path = path_of(known), build_id;
	char hex[2 * BUILD_ID_BYTES];

	if (!lane)
		return;
	for (uint32_t i = 0; i < known->build_id_bytes; i++) {
		hex[2 * i] = digits[(uint8_t)known->build_id[i] >> 4];
		hex[2 * i + 1] = digits[(uint8_t)known->build_id[i] & 15];
	}
	build_id = string_of_bytes(hex, 2ul * known->build_id_bytes);
	(void)recorder_put(lane, RECORD_UNLOADED, objects_ended(known, is_replaced),
			   (uint64_t[]){ span->start, span->end - span->start, span->bias,
					 string_id(&path, lane), string_id(&build_id, lane),
					 objects_seen(known) },
			   RECORD_UNLOADED_WORDS - 1);
	recorder_leave(lane);
}

/*
 * Mapped and not in the library's own data, which every program would pay for and which RLIMIT_DATA
 * may limit.
 */
static void known_map(void)
{
	void *known;

	if (objects.known)
		return;
	known = pages_map(OBJECTS * sizeof(*objects.known));
	if (known)
		objects.known = known;
}

static void objects_look(void)
{
	unsigned long long passed = 0, loads = objects.counters.loads;

	known_map();
	objects.look++;
	objects.ticks = recorder_now();
	(void)dl_iterate_phdr(objects_see, &passed);
	for (uint32_t i = 0; passed && i < objects.count; i++) {
		struct known *known = &objects.known[i];

		if (!known->span.end || known->look == objects.look)
			continue;
		objects_record_end(known, objects.counters.loads != loads);
		known->span.end = 0;
	}
}

/* In a forked child the looking thread may not exist. */
static bool objects_is_looked_at(void)
{
	return atomic_load(&objects.looker) == recorder_gates->generation;
}

static bool is_looker(void)
{
	uint64_t generation = recorder_gates->generation, other = atomic_load(&objects.looker);

	return other != generation &&
	       atomic_compare_exchange_strong(&objects.looker, &other, generation);
}

/*
 * A thread that finds another one looking leaves the work to it, and waits until it is done: what
 * is unloaded before anybody has seen it would be taken for what was there before. Not forever,
 * since a handler of a signal may have interrupted the one that looks.
 */
static void objects_look_alone(void)
{
	atomic_store(&objects.again, true);
	for (unsigned int i = 0; i < WAITS; i++) {
		uint32_t ended = atomic_load(&objects.ended);

		if (atomic_load(&objects.again) && is_looker()) {
			while (atomic_exchange(&objects.again, false))
				objects_look();
			atomic_store(&objects.looker, 0);
			atomic_fetch_add(&objects.ended, 1);
			futex_wake(&objects.ended);
		} else if (objects_is_looked_at()) {
			futex_wait(&objects.ended, ended, WAIT_NS);
		} else {
			return;
		}
	}
}

void objects_start(void)
{
	objects.at_start = counters_now().loads;
}

static void objects_advance(_Atomic uint64_t *time, uint64_t ticks)
{
	uint64_t before = atomic_load(time);

	while (before < ticks && !atomic_compare_exchange_weak(time, &before, ticks))
		;
}

void objects_note(void)
{
	uint64_t ticks = recorder_now();
	struct counters now;

	if (!recorder_gates->generation)
		return;
	now = counters_now();
	if (now.loads != objects.counters.loads)
		objects_look_alone();
	else if (now.unloads == objects.counters.unloads)
		/* nothing has changed since the last look, so all that it saw is still there */
		objects_advance(&objects.checked, ticks);
	objects_advance(&objects.begun, ticks);
}

void objects_record_gone(void)
{
	if (recorder_gates->generation)
		objects_look_alone();
}
