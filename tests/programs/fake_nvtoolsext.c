/* SPDX-License-Identifier: MIT */
/* build: -lpthread -ldl -Wl,-soname,libnvToolsExt.so.1 */
/*
 * A libnvToolsExt.so.1: it exports the functions of version 2 and, like the real one, passes them
 * on to the library that NVTX_INJECTION64_PATH names. Counts its calls.
 */
#define CLIENT(returns, name, parameters) \
	returns name parameters;          \
	returns name parameters
#include "tests/programs/nvtx_client.h"

unsigned long fake_nvtx_calls(void);

unsigned long fake_nvtx_calls(void)
{
	return client_calls;
}
