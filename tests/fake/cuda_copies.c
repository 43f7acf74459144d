/* SPDX-License-Identifier: MIT */
/*
 * Bodies of the fake libcuda: copies and memset.
 */
#include "tests/fake/cuda_bodies.h"
#include "tests/fake/copies.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#include "tests/fake/cuda_copies.def"
