/* SPDX-License-Identifier: MIT */
/*
 * Asks NVML all questions of figures.def about one card. A question that NVML refuses is reported
 * once and not asked again; one that fails otherwise is given up after FIGURE_FAILURES in a row. A
 * question whose answer takes long is asked more rarely, so that it takes FIGURE_NS_A_SECOND of a
 * second on average; its cost is the least that was measured, because a busy machine makes single
 * calls seem long.
 *
 * Called on the thread of device_watch.h only.
 */
#ifndef COLLECTOR_DEVICE_FIGURES_H
#define COLLECTOR_DEVICE_FIGURES_H

#include <stdbool.h>

#include "collector/device/nvml.h"
#include "collector/format/events.h"

#define FIGURE_NS_A_SECOND 2000000u
#define FIGURE_FAILURES 3u

enum figure_id {
#define ASK(where, field) FIGURE_##field,
#include "collector/device/figures.def"
	FIGURES
};

struct figures {
	nvml_device device, part; /* part: the MIG device; the same as `device` if there is none */
	struct figure_state {
		bool is_given_up, is_reported;
		unsigned int failures;
		uint64_t cost_ns; /* 0: not asked yet */
		uint64_t next_ns; /* CLOCK_MONOTONIC */
	} state[FIGURES];
	struct nvml_utilization utilization; /* of the last question for gpu_percent */
	int utilization_result;
};

/* A question has no answer: its field and the nvmlReturn_t. */
typedef void figures_refused(void *context, const char *field, unsigned int result);

struct figures_listener {
	figures_refused *refused;
	void *context;
};

/* What a round of questions has found. Without any answer there is no sample, or no link. */
struct figures_found {
	bool has_sample, has_link;
	struct evt_device_sample sample;
	struct evt_device_link link;
};

/* Sets the fields of ret_card that NVML answers. Returns false if the GPU is lost. */
bool figures_ask_card(struct figures *figures, struct nvml *nvml,
		      const struct figures_listener *listener, struct evt_device_card *ret_card);
/* The same for its state. */
bool figures_ask_state(struct figures *figures, struct nvml *nvml,
		       const struct figures_listener *listener, struct figures_found *ret_state);

/* Returns how long to wait before a question is asked again that took so long. */
uint64_t figures_pause_ns(uint64_t cost_ns);

#endif
