/* SPDX-License-Identifier: MIT */
/*
 * Bodies of the fake libcudart: copies and memset.
 */
#include "tests/fake/cudart_bodies.h"
#include "tests/fake/copies.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#include "tests/fake/cudart_copies.def"
