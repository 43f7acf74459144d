/* SPDX-License-Identifier: MIT */
/*
 * Memory of PyTorch's tensors: every block that an allocator of torch gives out and takes back, on whichever device.
 *
 * Two ways in, neither of which the program can notice:
 *
 *   c10::ProfiledCPUMemoryReporter::New, Delete, OutOfMemory: the CPU allocator calls them for every block. What they
 *       do by themselves (nothing, unless a profiler with profile_memory runs on the thread) they go on doing. So
 *       c10::memoryProfilingEnabled() is left alone: the program's own profiler gets the calls that it would have had.
 *   c10::reportMemoryUsageToProfiler, reportOutOfMemoryToProfiler: the caching allocators of devices call them for
 *       every block, with the allocator's totals; mapped files and shared memory do too. The CPU allocator's own calls
 *       of them, made while a profiler runs, are told by New() and Delete() being under way.
 *
 * PyTorch 1.13 to 2.15. Any thread.
 */
#ifndef PRELOAD_TENSORS_TENSOR_MEMORY_H
#define PRELOAD_TENSORS_TENSOR_MEMORY_H

#include <stdbool.h>

/* For python/listeners.def. A tensor has been made on the CPU. Says so when we have not been told of it, though it is torch's. */
bool tensor_memory_check(void *arguments);

#endif
