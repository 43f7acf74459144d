/* SPDX-License-Identifier: MIT */
/* races: none, needs NVTX's own headers */
/* build: -lpthread -ldl */
/* The same program with the real headers of NVTX 3; without them it says so, status 77. */
#ifdef HAVE_NVTX3

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include "tests/programs/nvtx_calls.h"

/* Asked before anything else: an older client skips its ranges when the answer is no. */
__attribute__((constructor)) static void ask(void)
{
	CHECK(nvtxDomainIsEnabled(NULL) == 1);
}

#else

#include <stdio.h>

int main(void)
{
	puts("no NVTX 3 headers on this machine");
	return 77;
}

#endif
