/* SPDX-License-Identifier: MIT */
/*
 * The library NVML, opened at run time: libnvidia-ml.so.1 beside the program's libcuda.so, which is
 * of the same driver, else as ld.so finds it. A call may block for seconds, or for ever if the
 * driver does: so only the thread of device_watch.h calls anything here, except nvml_now().
 */
#ifndef COLLECTOR_DEVICE_NVML_H
#define COLLECTOR_DEVICE_NVML_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "collector/device/nvml_api.h"

#define NVML_LIBRARY "libnvidia-ml.so.1"

struct nvml {
	void *library; /* NULL: not open */
#define NVML(name, parameters) int(*name) parameters;
#include "collector/device/nvml_functions.def"
	/* The call that is under way, for nvml_now(). */
	_Atomic(const char *) function; /* NULL: none is */
	_Atomic uint64_t since_ns;      /* CLOCK_MONOTONIC */
};

/*
 * Opens the library and finds its functions. `beside`: the path of a library whose folder is the
 * first place to look, or "". Returns the name of what is missing, or NULL.
 */
const char *nvml_open(struct nvml *nvml, const char *beside);

/* Any thread: the function that has not returned yet, and since when; NULL: none. */
const char *nvml_now(const struct nvml *nvml, uint64_t *ret_since_ns);

void nvml_call_begins(struct nvml *nvml, const char *function);
void nvml_call_ends(struct nvml *nvml);

/* nvml_call(nvml, result, nvmlDeviceGetName, device, text, room) */
#define nvml_call(nvml, result, name, ...)            \
	do {                                          \
		(result) = NVML_NO_FUNCTION;          \
		if (!(nvml)->name)                    \
			break;                        \
		nvml_call_begins((nvml), #name);      \
		(result) = (nvml)->name(__VA_ARGS__); \
		nvml_call_ends(nvml);                 \
	} while (0)

#endif
