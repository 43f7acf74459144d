/* SPDX-License-Identifier: MIT */
/*
 * The part of NVML's interface that is used, declared by ourselves from NVIDIA's documentation of
 * nvml.h: types, constants, functions. tests/unit/collector/device/test_nvml_api.c compares it with
 * the real header at compile time where there is one.
 */
#ifndef COLLECTOR_DEVICE_NVML_API_H
#define COLLECTOR_DEVICE_NVML_API_H

#include <stdint.h>

typedef struct nvmlDevice_st *nvml_device;
typedef int nvml_clock_type;  /* enum nvml_clock */
typedef int nvml_sensor_type; /* enum nvml_sensor */
typedef int nvml_pcie_type;   /* enum nvml_pcie */

enum nvml_result {
	NVML_OK = 0,
	NVML_NOT_SUPPORTED = 3,
	NVML_NO_PERMISSION = 4,
	NVML_NO_FUNCTION = 13,
	NVML_LOST = 15,
	NVML_RESET_REQUIRED = 16,
	NVML_UNKNOWN = 999,
};

enum nvml_clock { NVML_CLOCK_OF_SM = 1, NVML_CLOCK_OF_MEMORY = 2 };
enum nvml_sensor { NVML_SENSOR_GPU = 0 };
enum nvml_pcie { NVML_PCIE_SENT = 0, NVML_PCIE_RECEIVED = 1 };

/* Numbers for nvmlDeviceGetFieldValues(). */
enum nvml_field_id {
	NVML_FIELD_POWER_HELD = 74, /* ns */
	NVML_FIELD_HEAT_HELD = 75,  /* ns */
	NVML_FIELD_MEMORY_TEMPERATURE = 82,
	NVML_FIELD_NVLINK_SENT = 138, /* KiB; all links by scope NVML_SCOPE_ALL */
	NVML_FIELD_NVLINK_RECEIVED = 139,
};
#define NVML_SCOPE_ALL UINT32_MAX

enum nvml_value_type {
	NVML_DOUBLE = 0,
	NVML_UNSIGNED_INT = 1,
	NVML_UNSIGNED_LONG = 2,
	NVML_UNSIGNED_LONG_LONG = 3,
	NVML_SIGNED_LONG_LONG = 4,
	NVML_SIGNED_INT = 5,
	NVML_UNSIGNED_SHORT = 6,
};

struct nvml_utilization {
	unsigned int gpu, memory;
};

struct nvml_memory {
	unsigned long long total, free, used;
};

struct nvml_field {
	unsigned int field, scope;
	long long timestamp, latency_us;
	unsigned int type; /* enum nvml_value_type */
	unsigned int result;
	union {
		double real;
		int number;
		unsigned int count;
		unsigned long words;
		unsigned long long bits;
		long long wide;
		unsigned short half;
	} value;
};

#define NVML_UUID_BYTES 96
#define NVML_NAME_BYTES 96
#define NVML_VERSION_BYTES 81

#endif
