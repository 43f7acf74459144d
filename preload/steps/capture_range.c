/* SPDX-License-Identifier: MIT */
/*
 * A count of open ranges: the first to open and the last to close switch capturing. Ranges that are
 * identified by a key when they end are in an array of KEYS_MAX atomic slots.
 */
#include "preload/steps/capture_range.h"

#include <string.h>

#include "preload/record/capture.h"
#include "preload/settings/settings.h"

#define KEYS_MAX 64u /* capture ranges with a key that can be open at once */

bool capture_range_nvtx, capture_range_labels;
_Atomic uint32_t capture_range_held;

static struct string wanted_whole;          /* the value of the setting */
static uint64_t wanted_name, wanted_domain; /* 0 if it has no @ */
static _Atomic int open_count;              /* open ranges */
static _Atomic uint64_t open_key[KEYS_MAX];

/*
 * Call before any range is reported. The flags that make others report are set last. Another call
 * changes nothing, except in tests.
 */
void capture_range_init(void)
{
	const char *at;

	if (settings.capture != SETTINGS_CAPTURE_RANGE)
		return;
	wanted_whole = string_of(settings.capture_name);
	at = strrchr(settings.capture_name, '@');
	wanted_name = wanted_domain = 0;
	if (at) {
		wanted_name = string_hash(settings.capture_name,
					  (size_t)(at - settings.capture_name));
		wanted_domain = string_hash(at + 1, strlen(at + 1));
	}
	__atomic_store_n(&capture_range_nvtx, settings.capture_nvtx, __ATOMIC_RELEASE);
	__atomic_store_n(&capture_range_labels, settings.capture_labels, __ATOMIC_RELEASE);
}

bool capture_range_matches(uint64_t name, uint64_t domain)
{
	if (!name)
		return false;
	return name == wanted_whole.hash || (name == wanted_name && domain == wanted_domain);
}

static bool capture_range_is_wanted(void)
{
	return atomic_load(&open_count) > 0;
}

void capture_range_open(void)
{
	if (atomic_fetch_add(&open_count, 1) == 0)
		capture_follow(capture_range_is_wanted, &wanted_whole);
}

void capture_range_close(void)
{
	if (atomic_fetch_sub(&open_count, 1) == 1)
		capture_follow(capture_range_is_wanted, &wanted_whole);
}

/* Also called when a child that was forked inside of a capture range gets a region of its own. */
static void capture_range_start(void)
{
	capture_range_init();
	if (capture_range_is_wanted())
		capture_follow(capture_range_is_wanted, &wanted_whole);
}

const struct family family_capture_range = { .start = capture_range_start };

void capture_range_open_key(uint64_t key)
{
	for (unsigned int i = 0; i < KEYS_MAX; i++) {
		uint64_t nobody = 0;

		if (!atomic_compare_exchange_strong(&open_key[i], &nobody, key))
			continue;
		atomic_fetch_add(&capture_range_held, 1);
		capture_range_open();
		return;
	}
}

void capture_range_close_key(uint64_t key)
{
	for (unsigned int i = 0; i < KEYS_MAX; i++) {
		uint64_t seen = key;

		if (!key || !atomic_compare_exchange_strong(&open_key[i], &seen, 0))
			continue;
		atomic_fetch_sub(&capture_range_held, 1);
		capture_range_close();
		return;
	}
}
