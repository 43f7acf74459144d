/* SPDX-License-Identifier: MIT */
/*
 * What both threads share is behind one lock, which is never held during a call of NVML. The memory
 * belongs to whoever leaves last.
 */
#include "collector/device/device_watch.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collector/core/clock.h"
#include "collector/device/figures.h"
#include "collector/device/nvml.h"

#define STACK_BYTES (1u << 20)
#define NS_PER_S 1000000000u

/* Of the thread only. */
struct device_card {
	bool is_told, is_lost;
	char uuid[GPUS_UUID_BYTES];
	struct figures figures;
};

struct device_watch {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* behind the lock */
	bool ends, thread_left;
	uint64_t wishes; /* number of the present one */
	struct device_wish wish;
	struct device_note note[DEVICE_NOTES];
	uint32_t first;
	_Atomic uint32_t notes;
	uint64_t dropped;
	/* of the thread */
	struct clockmap clock; /* a copy: only to read the ticks */
	char beside[DEVICE_PATH_BYTES];
	struct nvml nvml;
	bool is_started, has_failed, is_listed, has_too_many;
	struct device_card card[DEVICE_CARDS];
	uint32_t cards;
	uint32_t listed; /* by NVML */
	uint32_t asked;  /* number of the card that is being asked */
	struct device_wish now;
	uint64_t now_number;
};

/* --- notes --- */

_Static_assert(sizeof(struct evt_device_sample) <= DEVICE_NOTE_WORDS * sizeof(uint64_t) &&
		       sizeof(struct evt_device_card) <= DEVICE_NOTE_WORDS * sizeof(uint64_t),
	       "a note has room for each event");

#define NOTE_WORD(event, field) (offsetof(struct evt_##event, field) / sizeof(uint64_t))

static struct device_note note_of(const struct device_watch *watch, uint32_t event,
				  const void *words, size_t bytes)
{
	struct device_note note = { .event = event,
				    .words = (uint32_t)(bytes / sizeof(uint64_t)),
				    .ticks = clockmap_now(&watch->clock) };

	memcpy(note.word, words, bytes);
	return note;
}

static void note_add_text(struct device_note *note, size_t word, const char *text)
{
	struct device_note_text *added = &note->text[note->texts++];
	size_t length = strlen(text);

	if (length >= sizeof(added->text))
		length = sizeof(added->text) - 1;
	added->word = (uint32_t)word;
	memcpy(added->text, text, length);
	added->text[length] = 0;
}

static void device_watch_post(struct device_watch *watch, const struct device_note *note)
{
	uint32_t notes;

	pthread_mutex_lock(&watch->lock);
	notes = atomic_load(&watch->notes);
	if (notes == DEVICE_NOTES) {
		watch->dropped++;
	} else {
		watch->note[(watch->first + notes) % DEVICE_NOTES] = *note;
		atomic_store(&watch->notes, notes + 1);
	}
	pthread_mutex_unlock(&watch->lock);
}

static void device_watch_post_trouble(struct device_watch *watch,
				      const struct evt_device_trouble *trouble, const char *what)
{
	struct device_note note = note_of(watch, EVT_device_trouble, trouble, sizeof(*trouble));

	note_add_text(&note, NOTE_WORD(device_trouble, what), what);
	device_watch_post(watch, &note);
}

static void device_watch_refused(void *context, const char *field, unsigned int result)
{
	struct device_watch *watch = context;
	const struct evt_device_refused refused = { .card = watch->asked, .result = result };
	struct device_note note = note_of(watch, EVT_device_refused, &refused, sizeof(refused));

	note_add_text(&note, NOTE_WORD(device_refused, figure), field);
	device_watch_post(watch, &note);
}

/* --- NVML --- */

/* What cannot be opened once is not tried again. */
static bool device_watch_start(struct device_watch *watch)
{
	const char *missing = watch->nvml.library ? NULL : nvml_open(&watch->nvml, watch->beside);
	int result;

	if (missing) {
		watch->has_failed = true;
		device_watch_post_trouble(
			watch, &(struct evt_device_trouble){ .trouble = EVT_DEVICE_NO_LIBRARY },
			missing);
		return false;
	}
	nvml_call(&watch->nvml, result, nvmlInit_v2);
	if (result != NVML_OK) {
		watch->has_failed = true;
		device_watch_post_trouble(
			watch,
			&(struct evt_device_trouble){ .trouble = EVT_DEVICE_FAILED,
						      .result = (unsigned int)result },
			"nvmlInit_v2");
		return false;
	}
	watch->is_started = true;
	return true;
}

