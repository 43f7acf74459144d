/* SPDX-License-Identifier: MIT */
/*
 * INTERCEPT_CAPTURE=nvtx:NAME: the recorder's gates are open while at least one range of that name is
 * open in the process, pushed or started, on whichever thread. NAME alone is a range of any domain;
 * NAME@DOMAIN one of that domain (a range whose whole name is "NAME@DOMAIN" counts as well).
 */
#include "preload/nvtx/nvtx.h"

#include <stdatomic.h>
#include <string.h>

#include "preload/record/capture.h"
#include "preload/record/family.h"
#include "preload/settings/settings.h"

#define CAPTURE_RANGES 64u /* started capture ranges open at once */

bool nvtx_capture_wanted;

static struct string capture_whole;           /* the value of the setting */
static uint64_t capture_name, capture_domain; /* 0 when it has no @ */
static _Atomic int capture_open;              /* ranges */
static _Atomic uint64_t capture_range[CAPTURE_RANGES];

/* Under several threads all write the same values; wanted is set last. */
void nvtx_capture_init(void)
{
	const char *at;

	if (settings.capture != SETTINGS_CAPTURE_NVTX)
		return;
	capture_whole = string_of(settings.capture_name);
	at = strrchr(settings.capture_name, '@');
	if (at) {
		capture_name = string_hash(settings.capture_name,
					   (size_t)(at - settings.capture_name));
		capture_domain = string_hash(at + 1, strlen(at + 1));
	}
	__atomic_store_n(&nvtx_capture_wanted, true, __ATOMIC_RELEASE);
}

static uint64_t message_hash(const struct nvtx_event *event)
{
	switch (event->message_type) {
	case NVTX_MESSAGE_TEXT:
		return string_of(event->message).hash;
	case NVTX_MESSAGE_WIDE:
		return string_of_wide(event->message).hash;
	case NVTX_MESSAGE_REGISTERED:
		return nvtx_name_string(event->message).hash;
	default:
		return 0;
	}
}

bool nvtx_capture_matches(const struct nvtx_event *event)
{
	uint64_t name = message_hash(event);

	if (!name)
		return false;
	return name == capture_whole.hash ||
	       (name == capture_name && nvtx_name_string(event->domain).hash == capture_domain);
}

static bool is_wanted(void)
{
	return atomic_load(&capture_open) > 0;
}

void nvtx_capture_open(void)
{
	if (atomic_fetch_add(&capture_open, 1) == 0)
		capture_follow(is_wanted, &capture_whole);
}

void nvtx_capture_close(void)
{
	if (atomic_fetch_sub(&capture_open, 1) == 1)
		capture_follow(is_wanted, &capture_whole);
}

/* A region of its own for a child that was forked inside of a capture range. */
static void nvtx_start_again(void)
{
	if (is_wanted())
		capture_follow(is_wanted, &capture_whole);
}

const struct family family_nvtx = { .start = nvtx_start_again };

void nvtx_capture_open_range(uint64_t range)
{
	for (unsigned int i = 0; i < CAPTURE_RANGES; i++) {
		uint64_t free_slot = 0;

		if (!atomic_compare_exchange_strong(&capture_range[i], &free_slot, range))
			continue;
		nvtx_capture_open();
		return;
	}
}

void nvtx_capture_close_range(uint64_t range)
{
	for (unsigned int i = 0; i < CAPTURE_RANGES; i++) {
		uint64_t seen = range;

		if (!range || !atomic_compare_exchange_strong(&capture_range[i], &seen, 0))
			continue;
		nvtx_capture_close();
		return;
	}
}
