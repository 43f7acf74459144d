/* SPDX-License-Identifier: MIT */
/*
 * Open requests are in a table of atomic slots, hashed by their key. It is mapped only where the
 * setting is set. A request gets a connection of its own, so that its end is found like that of any
 * other.
 */
#include "preload/requests/marks.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/record/limitation.h"
#include "preload/requests/requests.h"
#include "preload/settings/request_list.h"
#include "preload/settings/settings.h"

#define MARKS 4096u /* open at once; a power of two */
#define PROBES 64u
#define KEY_FILLING 1u /* belongs to no request */

bool marks_of_labels, marks_of_functions;
_Atomic uint32_t marks_open;

static struct mark {
	_Atomic uint64_t key; /* 0: free */
	uint64_t connection;
} * marks;

/* --- the setting --- */

static void marks_start(void)
{
	long at;

	marks_of_labels = marks_of_functions = false;
	if (!settings.request[0] || !(settings.trace & 1u << SETTINGS_FAMILY_requests))
		return;
	/* not mmap(), which is hooked */
	if (!marks) {
		at = syscall(SYS_mmap, NULL, MARKS * sizeof(*marks), PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (at < 0 && at >= -4095)
			return;
		marks = (struct mark *)at;
	}
	marks_of_labels = request_list_has_any(settings.request, true);
	marks_of_functions = request_list_has_any(settings.request, false);
}

/* Requests that are open in the parent do not end here. */
static void marks_forked(void)
{
	atomic_store(&marks_open, 0);
	for (size_t i = 0; marks && i < MARKS; i++)
		atomic_store_explicit(&marks[i].key, 0, memory_order_relaxed);
}

const struct family family_marks = { .start = marks_start, .forked = marks_forked };

static bool marks_has_label(const struct string *name)
{
	char text[SETTINGS_NAME_BYTES];

	return request_list_has_label(settings.request, text,
				      string_copy(name, text, sizeof(text)));
}

bool marks_has_function(const char *module, const char *qualified, const char *name)
{
	return request_list_has_function(settings.request, module, qualified, name);
}

/* --- the table --- */

static struct mark *mark_slot(uint64_t key, uint32_t probe)
{
	uint64_t hash = key * 0x9e3779b97f4a7c15ull;

	return &marks[((hash >> 40) + probe) % MARKS];
}

static struct mark *mark_find(uint64_t key)
{
	for (uint32_t i = 0; marks && i < PROBES; i++)
		if (atomic_load_explicit(&mark_slot(key, i)->key, memory_order_acquire) == key)
			return mark_slot(key, i);
	return NULL;
}

static void mark_begin(uint64_t key, const char *kind, const struct string *name)
{
	struct mark *mark = NULL;
	int saved = errno;

	for (uint32_t i = 0; i < PROBES && !mark; i++) {
		struct mark *at = mark_slot(key, i);
		uint64_t none = 0;

		if (atomic_compare_exchange_strong(&at->key, &none, KEY_FILLING))
			mark = at;
	}
	if (mark) {
		const struct string method = string_of(kind);

		mark->connection = requests_next_connection();
		requests_record_named_begin(mark->connection, &method, name);
		atomic_fetch_add_explicit(&marks_open, 1, memory_order_relaxed);
		atomic_store_explicit(&mark->key, key, memory_order_release);
	} else {
		limitation_note(LIMITATION_requests_marks, NULL);
	}
	errno = saved;
}

bool marks_is_open(uint64_t key)
{
	return mark_find(key) != NULL;
}

static void mark_end(uint64_t key, enum request_ending ending)
{
	struct mark *mark = mark_find(key);
	uint64_t connection;

	if (!mark)
		return;
	connection = mark->connection;
	if (!atomic_compare_exchange_strong(&mark->key, &key, 0))
		return;
	atomic_fetch_sub_explicit(&marks_open, 1, memory_order_relaxed);
	requests_record_end(&(struct request_ended){ .connection = connection, .ending = ending });
}

void marks_end(uint64_t key, bool failed)
{
	mark_end(key, failed ? REQUEST_UNANSWERED : REQUEST_ANSWERED);
}

/* One that is open already has ended unseen. */
void marks_begin_label(uint64_t key, const struct string *name)
{
	mark_end(key, REQUEST_UNKNOWN);
	if (marks && marks_has_label(name))
		mark_begin(key, "label", name);
}

void marks_begin_call(uint64_t key, const struct string *name)
{
	mark_end(key, REQUEST_UNKNOWN);
	if (marks)
		mark_begin(key, "call", name);
}
