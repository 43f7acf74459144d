/* SPDX-License-Identifier: MIT */
/*
 * A fake libnvidia-ml.so.1: cards with the UUIDs of the fake CUDA (cupti_records.c). The collector
 * opens it, whose environment is empty. So what it plays stands in a file `nvml.script` beside it,
 * words on one line with commas between; a test has a copy of the library in a folder of its own:
 *
 *   cards=N         how many (1)
 *   log=PATH        a file that gets a line a call: the function, and the number of the card
 *   throttles       from the fourth second on, the first card is held down by its power limit
 *   hot             the same, by temperature
 *   idle            the GPU has nothing to do: low clocks, reason "GPU is idle"
 *   slow_pcie       an answer on PCIe throughput takes 20 ms
 *   refuses         NVML refuses half of the questions, and utilisation for lack of permission
 *   fails           questions for power fail with an unknown error
 *   hangs           the third question for power does not return
 *   hangs_at_start  nvmlInit_v2() does not return
 *   no_driver       nvmlInit_v2() fails
 *   lost            in the third second the first card is lost
 *
 * A "second" is a question for the clock of the multiprocessors.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collector/device/nvml_api.h"

#define CARDS 16u
#define FUNCTION_MISSING 13
#define CLOCK_MAX 1980u
#define CLOCK_HELD 1215u
#define CLOCK_IDLE 345u
#define MEMORY_CLOCK 2619u
#define POWER_LIMIT 700000u
#define REASON_IDLE 1u
#define REASON_POWER 4u
#define REASON_HEAT 0x20u
#define NS_PER_S 1000000000ull

struct nvmlDevice_st {
	unsigned int number;
	_Atomic unsigned int seconds, powers;
	_Atomic unsigned long long held_ns;
};
static struct nvmlDevice_st all[CARDS], parts[CARDS];

/* The prototypes of what the collector calls. */
#pragma GCC visibility push(default)
#define NVML(name, parameters) int name parameters;
#include "collector/device/nvml_functions.def"
#pragma GCC visibility pop

static char script[4096];

/* The file beside this library. */
static void script_read(void)
{
	Dl_info self;
	char path[4096];
	ssize_t length;
	int fd;

	if (!dladdr(&script, &self) || !strrchr(self.dli_fname, '/'))
		return;
	snprintf(path, sizeof(path), "%.*s/nvml.script",
		 (int)(strrchr(self.dli_fname, '/') - self.dli_fname), self.dli_fname);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	length = read(fd, script, sizeof(script) - 1);
	script[length > 0 ? length : 0] = 0;
	close(fd);
}

/* What follows the word in the script, "" for a plain word; NULL: it is not there. */
static const char *script_find(const char *word)
{
	size_t length = strlen(word);

	for (const char *at = script; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, word, length) && strchr("=,\n", at[length]))
			return at + length + (at[length] == '=');
	}
	return NULL;
}

static bool plays(const char *word)
{
	return script_find(word) != NULL;
}

static unsigned int nvml_cards(void)
{
	const char *text = script_find("cards");

	return text ? (unsigned int)atoi(text) % (CARDS + 1) : 1;
}

static void nvml_log(const char *function, unsigned int card)
{
	const char *found = script_find("log");
	char path[4096] = "";
	int fd;

	if (!found)
		return;
	snprintf(path, sizeof(path), "%.*s", (int)strcspn(found, ",\n"), found);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	dprintf(fd, "%s %u\n", function, card);
	close(fd);
}

static void nvml_hang(void)
{
	for (;;)
		pause();
}

/* Returns what a question ends with before it is answered. */
static int nvml_enter(const char *function, nvml_device device)
{
	nvml_log(function, device->number);
	return plays("lost") && !device->number && device->seconds >= 3 ? NVML_LOST : NVML_OK;
}
#define ENTER(device)                                     \
	do {                                              \
		int left_ = nvml_enter(__func__, device); \
		if (left_)                                \
			return left_;                     \
	} while (0)
#define REFUSES(result)                  \
	do {                             \
		if (plays("refuses"))    \
			return (result); \
	} while (0)

static bool is_held(const struct nvmlDevice_st *device)
{
	return (plays("throttles") || plays("hot")) && !device->number && device->seconds >= 4;
}

static unsigned int nvml_clock(const struct nvmlDevice_st *device)
{
	if (plays("idle"))
		return CLOCK_IDLE;
	return is_held(device) ? CLOCK_HELD : CLOCK_MAX;
}

