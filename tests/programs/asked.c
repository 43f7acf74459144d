/* SPDX-License-Identifier: MIT */
/*
 * asked STOP [fork | exec | steps]: allocates blocks of 1024 bytes until the file STOP exists.
 * fork: children do the same for a moment, one after another; exec: becomes itself five times;
 * steps: each round is an NVTX range `round`. Prints nothing.
 */
/* build: -ldl */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *volatile block;

static void work(unsigned int rounds)
{
	const struct timespec nap = { .tv_nsec = 1000000 };

	for (unsigned int i = 0; i < rounds; i++) {
		block = malloc(1024);
		free(block);
		nanosleep(&nap, NULL);
	}
}

static void fork_one(void)
{
	pid_t child = fork();

	if (!child) {
		work(5);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

/* The argument counts. */
static int become_again(char **argv)
{
	static char names[][8] = { "exec", "exec1", "exec2", "exec3", "exec4", "exec5" };
	unsigned int i = 0;

	while (i < 5 && strcmp(argv[2], names[i]))
		i++;
	if (i == 5)
		return 0;
	argv[2] = names[i + 1];
	return 1;
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "";
	void *nvtx = strcmp(how, "steps") ? NULL : dlopen("libnvToolsExt.so.1", RTLD_NOW);
	int (*push)(const char *) = NULL;
	int (*pop)(void) = NULL;

	if (!strcmp(how, "steps")) {
		*(void **)&push = dlsym(nvtx ? nvtx : RTLD_DEFAULT, "nvtxRangePushA");
		*(void **)&pop = dlsym(nvtx ? nvtx : RTLD_DEFAULT, "nvtxRangePop");
	}
	while (access(argv[1], F_OK)) {
		if (push)
			push("round");
		work(1);
		if (pop)
			pop();
		if (!strcmp(how, "fork"))
			fork_one();
		if (!strncmp(how, "exec", 4) && become_again(argv)) {
			work(20);
			execv(argv[0], argv);
		}
	}
	return 0;
}
