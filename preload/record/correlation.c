/* SPDX-License-Identifier: MIT */
/* See correlation.h. */
#include "preload/record/correlation.h"

__thread uint32_t correlation_self __attribute__((tls_model("initial-exec")));
bool correlation_wanted;
