/* SPDX-License-Identifier: MIT */
/*
 * A storm of signals whose handler uses the heap, over a loop that opens and closes NVTX ranges:
 * the handler often runs inside a hook. The loop itself never uses the heap, so the handler may.
 *
 * usage: signals HANDLED EXPECTED
 * Goes on until HANDLED signals were handled; writes to EXPECTED what it did, as JSON.
 */
/* build: -fno-builtin */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static int (*range_push)(const char *);
static int (*range_pop)(void);
static volatile unsigned long handled;

static void handle(int signal)
{
	int saved = errno;
	void *block = malloc(909);

	(void)signal;
	range_push("in handler");
	range_pop();
	free(block);
	handled++;
	errno = saved;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART };
	struct itimerval often = { { 0, 50 }, { 0, 50 } }, never = { { 0, 0 }, { 0, 0 } };
	unsigned long wanted = argc > 2 ? strtoul(argv[1], NULL, 10) : 0, pairs = 0;
	char line[100];
	int fd;

	if (!wanted)
		return 2;
	range_push = (int (*)(const char *))dlsym(RTLD_DEFAULT, "nvtxRangePushA");
	range_pop = (int (*)(void))dlsym(RTLD_DEFAULT, "nvtxRangePop");
	if (!range_push || !range_pop)
		return 3;
	free(malloc(1));
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (handled < wanted) {
		errno = 4711;
		range_push("loop");
		range_pop();
		if (errno != 4711)
			return 4;
		pairs++;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	fd = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0600);
	snprintf(line, sizeof(line), "{\"handled\":%lu,\"pairs\":%lu}\n", handled, pairs);
	return write(fd, line, strlen(line)) < 0;
}
