/* SPDX-License-Identifier: MIT */
/*
 * The functions of preload/cuda/hooks.def against the real headers of CUDA 13, at compile time:
 * each line is declared once more beside the headers' own declaration, which the compiler compares.
 * What is declared here is called nowhere. Without these headers HAVE_CUDA_13 is not defined:
 * PyTorch's packages bring some of them, and not crt/host_defines.h, which cuda_runtime_api.h
 * needs.
 */
#ifndef TESTS_UNIT_CUDA_HEADERS_H
#define TESTS_UNIT_CUDA_HEADERS_H

#ifdef __has_include
#if __has_include(<cuda.h>) && __has_include(<crt/host_defines.h>) && \
	__has_include(<cudaProfiler.h>)
#include <cuda.h>
#if CUDA_VERSION >= 13000
#define HAVE_CUDA_13
#endif
#endif
#endif

#ifdef HAVE_CUDA_13

#include <cudaProfiler.h>
#include <cuda_profiler_api.h>
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
