/* SPDX-License-Identifier: MIT */
/* See cuda_user.h. */
/* build: -L$O/fake -l:libcudart.so.12 -Wl,-rpath,'$ORIGIN/../fake' */
#define CUDA_USER_KERNEL "of_12"
#include "cuda_user.h"