int nvmlInit_v2(void)
{
	script_read();
	nvml_log(__func__, 0);
	for (unsigned int i = 0; i < CARDS; i++)
		all[i].number = parts[i].number = i;
	if (plays("hangs_at_start"))
		nvml_hang();
	return plays("no_driver") ? 9 : NVML_OK;
}

int nvmlShutdown(void)
{
	nvml_log(__func__, 0);
	return NVML_OK;
}

int nvmlSystemGetDriverVersion(char *ret_version, unsigned int bytes)
{
	snprintf(ret_version, bytes, "580.00.fake");
	return NVML_OK;
}

int nvmlSystemGetNVMLVersion(char *ret_version, unsigned int bytes)
{
	snprintf(ret_version, bytes, "13.580.00");
	return NVML_OK;
}

int nvmlDeviceGetCount_v2(unsigned int *ret_count)
{
	*ret_count = nvml_cards();
	return NVML_OK;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvml_device *ret_device)
{
	if (index >= nvml_cards())
		return 2;
	*ret_device = &all[index];
	return NVML_OK;
}

static void nvml_uuid(char *text, size_t bytes, const char *prefix, unsigned int first)
{
	snprintf(text, bytes,
		 "%s%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", prefix,
		 first, first, first, first, first, first, first, first, first, first, first, first,
		 first, first, first, first);
}

int nvmlDeviceGetHandleByUUID(const char *uuid, nvml_device *ret_device)
{
	for (unsigned int i = 0; i < nvml_cards(); i++) {
		char whole[NVML_UUID_BYTES], part[NVML_UUID_BYTES];

		nvml_uuid(whole, sizeof(whole), "GPU-", 0xa0 + i);
		nvml_uuid(part, sizeof(part), "MIG-", 0xb0 + i);
		if (!strcmp(uuid, whole))
			*ret_device = &all[i];
		else if (!strcmp(uuid, part))
			*ret_device = &parts[i];
		else
			continue;
		return NVML_OK;
	}
	return 6;
}

int nvmlDeviceGetUUID(nvml_device device, char *ret_uuid, unsigned int bytes)
{
	nvml_uuid(ret_uuid, bytes, "GPU-", 0xa0 + device->number);
	return NVML_OK;
}

int nvmlDeviceGetName(nvml_device device, char *ret_name, unsigned int bytes)
{
	(void)device;
	snprintf(ret_name, bytes, "Fake H100");
	return NVML_OK;
}

int nvmlDeviceGetClockInfo(nvml_device device, nvml_clock_type clock, unsigned int *ret_mhz)
{
	ENTER(device);
	if (clock == NVML_CLOCK_OF_SM && ++device->seconds && is_held(device))
		device->held_ns += NS_PER_S * 9 / 10;
	*ret_mhz = clock == NVML_CLOCK_OF_SM ? nvml_clock(device) : MEMORY_CLOCK;
	return NVML_OK;
}

int nvmlDeviceGetMaxClockInfo(nvml_device device, nvml_clock_type clock, unsigned int *ret_mhz)
{
	ENTER(device);
	*ret_mhz = clock == NVML_CLOCK_OF_SM ? CLOCK_MAX : MEMORY_CLOCK;
	return NVML_OK;
}

int nvmlDeviceGetTemperature(nvml_device device, nvml_sensor_type sensor, unsigned int *ret_celsius)
{
	ENTER(device);
	REFUSES(NVML_NOT_SUPPORTED);
	*ret_celsius = sensor == NVML_SENSOR_GPU && is_held(device) ? 88 : 61;
	return NVML_OK;
}

int nvmlDeviceGetPowerUsage(nvml_device device, unsigned int *ret_mw)
{
	ENTER(device);
	if (plays("fails"))
		return NVML_UNKNOWN;
	if (++device->powers >= 3 && plays("hangs"))
		nvml_hang();
	*ret_mw = plays("idle") ? 71250 : is_held(device) ? POWER_LIMIT : 512500;
	return NVML_OK;
}

int nvmlDeviceGetEnforcedPowerLimit(nvml_device device, unsigned int *ret_mw)
{
	ENTER(device);
	*ret_mw = POWER_LIMIT;
	return NVML_OK;
}

int nvmlDeviceGetTotalEnergyConsumption(nvml_device device, unsigned long long *ret_mj)
{
	ENTER(device);
	*ret_mj = 1000000 + 500000ull * device->seconds;
	return NVML_OK;
}

