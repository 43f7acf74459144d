/* SPDX-License-Identifier: MIT */
/*
 * The state of GPUs over time, as NVML told the collector (family device): a card for each UUID.
 * Two files may have samples of one card, if processes of both used it.
 *
 * A sample stands for the time since the one before it in its file, at most DEVICE_GAP_NS; the
 * first one stands for no time. A figure that NVML refused has no numbers, and `refused` names it.
 * Times by reasons are of samples in which NVML told reasons; busy: the driver's own utilisation
 * was above 0, so it is not known where NVML refuses that.
 *
 * Memory grows with cards. To be used by one thread.
 */
#ifndef REPORT_DEVICE_DEVICE_STATES_H
#define REPORT_DEVICE_DEVICE_STATES_H

#include <stdbool.h>
#include <stddef.h>

#include "report/core/analysis.h"
#include "report/device/ladder.h"

/* two rounds may be missed before the time between two samples is unknown */
#define DEVICE_GAP_NS 3500000000ull

enum device_reason_kind { DEVICE_IDLE, DEVICE_OTHER, DEVICE_POWER, DEVICE_HEAT, DEVICE_REASONS };
#define DEVICE_THROTTLES(kinds) ((kinds) & (1u << DEVICE_POWER | 1u << DEVICE_HEAT))

/* A counter of the driver: its growth between the first and the last sample of a file. */
struct device_counter {
	bool is_known;
	uint64_t grown;
};

enum device_counter_id {
	DEVICE_ENERGY_MJ,
	DEVICE_POWER_HELD_NS,
	DEVICE_HEAT_HELD_NS,
	DEVICE_NVLINK_SENT_KIB,
	DEVICE_NVLINK_RECEIVED_KIB,
	DEVICE_COUNTERS
};

struct device_card {
	uint32_t uuid, model, driver; /* indices of names */
	struct evt_device_card told;  /* the last one */
	uint64_t samples, first_ns, last_ns;
	struct evt_device_sample last; /* with last_ns */
	struct ladder sm_mhz, memory_mhz, power_w, temperature_c, memory_temperature_c, gpu_percent,
		memory_percent;
	/* SM clock while the card was throttled, and while it was busy and not throttled */
	struct ladder throttled_mhz, free_mhz;
	uint64_t memory_max_bytes, pcie_sent_max_kbs, pcie_received_max_kbs;
	uint32_t pcie_generation, pcie_width;  /* the highest that was seen; 0: unknown */
	uint64_t reasons;                      /* all that were seen, ored */
	uint64_t throttling;                   /* those of them that held it down while busy */
	uint64_t sampled_ns, known_ns;         /* all time, and that with known reasons */
	uint64_t busy_ns;                      /* of known_ns: utilisation above 0 */
	uint64_t throttled_ns[DEVICE_REASONS]; /* of busy_ns: by reasons of that kind */
	uint64_t any_throttled_ns;             /* of busy_ns: by power or by temperature */
	uint64_t asked_ns;                     /* time that NVML took for answers */
	struct device_counter counter[DEVICE_COUNTERS];
	uint32_t *refused; /* indices of names of figures */
	unsigned int *refused_result;
	size_t refused_count, refused_room, refused_result_room;
	bool is_lost;
};

struct device_trouble {
	uint32_t what; /* index of a name */
	uint32_t card; /* index of the card; UINT32_MAX: all */
	struct evt_device_trouble told;
};

/* A sample that counts, for those who want each one. */
struct device_sample_seen {
	const struct device_card *card;
	const struct source_file *file;
	uint64_t from_ns, time_ns; /* from_ns: since when it stands; time_ns for the first one */
	const struct evt_device_sample *sample;
};
typedef void device_sample_take(void *context, const struct device_sample_seen *seen);

struct device_states {
	struct device_card *card;
	size_t count, room;
	struct device_trouble *trouble;
	size_t trouble_count, trouble_room;
	struct source *source;
};

/* All zeros, or somebody who gets each sample. */
struct device_states_options {
	device_sample_take *take;
	void *context;
};
ANALYSIS(device_states, struct device_states)

/* True if NVML says that power or temperature holds the clock down. */
bool device_sample_is_throttled(const struct evt_device_sample *sample);
#define DEVICE_REASONS_BYTES 256
/* Writes the names of the reasons that hold the clock down, with commas; "" if there are none. */
const char *device_reasons_text(char text[DEVICE_REASONS_BYTES], uint64_t reasons);

/* Returns the card with that UUID (index of a name), or NULL. */
const struct device_card *device_states_find(const struct device_states *states, uint32_t uuid);

#define DEVICE_TROUBLE_BYTES 320
/* Says in a sentence what the trouble was. */
const char *device_trouble_text(const struct device_states *states,
				const struct device_trouble *trouble,
				char text[DEVICE_TROUBLE_BYTES]);

#endif
