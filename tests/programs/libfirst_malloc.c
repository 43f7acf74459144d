/* SPDX-License-Identifier: MIT */
/* races: none, a library that holds a lock of libc */
/*
 * A library whose constructor makes the process's first malloc() inside a function of libc, which
 * holds a lock of its own meanwhile: the function that FIRST_MALLOC names. It is called twice: a
 * lock that was given away by the first call is waited for by the second.
 */
/* build: -pthread -ldl */
#include <dlfcn.h>
#include <grp.h>
#include <iconv.h>
#include <libintl.h>
#include <locale.h>
#include <netdb.h>
#include <pthread.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <wchar.h>

int first_malloc_calls(void);

static int calls;

static void hold_gettext(void)
{
	(void)bindtextdomain("first_malloc", "/nonexistent");
	(void)textdomain("first_malloc");
	(void)dgettext("first_malloc", "a text");
}

static void hold_locale(void)
{
	(void)setlocale(LC_ALL, "C.UTF-8");
	(void)setlocale(LC_ALL, NULL);
	(void)setlocale(LC_ALL, "C");
}

static void hold_newlocale(void)
{
	locale_t locale = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);

	if (locale)
		freelocale(locale);
}

static void hold_stdio(void)
{
	static char *line;
	static size_t room;
	FILE *file = fopen("/proc/self/status", "r");

	if (!file)
		return;
	flockfile(file);
	(void)getline(&line, &room, file);
	funlockfile(file);
	fclose(file);
}

static void hold_stderr(void)
{
	static char *line;
	static size_t room;

	flockfile(stderr);
	flockfile(stdin);
	(void)getline(&line, &room, stdin);
	funlockfile(stdin);
	funlockfile(stderr);
}

static void hold_passwd(void)
{
	(void)getpwnam("nobody");
	(void)getgrnam("nogroup");
}

static void at_exit(void)
{
}

static void hold_atexit(void)
{
	for (int i = 0; i < 64; i++)
		(void)atexit(at_exit);
}

static void hold_atfork(void)
{
	for (int i = 0; i < 64; i++)
		(void)pthread_atfork(NULL, at_exit, NULL);
}

static void hold_dl(void)
{
	(void)dlopen("libnothing-of-this-name.so.1", RTLD_NOW);
	(void)dlsym(RTLD_DEFAULT, "nothing_of_this_name");
	(void)dlopen("libm.so.6", RTLD_NOW);
}

static void hold_iconv(void)
{
	iconv_t converter = iconv_open("UTF-8", "ISO-8859-15");

	if (converter != (iconv_t)-1)
		iconv_close(converter);
}

static void hold_resolver(void)
{
	struct addrinfo *found = NULL, wanted = { .ai_flags = AI_NUMERICHOST };

	if (getaddrinfo("127.0.0.1", "http", &wanted, &found) == 0)
		freeaddrinfo(found);
	(void)gethostbyname("localhost");
	(void)getservbyname("http", "tcp");
}

static void hold_environment(void)
{
	(void)setenv("FIRST_MALLOC_SET", "a value", 1);
	(void)putenv((char[]){ "FIRST_MALLOC_PUT=a value" });
	(void)unsetenv("FIRST_MALLOC_PUT");
}

static void hold_timezone(void)
{
	time_t now = 0;

	(void)setenv("TZ", calls ? "Europe/Paris" : "America/New_York", 1);
	tzset();
	(void)localtime(&now);
}

static void hold_syslog(void)
{
	openlog("first_malloc", LOG_NDELAY, LOG_USER);
	syslog(LOG_DEBUG, "%s", "nothing");
	closelog();
}

static void *thread(void *unused)
{
	return unused;
}

static void hold_thread(void)
{
	pthread_t id;

	if (pthread_create(&id, NULL, thread, NULL) == 0)
		pthread_join(id, NULL);
}

static void hold_printf(void)
{
	char *text = NULL;

	if (asprintf(&text, "%1$s %2$500.3f", "a text", 1.0) >= 0)
		free(text);
	(void)fwprintf(stderr, L"%ls", L"");
}

static const struct {
	const char *name;
	void (*hold)(void);
} holders[] = {
	{ "gettext", hold_gettext },
	{ "locale", hold_locale },
	{ "newlocale", hold_newlocale },
	{ "stdio", hold_stdio },
	{ "stderr", hold_stderr },
	{ "passwd", hold_passwd },
	{ "atexit", hold_atexit },
	{ "atfork", hold_atfork },
	{ "dl", hold_dl },
	{ "iconv", hold_iconv },
	{ "resolver", hold_resolver },
	{ "environment", hold_environment },
	{ "timezone", hold_timezone },
	{ "syslog", hold_syslog },
	{ "thread", hold_thread },
	{ "printf", hold_printf },
};

__attribute__((constructor)) static void first_malloc_start(void)
{
	const char *wanted = getenv("FIRST_MALLOC");

	for (size_t i = 0; wanted && i < sizeof(holders) / sizeof(holders[0]); i++) {
		if (strcmp(wanted, holders[i].name) != 0)
			continue;
		holders[i].hold();
		calls++;
		holders[i].hold();
		calls++;
	}
}

int first_malloc_calls(void)
{
	return calls;
}
