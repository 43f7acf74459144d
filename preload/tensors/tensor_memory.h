/* SPDX-License-Identifier: MIT */
/*
 * Memory of PyTorch's tensors: every block that an allocator of torch allocates and frees, on any
 * device.
 *
 * There are two entry points. The program can notice neither.
 *
 *   c10::ProfiledCPUMemoryReporter::New, Delete, OutOfMemory: the CPU allocator calls them for
 *       every block. The originals still run (they do nothing, unless a profiler with
 *       profile_memory runs on the thread). So c10::memoryProfilingEnabled() is not changed, and
 *       the program's own profiler gets the calls that it would have had.
 *   c10::reportMemoryUsageToProfiler, reportOutOfMemoryToProfiler: the caching allocators of
 *       devices call them for every block, with the allocator's totals; mapped files and shared
 *       memory do too. The CPU allocator calls them only while a profiler runs. Those calls are
 *       recognised because New() or Delete() is running.
 *
 * PyTorch 1.13 to 2.15. Any thread.
 */
#ifndef PRELOAD_TENSORS_TENSOR_MEMORY_H
#define PRELOAD_TENSORS_TENSOR_MEMORY_H

#include <stdbool.h>

/*
 * For python/listeners.def. A tensor has been made on the CPU. If torch has not reported it,
 * although it is torch's, this is noted as a limitation.
 */
bool tensor_memory_check(void *arguments);

#endif
