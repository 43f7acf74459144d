/* SPDX-License-Identifier: MIT */
/*
 * Copies the fields of CUPTI's struct into gpu_device and gpu_limits, and writes UUIDs as
 * nvidia-smi prints them.
 */
#include "preload/gpu/gpu_device.h"

#include <string.h>

#include "collector/format/events.h"
#include "preload/gpu/cupti_api.h"
#include "preload/record/recorder.h"
#include "preload/record/strings.h"

#define FIELDS(event) (sizeof(struct evt_##event) / sizeof(uint64_t))
#define UUID_BYTES 16u
#define UUID_TEXT_BYTES 41u /* GPU-8-4-4-4-12 and the terminating 0 */

/* In the form of nvidia-smi and CUDA_VISIBLE_DEVICES. */
static void uuid_write(char text[UUID_TEXT_BYTES], const char *prefix,
		       const uint8_t uuid[UUID_BYTES])
{
	static const char digits[] = "0123456789abcdef";

	while (*prefix)
		*text++ = *prefix++;
	for (unsigned int i = 0; i < UUID_BYTES; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*text++ = '-';
		*text++ = digits[uuid[i] >> 4];
		*text++ = digits[uuid[i] & 15];
	}
	*text = 0;
}

static uint64_t text_put(const char *text, struct recorder_lane *lane)
{
	struct string string = string_of(text);

	return string_id(&string, lane);
}

static void device_put(const struct cupti_device *device, struct recorder_lane *lane)
{
	char uuid[UUID_TEXT_BYTES] = "", mig[UUID_TEXT_BYTES] = "";
	struct evt_gpu_device event = {
		.device = device->device,
		.memory_bytes = device->memory_bytes,
		.bandwidth_kbs = device->bandwidth_kbs,
		.visible = device->is_visible != 0,
		.gpu_instance = device->is_mig ? device->gpu_instance : 0,
		.compute_instance = device->is_mig ? device->compute_instance : 0,
	};
	uint64_t field[FIELDS(gpu_device)];

	uuid_write(uuid, "GPU-", device->uuid);
	if (device->is_mig)
		uuid_write(mig, "MIG-", device->mig_uuid);
	event.model = text_put(device->name, lane);
	event.uuid = text_put(uuid, lane);
	event.mig_uuid = text_put(mig, lane);
	memcpy(field, &event, sizeof(field));
	(void)recorder_put(lane, EVT_gpu_device, recorder_now(), field, FIELDS(gpu_device));
}

static void limits_put(const struct cupti_device *device, struct recorder_lane *lane)
{
	const struct evt_gpu_limits event = {
		.device = device->device,
		.major = device->major,
		.minor = device->minor,
		.multiprocessors = device->multiprocessors,
		.warp_threads = device->warp_threads,
		.sm_warps = device->sm_warps,
		.sm_blocks = device->sm_blocks,
		.sm_registers = device->sm_registers,
		.sm_shared_bytes = device->sm_shared_bytes,
		.block_registers = device->block_registers,
		.block_shared_bytes = device->block_shared_bytes,
		.block_threads = device->block_threads,
		.clock_khz = device->clock_khz,
		.copy_engines = device->copy_engines,
		.l2_bytes = device->l2_bytes,
	};
	uint64_t field[FIELDS(gpu_limits)];

	memcpy(field, &event, sizeof(field));
	(void)recorder_put(lane, EVT_gpu_limits, recorder_now(), field, FIELDS(gpu_limits));
}

void gpu_device_put(const void *record)
{
	struct recorder_lane *lane = recorder_enter(RECORDER_LATE, RECORDER_IN_RECORD);
	struct cupti_device device;

	if (!lane)
		return;
	memcpy(&device, record, sizeof(device));
	device_put(&device, lane);
	limits_put(&device, lane);
	recorder_leave(lane);
}
