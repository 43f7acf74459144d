/* SPDX-License-Identifier: MIT */
/* cuda_second, which asks dlsym() for CUPTI's functions. */
/* build: -pthread -L$O/fake -l:libcudart.so.13 -ldl -Wl,-rpath,'$ORIGIN/../fake' */
#define OPENED
#include "cuda_second.c"
