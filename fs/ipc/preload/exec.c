// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Starting programs: they get our descriptor, and the two variables by which
 * they find the library and the namespace even if the caller made an
 * environment without them.
 *
 * It may be a child of vfork() that comes here, so everything lives on its
 * stack.
 */
#include "fs/ipc/preload/preload.h"

#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "fs/ipc/session.h"

#define PRELOAD "LD_PRELOAD="
/* Longer ones are passed on as they are: there is no stack for them. */
#define MAX_STRINGS 65536

static char library[PATH_MAX];

static void __attribute__((constructor)) init(void)
{
	Dl_info info;

	if (dladdr(library, &info) && info.dli_fname &&
	    strlen(info.dli_fname) < sizeof(library))
		strcpy(library, info.dli_fname);
}

/* What of an environment has to be there. */
struct wanted {
	size_t nr; /* strings there are */
	const char *preload; /* LD_PRELOAD as it is, or NULL */
	bool has_library, has_variable;
};

static bool begins(const char *string, const char *with)
{
	return strncmp(string, with, strlen(with)) == 0;
}

static void look(char *const envp[], struct wanted *wanted)
{
	*wanted = (struct wanted){ 0 };
	for (; envp && envp[wanted->nr]; wanted->nr++) {
		const char *string = envp[wanted->nr];

		if (begins(string, PRELOAD)) {
			wanted->preload = string + sizeof(PRELOAD) - 1;
			wanted->has_library = strstr(string, library) != NULL;
		}
		if (strcmp(string, kf_ns_variable()) == 0)
			wanted->has_variable = true;
	}
}

static bool is_complete(const struct wanted *wanted)
{
	return (wanted->has_library && wanted->has_variable) ||
	       wanted->nr > MAX_STRINGS;
}

/* Bytes of the LD_PRELOAD to make. */
static size_t preload_size(const struct wanted *wanted)
{
	return sizeof(PRELOAD) + strlen(library) + 1 +
	       (wanted->preload ? strlen(wanted->preload) : 0);
}

static void make_preload(const struct wanted *wanted, char *preload)
{
	strcpy(preload, PRELOAD);
	strcat(preload, library);
	if (wanted->preload && *wanted->preload) {
		strcat(preload, ":");
		strcat(preload, wanted->preload);
	}
}

static void complete(char *const envp[], const struct wanted *wanted,
		     char *preload, char **ret_envp)
{
	size_t nr = 0;

	for (size_t i = 0; i < wanted->nr; i++) {
		if (begins(envp[i], IPC_SESSION_VARIABLE "="))
			continue;
		if (!wanted->has_library && begins(envp[i], PRELOAD))
			continue;
		ret_envp[nr++] = envp[i];
	}
	if (!wanted->has_library) {
		make_preload(wanted, preload);
		ret_envp[nr++] = preload;
	}
	ret_envp[nr++] = (char *)kf_ns_variable();
	ret_envp[nr] = NULL;
}

/* Replaces @envp, for the rest of the calling function. */
#define PREPARE(envp)                                                          \
	do {                                                                   \
		struct wanted wanted;                                          \
		char **full;                                                   \
                                                                               \
		if (!kf_in_ns() || !*library)                                  \
			break;                                                 \
		kf_ns_before_exec();                                           \
		look(envp, &wanted);                                           \
		if (is_complete(&wanted))                                      \
			break;                                                 \
		full = alloca((wanted.nr + 3) * sizeof(*full));                \
		complete(envp, &wanted, alloca(preload_size(&wanted)), full);  \
		(envp) = full;                                                 \
	} while (0)

KF_CALL int execve(const char *path, char *const argv[], char *const envp[])
{
	PREPARE(envp);
	return kf_real()->execve(path, argv, envp);
}

KF_CALL int execveat(int dirfd, const char *path, char *const argv[],
		     char *const envp[], int flags)
{
	PREPARE(envp);
	return kf_real()->execveat(dirfd, path, argv, envp, flags);
}

KF_CALL int fexecve(int fd, char *const argv[], char *const envp[])
{
	PREPARE(envp);
	return kf_real()->fexecve(fd, argv, envp);
}

KF_CALL int execvpe(const char *file, char *const argv[], char *const envp[])
{
	PREPARE(envp);
	return kf_real()->execvpe(file, argv, envp);
}

KF_CALL int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

KF_CALL int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

KF_CALL int posix_spawn(pid_t *pid, const char *path,
			const posix_spawn_file_actions_t *actions,
			const posix_spawnattr_t *attr, char *const argv[],
			char *const envp[])
{
	PREPARE(envp);
	return kf_real()->posix_spawn(pid, path, actions, attr, argv, envp);
}

KF_CALL int posix_spawnp(pid_t *pid, const char *file,
			 const posix_spawn_file_actions_t *actions,
			 const posix_spawnattr_t *attr, char *const argv[],
			 char *const envp[])
{
	PREPARE(envp);
	return kf_real()->posix_spawnp(pid, file, actions, attr, argv, envp);
}

/* --- by the C library's own calls, with our environment as it is --- */

static void complete_environ(void)
{
	struct wanted wanted;
	int saved_errno = errno;
	char *preload;

	if (!kf_in_ns() || !*library)
		return;
	kf_ns_before_exec();
	look(environ, &wanted);
	if (!wanted.has_library) {
		preload = alloca(preload_size(&wanted));
		make_preload(&wanted, preload);
		setenv("LD_PRELOAD", preload + sizeof(PRELOAD) - 1, 1);
	}
	if (!wanted.has_variable)
		setenv(IPC_SESSION_VARIABLE,
		       kf_ns_variable() + sizeof(IPC_SESSION_VARIABLE), 1);
	errno = saved_errno;
}

KF_CALL int system(const char *command)
{
	complete_environ();
	return kf_real()->system(command);
}

KF_CALL FILE *popen(const char *command, const char *type)
{
	complete_environ();
	return kf_real()->popen(command, type);
}

/* --- with the arguments one by one --- */

static size_t count(va_list ap)
{
	size_t nr = 1;

	while (va_arg(ap, char *))
		nr++;
	return nr;
}

/* Fills a new array @argv with @arg and what follows. */
#define COLLECT(argv, arg, ap)                                                 \
	do {                                                                   \
		size_t nr_;                                                    \
                                                                               \
		va_start(ap, arg);                                             \
		nr_ = count(ap);                                               \
		va_end(ap);                                                    \
		(argv) = alloca((nr_ + 1) * sizeof(*(argv)));                  \
		(argv)[0] = (char *)(arg);                                     \
		va_start(ap, arg);                                             \
		for (size_t i_ = 1; i_ <= nr_; i_++)                           \
			(argv)[i_] = va_arg(ap, char *);                       \
	} while (0)

KF_CALL int execl(const char *path, const char *arg, ...)
{
	char **argv;
	va_list ap;

	COLLECT(argv, arg, ap);
	va_end(ap);
	return execve(path, argv, environ);
}

KF_CALL int execlp(const char *file, const char *arg, ...)
{
	char **argv;
	va_list ap;

	COLLECT(argv, arg, ap);
	va_end(ap);
	return execvpe(file, argv, environ);
}

KF_CALL int execle(const char *path, const char *arg, ...)
{
	char *const *envp;
	char **argv;
	va_list ap;

	COLLECT(argv, arg, ap);
	envp = va_arg(ap, char *const *);
	va_end(ap);
	return execve(path, argv, envp);
}
