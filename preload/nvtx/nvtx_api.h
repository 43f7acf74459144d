/* SPDX-License-Identifier: MIT */
/*
 * What we need to know of NVTX, declared here so that building needs no toolkit: the layout of the
 * structs that programs pass, and the tables by which a client of version 3 is injected.
 * tests/unit/preload/nvtx/test_nvtx_api.c compares them with the real headers if they are
 * installed.
 *
 * Handles of domains, strings and resources are opaque pointers of the tool's choice.
 */
#ifndef PRELOAD_NVTX_NVTX_API_H
#define PRELOAD_NVTX_NVTX_API_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

enum nvtx_message_type {
	NVTX_MESSAGE_NONE = 0,
	NVTX_MESSAGE_TEXT = 1,
	NVTX_MESSAGE_WIDE = 2,
	NVTX_MESSAGE_REGISTERED = 3,
};

enum nvtx_color_type {
	NVTX_COLOR_NONE = 0,
	NVTX_COLOR_ARGB_BITS = 1,
};

enum nvtx_payload_type {
	NVTX_PAYLOAD_NONE = 0,
	NVTX_PAYLOAD_UINT64 = 1,
	NVTX_PAYLOAD_INT64 = 2,
	NVTX_PAYLOAD_FLOAT64 = 3,
	NVTX_PAYLOAD_UINT32 = 4,
	NVTX_PAYLOAD_INT32 = 5,
	NVTX_PAYLOAD_FLOAT32 = 6,
};

/* nvtxEventAttributes_t. Only the first `size` bytes belong to the program. */
struct nvtx_attributes {
	uint16_t version;
	uint16_t size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type;
	int32_t reserved;
	uint64_t payload;
	int32_t message_type;
	const void *message;
};

/* nvtxResourceAttributes_t */
struct nvtx_resource {
	uint16_t version;
	uint16_t size;
	int32_t identifier_type;
	uint64_t identifier;
	int32_t message_type;
	const void *message;
};

/* NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE: a Linux tid */
#define NVTX_RESOURCE_THREAD_NATIVE 0x10003

#define NVTX_LEVEL_ERROR (-1)
#define NVTX_LEVEL_UNTRACKED (-2) /* NVTX_NO_PUSH_POP_TRACKING */

/* --- injection into clients of version 3 --- */

typedef void (*nvtx_function)(void);
typedef const void *(*nvtx_get_table)(uint32_t id);

enum nvtx_table_id { NVTX_TABLE_CALLBACKS = 1, NVTX_TABLE_VERSION = 3 };
enum nvtx_module { NVTX_MODULE_CORE = 1, NVTX_MODULE_CORE2 = 5 };

struct nvtx_table_callbacks {
	size_t bytes;
	/*
	 * a table of pointers to the client's function pointers (entry 0 is unused), and its length
	 */
	int (*get_module)(unsigned int module, nvtx_function ***ret_table, unsigned int *ret_size);
};

struct nvtx_table_version {
	size_t bytes;
	uint32_t version;
	uint32_t reserved;
	void (*set_injection_version)(uint32_t version);
};

/* Indices into the tables of CORE and CORE2. */
enum nvtx_core {
	NVTX_CORE_MarkEx = 1,
	NVTX_CORE_MarkA,
	NVTX_CORE_MarkW,
	NVTX_CORE_RangeStartEx,
	NVTX_CORE_RangeStartA,
	NVTX_CORE_RangeStartW,
	NVTX_CORE_RangeEnd,
	NVTX_CORE_RangePushEx,
	NVTX_CORE_RangePushA,
	NVTX_CORE_RangePushW,
	NVTX_CORE_RangePop,
	NVTX_CORE_NameCategoryA,
	NVTX_CORE_NameCategoryW,
	NVTX_CORE_NameOsThreadA,
	NVTX_CORE_NameOsThreadW,
};

enum nvtx_core2 {
	NVTX_CORE2_DomainMarkEx = 1,
	NVTX_CORE2_DomainRangeStartEx,
	NVTX_CORE2_DomainRangeEnd,
	NVTX_CORE2_DomainRangePushEx,
	NVTX_CORE2_DomainRangePop,
	NVTX_CORE2_DomainResourceCreate,
	NVTX_CORE2_DomainResourceDestroy,
	NVTX_CORE2_DomainNameCategoryA,
	NVTX_CORE2_DomainNameCategoryW,
	NVTX_CORE2_DomainRegisterStringA,
	NVTX_CORE2_DomainRegisterStringW,
	NVTX_CORE2_DomainCreateA,
	NVTX_CORE2_DomainCreateW,
	NVTX_CORE2_DomainDestroy,
	NVTX_CORE2_Initialize,
};

/* --- extensions of version 3 (nvToolsExtPayload.h), initialised by a call of their own --- */

struct nvtx_extension_segment {
	size_t id;
	size_t slots;
	intptr_t *slot;
};

struct nvtx_extension {
	uint16_t version;
	uint16_t bytes;
	uint16_t module;
	uint16_t compatibility;
	size_t segments;
	struct nvtx_extension_segment *segment;
	intptr_t (*get_export)(uint32_t id);
	const void *info;
};

#define NVTX_EXTENSION_PAYLOAD 2u

enum nvtx_payload_slot {
	NVTX_PAYLOAD_SLOT_MarkPayload = 2,
	NVTX_PAYLOAD_SLOT_RangePushPayload = 3,
	NVTX_PAYLOAD_SLOT_RangePopPayload = 4,
	NVTX_PAYLOAD_SLOT_RangeStartPayload = 5,
	NVTX_PAYLOAD_SLOT_RangeEndPayload = 6,
	NVTX_PAYLOAD_SLOT_DomainIsEnabled = 7,
};

#endif
