/* SPDX-License-Identifier: MIT */
/*
 * Only the two variables: the word of each thread, in initial-exec TLS, and whether numbers are
 * wanted at all.
 */
#include "preload/record/correlation.h"

__thread uint32_t correlation_self __attribute__((tls_model("initial-exec")));
bool correlation_wanted;
uint64_t correlation_off_ticks;
