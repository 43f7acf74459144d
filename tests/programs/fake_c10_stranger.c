/* SPDX-License-Identifier: MIT */
/* A library with torch's names that is not torch's. */
#include "tests/programs/fake_c10.c"
