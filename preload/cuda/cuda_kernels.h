/* SPDX-License-Identifier: MIT */
/*
 * The names of kernels: maps the handles that a program launches (a host function, a cudaKernel_t,
 * a CUfunction) to names as compiled. Before main(), a program registers every kernel that it has,
 * often a hundred thousand. Registration only keeps the address of the name. The name is read at
 * the first launch, or when a second handle is made for the kernel.
 *
 * Any thread, signal handlers too; no lock, no allocation but mmap().
 */
#ifndef PRELOAD_CUDA_CUDA_KERNELS_H
#define PRELOAD_CUDA_CUDA_KERNELS_H

#include "preload/record/strings.h"

/*
 * `name` is part of the library that registers it, so it exists as long as the handle may be
 * launched. A name outside of all loaded objects is read now. A handle that is registered again
 * (its library was unloaded and another loaded there) has the new name.
 */
void cuda_kernels_register(const void *handle, const char *name);
/* As cuda_kernels_register(), but `name` is read now. */
void cuda_kernels_name(const void *handle, const char *name);
/* `handle` is another handle of the kernel `of`. */
void cuda_kernels_alias(const void *handle, const void *of);
/*
 * Returns the id of the kernel's name in records; the name is in the ring afterwards if there was
 * room. 0, the empty string, if nothing is known of the kernel.
 */
uint64_t cuda_kernels_id(const void *handle, struct recorder_lane *lane);

#endif
