/* SPDX-License-Identifier: MIT */
/* races: nvtx_v3 4 20 e.json */
/* build: -lpthread -ldl */
/* A program with header-only NVTX, without needing the headers. */
#define CLIENT(returns, name, parameters) static __attribute__((unused)) returns name parameters
#include "tests/programs/nvtx_client.h"

#include "tests/programs/nvtx_calls.h"
