/* SPDX-License-Identifier: MIT */
/* See cuda_user.h. */
/* build: -L$O/fake -l:libcudart.so.13 -Wl,-rpath,'$ORIGIN/../fake' */
#define CUDA_USER_KERNEL "of_13"
#include "cuda_user.h"
