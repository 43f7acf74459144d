/* SPDX-License-Identifier: MIT */
/* Frees a block, begins an NVTX range as its last record, and is killed. */
/* build: -fno-builtin */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((weak)) int nvtxRangePushA(const char *message);

int main(void)
{
	void *block = malloc(4242);

	free(block);
	if (nvtxRangePushA)
		nvtxRangePushA("last");
	kill(getpid(), SIGKILL);
	return 1;
}
