/* SPDX-License-Identifier: MIT */
/* build: -Wl,-soname,libc10.so */
/*
 * The memory of torch's libc10.so, as far as its profiler is concerned: a CPU allocator that tells
 * of its blocks only while a profiler runs and then remembers their sizes, and a device's caching
 * allocator that always tells, with its totals. The "profiler" adds up what it is told.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SEGMENT (1u << 20) /* what the device's allocator takes at a time */
#define TABLE 4096u

struct device {
	int8_t type, index;
};

#define New _ZN3c1025ProfiledCPUMemoryReporter3NewEPvm
#define Delete _ZN3c1025ProfiledCPUMemoryReporter6DeleteEPv
#define OutOfMemory _ZN3c1025ProfiledCPUMemoryReporter11OutOfMemoryEm
#define report _ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE
#define report_signed _ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE
#define report_oom _ZN3c1027reportOutOfMemoryToProfilerElmmNS_6DeviceE
#define report_oom_signed _ZN3c1027reportOutOfMemoryToProfilerElllNS_6DeviceE

void New(void *self, void *block, size_t bytes);
void Delete(void *self, void *block);
void OutOfMemory(void *self, size_t bytes);
void report(void *block, int64_t bytes, size_t allocated, size_t reserved, struct device device);
void report_signed(void *block, int64_t bytes, int64_t allocated, int64_t reserved,
		   struct device device);
void report_oom(int64_t bytes, size_t allocated, size_t reserved, struct device device);
void report_oom_signed(int64_t bytes, int64_t allocated, int64_t reserved, struct device device);

void fake_profile(bool on);
void *fake_cpu_allocate(size_t bytes);
void fake_cpu_free(void *block);
void fake_cpu_fail(size_t bytes);
void fake_map(void *block, int64_t bytes);
void fake_device(void *block, int64_t bytes, int index, bool is_old);
void fake_device_fail(size_t bytes, int index);
void fake_print(const char *name);

static bool profiles;
static struct {
	void *block;
	size_t bytes;
} table[TABLE];
static size_t cpu_allocated, allocated[8], reserved[8];
static uint64_t calls, unknown, ooms, checksum;
static int reporter;

static void seen(uint64_t a, uint64_t b, uint64_t c, struct device device)
{
	if (!profiles)
		return;
	calls++;
	checksum = checksum * 31 + a + 3 * b + 5 * c +
		   7 * (uint64_t)(device.type * 100 + device.index);
}

void report(void *block, int64_t bytes, size_t all, size_t held, struct device device)
{
	(void)block;
	seen((uint64_t)bytes, all, held, device);
}

void report_signed(void *block, int64_t bytes, int64_t all, int64_t held, struct device device)
{
	(void)block;
	seen((uint64_t)bytes, (uint64_t)all, (uint64_t)held, device);
}

void report_oom(int64_t bytes, size_t all, size_t held, struct device device)
{
	ooms++;
	seen((uint64_t)bytes, all, held, device);
}

void report_oom_signed(int64_t bytes, int64_t all, int64_t held, struct device device)
{
	ooms++;
	seen((uint64_t)bytes, (uint64_t)all, (uint64_t)held, device);
}

static unsigned int place_of(const void *block)
{
	unsigned int at = (unsigned int)((uintptr_t)block / 16 % TABLE);

	while (table[at].block && table[at].block != block)
		at = (at + 1) % TABLE;
	return at;
}

void New(void *self, void *block, size_t bytes)
{
	(void)self;
	if (!profiles || !bytes)
		return;
	table[place_of(block)].bytes = bytes;
	table[place_of(block)].block = block;
	cpu_allocated += bytes;
	report(block, (int64_t)bytes, cpu_allocated, 0, (struct device){ 0, -1 });
}

void Delete(void *self, void *block)
{
	size_t bytes;

	(void)self;
	if (!profiles)
		return;
	bytes = table[place_of(block)].block ? table[place_of(block)].bytes : 0;
	unknown += bytes == 0;
	if (!bytes)
		return;
	table[place_of(block)].bytes = 0;
	cpu_allocated -= bytes;
	report(block, -(int64_t)bytes, cpu_allocated, 0, (struct device){ 0, -1 });
}

void OutOfMemory(void *self, size_t bytes)
{
	(void)self;
	if (profiles)
		report_oom((int64_t)bytes, cpu_allocated, 0, (struct device){ 0, -1 });
}

void fake_profile(bool on)
{
	profiles = on;
}

void *fake_cpu_allocate(size_t bytes)
{
	void *block = bytes ? malloc(bytes) : NULL;

	New(&reporter, block, bytes);
	return block;
}

void fake_cpu_free(void *block)
{
	if (!block)
		return;
	Delete(&reporter, block);
	free(block);
}

void fake_cpu_fail(size_t bytes)
{
	OutOfMemory(&reporter, bytes);
}

/* A mapped file: told at once, its own size as the total. */
void fake_map(void *block, int64_t bytes)
{
	report(block, bytes, 0, (size_t)(bytes > 0 ? bytes : 0), (struct device){ 0, -1 });
}

void fake_device(void *block, int64_t bytes, int index, bool is_old)
{
	struct device device = { 1, (int8_t)index };

	allocated[index] += (size_t)bytes;
	while (reserved[index] < allocated[index])
		reserved[index] += SEGMENT;
	if (is_old)
		report_signed(block, bytes, (int64_t)allocated[index], (int64_t)reserved[index],
			      device);
	else
		report(block, bytes, allocated[index], reserved[index], device);
}

void fake_device_fail(size_t bytes, int index)
{
	report_oom((int64_t)bytes, allocated[index], reserved[index],
		   (struct device){ 1, (int8_t)index });
	report_oom_signed((int64_t)bytes, (int64_t)allocated[index], (int64_t)reserved[index],
			  (struct device){ 1, (int8_t)index });
}

void fake_print(const char *name)
{
	printf("%s: %lu calls, checksum %lx, %lu unknown, %lu ooms, cpu %zu, devices %zu of %zu "
	       "and %zu of %zu\n",
	       name, calls, checksum, unknown, ooms, cpu_allocated, allocated[0], reserved[0],
	       allocated[1], reserved[1]);
}
