/* SPDX-License-Identifier: MIT */
/*
 * Declares the body do_NAME() of every function of the fake libcudart, and the hooked functions
 * themselves.
 */
#ifndef TESTS_FAKE_CUDART_BODIES_H
#define TESTS_FAKE_CUDART_BODIES_H

#include "tests/fake/entry.h"

#ifndef FAKE_MAJOR
#define FAKE_MAJOR 13
#endif
#define FAKE_VERSION (FAKE_MAJOR * 1000 + 20)

#define BODY_cudart(name, parameters) int do_##name parameters, name parameters;
#define BODY_cuda(name, parameters)
#pragma GCC visibility push(default)
#define CUDA(library, since, per_thread, name, parameters, ...) BODY_##library(name, parameters)
#include "preload/cuda/hooks.def"
#pragma GCC visibility pop
#define MORE(name, parameters, arguments) int do_##name parameters;
#define HAND(returns, name, parameters)
#include "tests/fake/cudart_more.def"
#undef BODY_cudart
#undef BODY_cuda

/* The driver, found as the real runtime finds it; NULL when there is none. */
void *cudart_driver(const char *name);

#endif