/* Handles are valid until NVML is shut down; a card is the same one later. */
static void device_watch_stop(struct device_watch *watch)
{
	int result;

	if (!watch->is_started)
		return;
	nvml_call(&watch->nvml, result, nvmlShutdown);
	(void)result;
	watch->is_started = watch->is_listed = false;
	for (uint32_t i = 0; i < watch->cards; i++)
		watch->card[i].figures.device = watch->card[i].figures.part = NULL;
}

static struct device_card *device_watch_card(struct device_watch *watch, const char *uuid)
{
	for (uint32_t i = 0; i < watch->cards; i++) {
		if (!strcmp(watch->card[i].uuid, uuid))
			return &watch->card[i];
	}
	if (watch->cards == DEVICE_CARDS) {
		if (!watch->has_too_many)
			device_watch_post_trouble(
				watch,
				&(struct evt_device_trouble){ .trouble = EVT_DEVICE_TOO_MANY },
				uuid);
		watch->has_too_many = true;
		return NULL;
	}
	memcpy(watch->card[watch->cards].uuid, uuid, strnlen(uuid, GPUS_UUID_BYTES - 1));
	return &watch->card[watch->cards++];
}

static void device_watch_tell_card(struct device_watch *watch, struct device_card *card,
				   enum evt_device_chosen chosen)
{
	const struct figures_listener listener = { device_watch_refused, watch };
	struct evt_device_card told = { .card = watch->asked,
					.chosen = chosen,
					.is_part = card->figures.part != card->figures.device };
	char model[NVML_NAME_BYTES] = "", driver[NVML_NAME_BYTES] = "", nvml[NVML_NAME_BYTES] = "";
	struct device_note note;
	int result;

	nvml_call(&watch->nvml, result, nvmlDeviceGetName, card->figures.device, model,
		  sizeof(model) - 1);
	nvml_call(&watch->nvml, result, nvmlSystemGetDriverVersion, driver, NVML_VERSION_BYTES);
	nvml_call(&watch->nvml, result, nvmlSystemGetNVMLVersion, nvml, NVML_VERSION_BYTES);
	(void)result;
	(void)figures_ask_card(&card->figures, &watch->nvml, &listener, &told);
	note = note_of(watch, EVT_device_card, &told, sizeof(told));
	note_add_text(&note, NOTE_WORD(device_card, uuid), card->uuid);
	note_add_text(&note, NOTE_WORD(device_card, model), model);
	note_add_text(&note, NOTE_WORD(device_card, driver), driver);
	note_add_text(&note, NOTE_WORD(device_card, nvml), nvml);
	device_watch_post(watch, &note);
	card->is_told = true;
}

static void device_watch_lose(struct device_watch *watch, struct device_card *card,
			      unsigned int trouble, int result, const char *what)
{
	card->is_lost = true;
	device_watch_post_trouble(watch,
				  &(struct evt_device_trouble){ .trouble = trouble,
								.card = watch->asked + 1,
								.result = (unsigned int)result },
				  what);
}

/* Finds the card's handles. Without one of its part, memory is of the whole card. */
static bool device_watch_find(struct device_watch *watch, struct device_card *card,
			      const char *part)
{
	int result;

	if (card->figures.device)
		return true;
	nvml_call(&watch->nvml, result, nvmlDeviceGetHandleByUUID, card->uuid,
		  &card->figures.device);
	if (result != NVML_OK || !card->figures.device) {
		card->figures.device = NULL;
		device_watch_lose(watch, card, EVT_DEVICE_NO_CARD, result, card->uuid);
		return false;
	}
	card->figures.part = card->figures.device;
	if (!*part)
		return true;
	nvml_call(&watch->nvml, result, nvmlDeviceGetHandleByUUID, part, &card->figures.part);
	if (result != NVML_OK || !card->figures.part)
		card->figures.part = card->figures.device;
	return true;
}

