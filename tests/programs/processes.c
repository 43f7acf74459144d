/* SPDX-License-Identifier: MIT */
/* races: processes storm 5 */
/*
 * Begets processes in the way that is asked for. Every process of it that is recorded allocates
 * BLOCKS blocks of 5001 bytes, the first one before it begets.
 *
 * usage: processes HOW [NUMBER]
 */
/* build: -pthread -fno-builtin */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCKS 40
#define BLOCK_BYTES 5001

extern char **environ;
static char **own_argv;
static _Atomic int stop_threads;

static void make_blocks(void)
{
	for (int i = 0; i < BLOCKS; i++)
		if (!malloc(BLOCK_BYTES))
			_exit(99);
}

static void expect_child(pid_t pid, int code)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
	    WEXITSTATUS(status) != code)
		_exit(98);
}

static void *thread_churns(void *unused)
{
	while (!stop_threads) {
		for (int i = 0; i < 20; i++)
			free(malloc(64 + (size_t)i));
		usleep(100);
	}
	return unused;
}

static void child_of_fork(int code)
{
	make_blocks();
	_exit(code);
}

/* Children one after the other, while threads use the heap. */
static void beget_storm(int number)
{
	pthread_t thread[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, thread_churns, NULL);
	for (int i = 0; i < number; i++) {
		pid_t pid = fork();

		if (pid == 0)
			child_of_fork(7);
		expect_child(pid, 7);
	}
	stop_threads = 1;
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}

/* All alive at once, each with a child of its own. */
static void beget_tree(int number)
{
	pid_t pid[256];

	for (int i = 0; i < number; i++) {
		pid[i] = fork();
		if (pid[i])
			continue;
		make_blocks();
		pid_t inner = fork();
		if (inner == 0)
			child_of_fork(8);
		expect_child(inner, 8);
		exit(7);
	}
	for (int i = 0; i < number; i++)
		expect_child(pid[i], 7);
}

/* fork-like clone that no library function sees. */
static void beget_clone(int number)
{
	for (int i = 0; i < number; i++) {
		pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

		if (pid == 0) {
			make_blocks();
			syscall(SYS_exit_group, 7);
		}
		expect_child(pid, 7);
	}
}

static void beget_vfork(int number)
{
	for (int i = 0; i < number; i++) {
		pid_t pid = vfork();

		if (pid == 0) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(97);
		}
		expect_child(pid, 0);
	}
}

/* The child of a vfork shares memory, stack and TLS with its parent, and may well use the heap. */
static void beget_vfork_heap(int number)
{
	for (int i = 0; i < number; i++) {
		pid_t pid = vfork();

		if (pid == 0) {
			free(malloc(333));
			_exit(7);
		}
		expect_child(pid, 7);
	}
	make_blocks();
}

static void beget_spawn(int number)
{
	char *argv[] = { "true", NULL };

	for (int i = 0; i < number; i++) {
		pid_t pid;

		if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ))
			_exit(97);
		expect_child(pid, 0);
		if (system("true"))
			_exit(97);
	}
}

/* The same pid, another image: NUMBER times. */
static void beget_exec(int number)
{
	char left[16];

	if (number == 0)
		return;
	snprintf(left, sizeof(left), "%d", number - 1);
	execl("/proc/self/exe", own_argv[0], own_argv[1], left, (char *)NULL);
	_exit(97);
}

static void beget_daemon(int number)
{
	if (daemon(1, 0))
		_exit(97);
	usleep(300000);
	for (int i = 0; i < number; i++)
		make_blocks();
}

/* A child that outlives its parent, its session and its group. */
static void beget_orphan(int number)
{
	if (fork())
		_exit(0);
	setsid();
	usleep(300000);
	for (int i = 0; i < number; i++)
		make_blocks();
}

/* What the program can see of itself: no child, no thread, no descriptor that it did not make. */
static void beget_nothing(int number)
{
	int status;
	pid_t pid = wait(&status);

	(void)number;
	printf("wait: %d %s\n", (int)pid, strerror(errno));
	fflush(stdout);
	if (system("ls /proc/$PPID/task | wc -l; ls -l /proc/$PPID/fd | grep -c -e intercept -e "
		   "memfd -e run.evt"))
		printf("no descriptor of a stranger\n");
	printf("unshare: %d\n", unshare(CLONE_NEWUSER));
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*beget)(int);
	} ways[] = {
		{ "storm", beget_storm },   { "tree", beget_tree },
		{ "clone", beget_clone },   { "vfork", beget_vfork },
		{ "spawn", beget_spawn },   { "vfork-heap", beget_vfork_heap },
		{ "exec", beget_exec },     { "daemon", beget_daemon },
		{ "orphan", beget_orphan }, { "nothing", beget_nothing },
	};

	if (argc < 2)
		return 2;
	own_argv = argv;
	make_blocks();
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(argv[1], ways[i].name)) {
			ways[i].beget(argc > 2 ? atoi(argv[2]) : 1);
			return 0;
		}
	return 2;
}