int nvmlDeviceGetUtilizationRates(nvml_device device, struct nvml_utilization *ret_utilization)
{
	ENTER(device);
	REFUSES(NVML_NO_PERMISSION);
	ret_utilization->gpu = plays("idle") ? 0 : 97;
	ret_utilization->memory = plays("idle") ? 0 : 31;
	return NVML_OK;
}

int nvmlDeviceGetMemoryInfo(nvml_device device, struct nvml_memory *ret_memory)
{
	bool is_part = device == &parts[device->number];

	ENTER(device);
	*ret_memory = (struct nvml_memory){ is_part ? 10ull << 30 : 80ull << 30, 0,
					    is_part ? 3ull << 30 : 21ull << 30 };
	ret_memory->free = ret_memory->total - ret_memory->used;
	return NVML_OK;
}

int nvmlDeviceGetMemoryBusWidth(nvml_device device, unsigned int *ret_bits)
{
	ENTER(device);
	*ret_bits = 5120;
	return NVML_OK;
}

int nvmlDeviceGetCurrentClocksEventReasons(nvml_device device, unsigned long long *ret_reasons)
{
	ENTER(device);
	*ret_reasons = plays("idle")      ? REASON_IDLE
		       : !is_held(device) ? 0
		       : plays("hot")     ? REASON_HEAT
					  : REASON_POWER;
	return NVML_OK;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(nvml_device device, unsigned long long *ret_reasons)
{
	return nvmlDeviceGetCurrentClocksEventReasons(device, ret_reasons);
}

int nvmlDeviceGetMaxPcieLinkGeneration(nvml_device device, unsigned int *ret_generation)
{
	ENTER(device);
	REFUSES(NVML_NOT_SUPPORTED);
	*ret_generation = 5;
	return NVML_OK;
}

int nvmlDeviceGetMaxPcieLinkWidth(nvml_device device, unsigned int *ret_lanes)
{
	ENTER(device);
	*ret_lanes = 16;
	return NVML_OK;
}

int nvmlDeviceGetCurrPcieLinkGeneration(nvml_device device, unsigned int *ret_generation)
{
	ENTER(device);
	REFUSES(NVML_NOT_SUPPORTED);
	*ret_generation = 4;
	return NVML_OK;
}

int nvmlDeviceGetCurrPcieLinkWidth(nvml_device device, unsigned int *ret_lanes)
{
	ENTER(device);
	*ret_lanes = 8;
	return NVML_OK;
}

int nvmlDeviceGetPcieThroughput(nvml_device device, nvml_pcie_type counter, unsigned int *ret_kbs)
{
	struct timespec nap = { 0, 20000000 };

	ENTER(device);
	if (plays("slow_pcie"))
		nanosleep(&nap, NULL);
	*ret_kbs = counter == NVML_PCIE_SENT ? 1500 : 250000;
	return NVML_OK;
}

static unsigned int nvml_field_answer(const struct nvmlDevice_st *device, struct nvml_field *field)
{
	bool is_heat = plays("hot");

	field->type = NVML_UNSIGNED_LONG_LONG;
	switch (field->field) {
	case NVML_FIELD_MEMORY_TEMPERATURE:
		field->type = NVML_UNSIGNED_INT;
		field->value.count = 72;
		return NVML_OK;
	case NVML_FIELD_POWER_HELD:
		field->value.bits = is_heat ? 0 : device->held_ns;
		return NVML_OK;
	case NVML_FIELD_HEAT_HELD:
		field->value.bits = is_heat ? device->held_ns : 0;
		return NVML_OK;
	case NVML_FIELD_NVLINK_SENT:
	case NVML_FIELD_NVLINK_RECEIVED:
		if (field->scope != NVML_SCOPE_ALL || nvml_cards() == 1)
			return NVML_NOT_SUPPORTED;
		field->value.bits = (field->field == NVML_FIELD_NVLINK_SENT ? 1024ull : 2048ull) *
				    device->seconds;
		return NVML_OK;
	default:
		return NVML_NOT_SUPPORTED;
	}
}

int nvmlDeviceGetFieldValues(nvml_device device, int count, struct nvml_field *fields)
{
	ENTER(device);
	REFUSES(FUNCTION_MISSING);
	for (int i = 0; i < count; i++)
		fields[i].result = nvml_field_answer(device, &fields[i]);
	return NVML_OK;
}