static void device_watch_post_state(struct device_watch *watch, const struct figures_found *state)
{
	struct device_note note;

	if (state->has_sample) {
		note = note_of(watch, EVT_device_sample, &state->sample, sizeof(state->sample));
		device_watch_post(watch, &note);
	}
	if (state->has_link) {
		note = note_of(watch, EVT_device_link, &state->link, sizeof(state->link));
		device_watch_post(watch, &note);
	}
}

static void device_watch_sample(struct device_watch *watch, const char *uuid, const char *part,
				enum evt_device_chosen chosen)
{
	const struct figures_listener listener = { device_watch_refused, watch };
	struct device_card *card = device_watch_card(watch, uuid);
	struct figures_found state = { 0 };

	if (!card || card->is_lost)
		return;
	watch->asked = state.sample.card = state.link.card = (uint32_t)(card - watch->card);
	if (!device_watch_find(watch, card, part))
		return;
	if (!card->is_told)
		device_watch_tell_card(watch, card, chosen);
	if (!figures_ask_state(&card->figures, &watch->nvml, &listener, &state)) {
		device_watch_lose(watch, card, EVT_DEVICE_LOST, NVML_LOST, card->uuid);
		return;
	}
	device_watch_post_state(watch, &state);
}

/* Adds what NVML lists to the wish. */
static void device_watch_list_all(struct device_watch *watch)
{
	unsigned int count = 0;
	int result;

	nvml_call(&watch->nvml, result, nvmlDeviceGetCount_v2, &count);
	for (unsigned int i = 0; result == NVML_OK && i < count; i++) {
		char uuid[NVML_UUID_BYTES] = "";
		nvml_device device = NULL;

		nvml_call(&watch->nvml, result, nvmlDeviceGetHandleByIndex_v2, i, &device);
		if (result == NVML_OK && device)
			nvml_call(&watch->nvml, result, nvmlDeviceGetUUID, device, uuid,
				  sizeof(uuid) - 1);
		if (result == NVML_OK && *uuid)
			(void)device_watch_card(watch, uuid);
		result = NVML_OK; /* others may answer */
	}
	watch->listed = count;
	watch->is_listed = true;
}

static bool device_watch_has_named(const struct device_watch *watch, const char *uuid)
{
	for (uint32_t i = 0; i < watch->now.count; i++)
		if (!strcmp(watch->now.card[i].uuid, uuid))
			return true;
	return false;
}

/* The only card of the machine is the one that is used; of several, any may be. */
static void device_watch_sample_listed(struct device_watch *watch)
{
	if (!watch->is_listed)
		device_watch_list_all(watch);
	if (watch->now.unnamed == GPUS_NOT_YET_NAMED && watch->listed != 1)
		return;
	for (uint32_t i = 0; i < watch->cards; i++)
		if (!device_watch_has_named(watch, watch->card[i].uuid))
			device_watch_sample(watch, watch->card[i].uuid, "",
					    watch->listed == 1 ? EVT_DEVICE_USED
							       : EVT_DEVICE_LISTED);
}

static void device_watch_round(struct device_watch *watch)
{
	if (!watch->is_started && !device_watch_start(watch))
		return;
	for (uint32_t i = 0; i < watch->now.count; i++)
		device_watch_sample(watch, watch->now.card[i].uuid, watch->now.card[i].part,
				    EVT_DEVICE_USED);
	if (watch->now.unnamed)
		device_watch_sample_listed(watch);
}

/* --- the thread --- */

static bool wish_is_empty(const struct device_wish *wish)
{
	return !wish->unnamed && !wish->count;
}

/* Waits until it is time for a round, or the wish has changed. False: the watch ends. */
static bool device_watch_wait(struct device_watch *watch, uint64_t due_ns)
{
	const struct timespec due = { .tv_sec = (time_t)(due_ns / NS_PER_S),
				      .tv_nsec = (long)(due_ns % NS_PER_S) };
	bool ends;

	pthread_mutex_lock(&watch->lock);
	while (!watch->ends && watch->now_number == watch->wishes &&
	       (wish_is_empty(&watch->wish) || watch->has_failed ||
		clock_read_ns(CLOCK_MONOTONIC) < due_ns)) {
		if (wish_is_empty(&watch->wish) || watch->has_failed)
			pthread_cond_wait(&watch->changed, &watch->lock);
		else
			pthread_cond_timedwait(&watch->changed, &watch->lock, &due);
	}
	watch->now = watch->wish;
	watch->now_number = watch->wishes;
	ends = watch->ends;
	pthread_mutex_unlock(&watch->lock);
	return !ends;
}

