/* SPDX-License-Identifier: MIT */
/* races: none, needs its libraries */
/*
 * Prints what dlsym() answers to whom: early and late, in handlers, threads and children, and what
 * is left of errno and dlerror().
 */
/* build: -pthread -Wl,--no-as-needed -Wl,--export-dynamic -L$O/programs -ldlsym_callers -ldlsym_resolver -Wl,-rpath,'$ORIGIN' -ldl */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

const char *dlsym_which(void);
const char *cupti_which(void);
const char *callers_next(const char *name);
extern const char *callers_early;
extern int (*callers_chosen)(void);

const char *dlsym_which(void)
{
	return "program";
}

const char *cupti_which(void)
{
	return "program's cupti";
}

static const char *ask(void *handle, const char *name)
{
	const char *(*which)(void);

	errno = 77;
	which = (const char *(*)(void))dlsym(handle, name);
	if (which && errno != 77)
		return "errno has changed";
	return which ? which() : dlerror();
}

static void ask_all(const char *where)
{
	static const char *const names[] = { "dlsym_which", "cupti_which", "cuptiNowhere",
					     "cupsNowhere", "cu",          "" };
	void *library = dlopen("libdlsym_resolver.so", RTLD_LAZY | RTLD_NOLOAD);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		printf("%s, %s: default %s, ", where, names[i], ask(RTLD_DEFAULT, names[i]));
		printf("next %s, ", ask(RTLD_NEXT, names[i]));
		printf("library %s\n", ask(library, names[i]));
	}
	printf("%s, from the library: %s, %s, %s\n", where, callers_next("dlsym_which"),
	       callers_next("cupti_which"), callers_next("cuptiNowhere"));
	dlclose(library);
	fflush(stdout);
}

static void handle(int signal)
{
	(void)signal;
	ask_all("handler");
}

static void *run(void *unused)
{
	ask_all("thread");
	return unused;
}

/* A name may end where memory does. */
static void ask_at_end(void)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static const char *const names[] = { "", "c", "cu", "cup", "cupti" };

	munmap(page + 4096, 4096);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *name = page + 4096 - strlen(names[i]) - 1;

		strcpy(name, names[i]);
		printf("end of memory: %d\n", dlsym(RTLD_DEFAULT, name) != NULL);
	}
}

static void ask_in_children(void)
{
	pid_t child = fork();
	int status = 0;

	if (!child) {
		ask_all("fork");
		_exit(0);
	}
	waitpid(child, NULL, 0);
	child = vfork();
	if (!child) {
		if (strcmp(callers_next("dlsym_which"), "resolver") != 0)
			_exit(1);
		_exit(dlsym(RTLD_DEFAULT, "cuptiNowhere") ? 2 : 3);
	}
	waitpid(child, &status, 0);
	printf("vfork: %d\n", WEXITSTATUS(status));
}

int main(void)
{
	pthread_t thread;
	void *again;

	printf("chosen %d, early %s\n", callers_chosen(), callers_early);
	ask_all("main");
	signal(SIGUSR1, handle);
	raise(SIGUSR1);
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	ask_in_children();
	ask_at_end();
	again = dlsym(RTLD_DEFAULT, "dlsym");
	printf("dlsym itself: %s\n",
	       ((void *(*)(void *, const char *))again)(RTLD_NEXT, "dlsym_which") ? "found"
										  : "missing");
	printf("by version: %d\n", dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5") != NULL);
	return 0;
}
