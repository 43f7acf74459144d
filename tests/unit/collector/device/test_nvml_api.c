/* SPDX-License-Identifier: MIT */
/* links: collector format */
/*
 * collector/device/nvml_api.h and nvml_functions.def against the real nvml.h, at compile time where
 * there is one (cases/device_layouts.sh); how rarely questions are asked that take long; which GPUs
 * a process uses.
 */
#include "tests/unit/unit.h"

#include "collector/device/figures.h"
#include "collector/device/gpus.h"

#ifdef __has_include
#if __has_include(<nvml.h>)
#include <nvml.h>

#define SAME_SIZE(theirs, ours) _Static_assert(sizeof(theirs) == sizeof(ours), #theirs)
#define SAME(theirs, field, ours, our_field) \
	_Static_assert(offsetof(theirs, field) == offsetof(ours, our_field), #ours "." #our_field)

SAME_SIZE(nvmlUtilization_t, struct nvml_utilization);
SAME(nvmlUtilization_t, memory, struct nvml_utilization, memory);
SAME_SIZE(nvmlMemory_t, struct nvml_memory);
SAME(nvmlMemory_t, free, struct nvml_memory, free);
SAME(nvmlMemory_t, used, struct nvml_memory, used);
SAME_SIZE(nvmlFieldValue_t, struct nvml_field);
SAME(nvmlFieldValue_t, scopeId, struct nvml_field, scope);
SAME(nvmlFieldValue_t, valueType, struct nvml_field, type);
SAME(nvmlFieldValue_t, nvmlReturn, struct nvml_field, result);
SAME(nvmlFieldValue_t, value, struct nvml_field, value);
_Static_assert((int)NVML_CLOCK_SM == (int)NVML_CLOCK_OF_SM &&
		       (int)NVML_CLOCK_MEM == (int)NVML_CLOCK_OF_MEMORY &&
		       (int)NVML_TEMPERATURE_GPU == (int)NVML_SENSOR_GPU &&
		       (int)NVML_PCIE_UTIL_TX_BYTES == (int)NVML_PCIE_SENT &&
		       (int)NVML_PCIE_UTIL_RX_BYTES == (int)NVML_PCIE_RECEIVED,
	       "what is asked for");
_Static_assert((int)NVML_SUCCESS == (int)NVML_OK &&
		       (int)NVML_ERROR_NOT_SUPPORTED == (int)NVML_NOT_SUPPORTED &&
		       (int)NVML_ERROR_NO_PERMISSION == (int)NVML_NO_PERMISSION &&
		       (int)NVML_ERROR_FUNCTION_NOT_FOUND == (int)NVML_NO_FUNCTION &&
		       (int)NVML_ERROR_GPU_IS_LOST == (int)NVML_LOST &&
		       (int)NVML_ERROR_UNKNOWN == (int)NVML_UNKNOWN,
	       "results");
_Static_assert(NVML_FI_DEV_PERF_POLICY_POWER == (int)NVML_FIELD_POWER_HELD &&
		       NVML_FI_DEV_PERF_POLICY_THERMAL == (int)NVML_FIELD_HEAT_HELD &&
		       NVML_FI_DEV_MEMORY_TEMP == (int)NVML_FIELD_MEMORY_TEMPERATURE &&
		       NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX == (int)NVML_FIELD_NVLINK_SENT &&
		       NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_RX == (int)NVML_FIELD_NVLINK_RECEIVED,
	       "fields");
_Static_assert((int)NVML_VALUE_TYPE_DOUBLE == (int)NVML_DOUBLE &&
		       (int)NVML_VALUE_TYPE_UNSIGNED_INT == (int)NVML_UNSIGNED_INT &&
		       (int)NVML_VALUE_TYPE_UNSIGNED_LONG_LONG == (int)NVML_UNSIGNED_LONG_LONG &&
		       (int)NVML_VALUE_TYPE_SIGNED_LONG_LONG == (int)NVML_SIGNED_LONG_LONG,
	       "types of values");

/* Types that the header has under another name. */
#define nvml_device nvmlDevice_t
#define nvml_utilization nvmlUtilization_st
#define nvml_memory nvmlMemory_st
#define nvml_field nvmlFieldValue_st
#define nvml_clock_type nvmlClockType_t
#define nvml_sensor_type nvmlTemperatureSensors_t
#define nvml_pcie_type nvmlPcieUtilCounter_t
#define NVML(name, parameters)                                                               \
	_Static_assert(                                                                      \
		__builtin_types_compatible_p(nvmlReturn_t(*) parameters, __typeof__(&name)), \
		#name);
#include "collector/device/nvml_functions.def"
#undef nvml_device
#undef nvml_utilization
#undef nvml_memory
#undef nvml_field
#endif
#endif

TEST(questions_that_take_long_are_asked_rarely)
{
	assert_int_equal(figures_pause_ns(0), 1000000000u);
	assert_int_equal(figures_pause_ns(FIGURE_NS_A_SECOND), 1000000000u);
	assert_int_equal(figures_pause_ns(20600000), 11000000000ull);
	assert_int_equal(figures_pause_ns(UINT64_MAX / 2), 60000000000ull);
}

static void puts_device(struct gpus *gpus, uint32_t process, uint64_t device, bool is_visible)
{
	struct names names = { .count = 0 };
	const struct evt_gpu_device told = { .device = device, .visible = is_visible };

	gpus_take(gpus, &names, process, EVT_gpu_device, 0, (const uint64_t *)&told);
}

static void puts_work(struct gpus *gpus, uint32_t process, uint64_t device)
{
	struct names names = { .count = 0 };
	const struct evt_gpu_kernel told = { .device = device };

	gpus_take(gpus, &names, process, EVT_gpu_kernel, 0, (const uint64_t *)&told);
}

TEST(a_gpu_is_used_if_it_works_or_is_the_only_one)
{
	struct gpus *gpus = gpus_new();

	puts_device(gpus, 1, 0, true);
	puts_device(gpus, 1, 1, false);
	assert_true(gpus_is_used(gpus, &gpus->used[0]));
	assert_false(gpus_is_used(gpus, &gpus->used[1]));
	puts_device(gpus, 2, 0, true);
	puts_device(gpus, 2, 1, true);
	assert_false(gpus_is_used(gpus, &gpus->used[2]));
	puts_work(gpus, 2, 1);
	puts_work(gpus, 2, 7); /* unknown */
	assert_false(gpus_is_used(gpus, &gpus->used[2]));
	assert_true(gpus_is_used(gpus, &gpus->used[3]));
	gpus_forget(gpus, 1);
	assert_int_equal(gpus->count, 2);
	assert_true(gpus_is_used(gpus, &gpus->used[1]));
	gpus_free(gpus);
}

TEST(a_process_without_cupti_is_unnamed)
{
	const uint64_t launch[EVT_WORDS_MAX] = { 0 };
	struct names names = { .count = 0 };
	struct gpus *gpus = gpus_new();

	assert_int_equal(gpus_find_unnamed(gpus, 0), GPUS_NONE_UNNAMED);
	gpus_take(gpus, &names, 3, EVT_cuda_launch, 10, launch);
	gpus_take(gpus, &names, 3, EVT_cuda_launch, 20, launch);
	assert_int_equal(gpus->callers, 1);
	assert_int_equal(gpus_find_unnamed(gpus, 10 + GPUS_NAMED_NS), GPUS_NOT_YET_NAMED);
	assert_int_equal(gpus_find_unnamed(gpus, 11 + GPUS_NAMED_NS), GPUS_NEVER_NAMED);
	puts_device(gpus, 3, 0, true);
	assert_int_equal(gpus_find_unnamed(gpus, 11 + GPUS_NAMED_NS), GPUS_NONE_UNNAMED);
	gpus_free(gpus);
}

TEST(what_has_no_room_is_counted)
{
	struct gpus *gpus = gpus_new();

	for (uint64_t i = 0; i < GPUS_MAX + 3; i++)
		puts_device(gpus, 1, i, true);
	assert_int_equal(gpus->count, GPUS_MAX);
	assert_int_equal(gpus->refused, 3);
	puts_device(gpus, 1, UINT64_MAX, true);
	assert_int_equal(gpus->refused, 4);
	gpus_free(gpus);
}
