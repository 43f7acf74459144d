/* SPDX-License-Identifier: MIT */
/*
 * The functions of preload/cuda/hooks.def against the real headers of CUDA 13, at compile time: each line is
 * declared once more beside the headers' own declaration, which the compiler compares. What is declared
 * here is called nowhere. Without these headers HAVE_CUDA_13 is not defined. PyTorch's packages bring them without those of
 * the profiler's switch: then nothing compares these functions.
 */
#ifndef TESTS_UNIT_CUDA_HEADERS_H
#define TESTS_UNIT_CUDA_HEADERS_H

#ifdef __has_include
#if __has_include(<cuda.h>) && __has_include(<cuda_runtime_api.h>)
#include <cuda.h>
#if CUDA_VERSION >= 13000
#define HAVE_CUDA_13
#endif
#endif
#endif

#ifdef HAVE_CUDA_13

#if __has_include(<cudaProfiler.h>)
#include <cudaProfiler.h>
#endif
#if __has_include(<cuda_profiler_api.h>)
#include <cuda_profiler_api.h>
#endif
#include <cuda_runtime_api.h>

/* The headers give these names to other functions. */
#undef cuGetProcAddress
#undef cuCtxSynchronize

#pragma GCC diagnostic ignored "-Wredundant-decls"
#define RETURNS_cudart cudaError_t CUDARTAPI
#define RETURNS_cuda CUresult CUDAAPI
#define CUDA(library, since, per_thread, name, parameters, arguments, record) \
	RETURNS_##library name parameters;
#define CUDA_WORDS(library, since, per_thread, name, parameters, arguments, record)
#include "preload/cuda/hooks.def"

#endif
#endif
