/* SPDX-License-Identifier: MIT */
/*
 * What kernels are called: the handles that a program launches (a host function, a cudaKernel_t, a
 * CUfunction) to names as compiled. A program registers every kernel that it has, often a hundred
 * thousand, before main(): that keeps the address of the name and reads nothing. The name is read at
 * the first launch, or when a second handle is made for the kernel.
 *
 * Any thread, signal handlers too; no lock, no allocation but mmap().
 */
#ifndef PRELOAD_CUDA_CUDA_KERNELS_H
#define PRELOAD_CUDA_CUDA_KERNELS_H

#include "preload/record/strings.h"

/* `name` is part of the library that registers it: it is there as long as the handle may be launched.
 * One that lies in no loaded object is read now. A handle registered again (its
 * library was unloaded and another loaded there) has the new name. */
void cuda_kernels_register(const void *handle, const char *name);
/* `name` is read now. */
void cuda_kernels_name(const void *handle, const char *name);
/* `handle` is another handle of the kernel `of`. */
void cuda_kernels_alias(const void *handle, const void *of);
/* What a record calls the kernel; its name is in the ring afterwards, if there was room. 0, the empty
 * string, when nothing is known of it. */
uint64_t cuda_kernels_id(const void *handle, struct recorder_lane *lane);

#endif