static void device_watch_release(struct device_watch *watch)
{
	pthread_cond_destroy(&watch->changed);
	pthread_mutex_destroy(&watch->lock);
	free(watch);
}

/* Rounds are at a regular distance, unless one was early for a new wish, or is late by a round. */
static uint64_t device_watch_next_ns(uint64_t due_ns, uint64_t now_ns)
{
	return due_ns <= now_ns && now_ns - due_ns < DEVICE_WATCH_NS ? due_ns + DEVICE_WATCH_NS
								     : now_ns + DEVICE_WATCH_NS;
}

static void *device_watch_run(void *context)
{
	struct device_watch *watch = context;
	uint64_t due_ns = 0;
	bool is_last;

	while (device_watch_wait(watch, due_ns)) {
		uint64_t now_ns = clock_read_ns(CLOCK_MONOTONIC);

		due_ns = device_watch_next_ns(due_ns, now_ns);
		if (wish_is_empty(&watch->now))
			device_watch_stop(watch);
		else if (!watch->has_failed)
			device_watch_round(watch);
	}
	device_watch_stop(watch);
	pthread_mutex_lock(&watch->lock);
	is_last = watch->thread_left;
	watch->thread_left = true;
	pthread_mutex_unlock(&watch->lock);
	if (is_last)
		device_watch_release(watch);
	return NULL;
}

/* No signal is for this thread. */
static int device_thread_start(struct device_watch *watch)
{
	pthread_attr_t attributes;
	pthread_t thread;
	sigset_t all, before;
	int error;

	if (pthread_attr_init(&attributes))
		return -1;
	(void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
	(void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&thread, &attributes, device_watch_run, watch);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return error ? -1 : 0;
}

struct device_watch *device_watch_new(const struct clockmap *clock, const char *beside)
{
	struct device_watch *watch = calloc(1, sizeof(*watch));
	pthread_condattr_t attributes;

	if (!watch)
		return NULL;
	watch->clock = *clock;
	memcpy(watch->beside, beside, strnlen(beside, sizeof(watch->beside) - 1));
	pthread_mutex_init(&watch->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&watch->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	if (device_thread_start(watch)) {
		device_watch_release(watch);
		return NULL;
	}
	return watch;
}

void device_watch_free(struct device_watch *watch)
{
	bool is_last;

	if (!watch)
		return;
	pthread_mutex_lock(&watch->lock);
	watch->ends = true;
	is_last = watch->thread_left;
	watch->thread_left = true;
	pthread_cond_signal(&watch->changed);
	pthread_mutex_unlock(&watch->lock);
	if (is_last)
		device_watch_release(watch);
}

void device_watch_set(struct device_watch *watch, const struct device_wish *wish)
{
	pthread_mutex_lock(&watch->lock);
	watch->wish = *wish;
	watch->wishes++;
	pthread_cond_signal(&watch->changed);
	pthread_mutex_unlock(&watch->lock);
}

bool device_watch_has_note(const struct device_watch *watch)
{
	return atomic_load(&watch->notes) != 0;
}

bool device_watch_take(struct device_watch *watch, struct device_note *ret_note)
{
	bool found;

	if (!device_watch_has_note(watch))
		return false;
	pthread_mutex_lock(&watch->lock);
	found = atomic_load(&watch->notes) != 0;
	if (found) {
		*ret_note = watch->note[watch->first];
		watch->first = (watch->first + 1) % DEVICE_NOTES;
		atomic_fetch_sub(&watch->notes, 1);
	}
	pthread_mutex_unlock(&watch->lock);
	return found;
}

uint64_t device_watch_take_dropped(struct device_watch *watch)
{
	uint64_t dropped;

	pthread_mutex_lock(&watch->lock);
	dropped = watch->dropped;
	watch->dropped = 0;
	pthread_mutex_unlock(&watch->lock);
	return dropped;
}

const char *device_watch_now(const struct device_watch *watch, uint64_t *ret_since_ns)
{
	return nvml_now(&watch->nvml, ret_since_ns);
}
