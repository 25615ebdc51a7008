/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finding the struct rseq that the C library registered for a thread, and how
 * many CPU numbers there can be; see lock/rseq.h.
 *
 * We register nothing ourselves: a thread has room for one registration, and
 * glibc makes it from 2.35 on. It says where by two variables, which are weak
 * here so that a program runs, without rseq, where they do not exist.
 */
#include "lock/rseq.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lock/assert.h"

/* Pauses in force; the thread's own. */
static __thread unsigned int paused;

#if KF_HAVE_RSEQ

_Static_assert(offsetof(struct kf_rseq, cpu_id) == 4, "as in the assembly");
_Static_assert(offsetof(struct kf_rseq, rseq_cs) == 8, "as in the assembly");

extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

__thread struct kf_rseq *kf_rseq_self
	__attribute__((tls_model("initial-exec")));

static inline char *thread_pointer(void)
{
	char *tp;

#if defined(__x86_64__)
	__asm__("movq %%fs:0, %0" : "=r"(tp));
#elif defined(__aarch64__)
	__asm__("mrs %0, tpidr_el0" : "=r"(tp));
#endif
	return tp;
}

/* A size of 0 says that nothing was registered: the tunable, an old kernel,
 * valgrind, a filter of system calls, or somebody else came first. */
struct kf_rseq *kf_rseq_find(void)
{
	if (paused || !&__rseq_offset || !&__rseq_size ||
	    __rseq_size < offsetof(struct kf_rseq, flags))
		return NULL;
	/* whether this very thread is registered, cpu_id tells at each add */
	kf_rseq_self = (struct kf_rseq *)(thread_pointer() + __rseq_offset);
	return kf_rseq_self;
}

static void forget_self(void)
{
	kf_rseq_self = NULL;
}

#else

static void forget_self(void)
{
}

#endif /* KF_HAVE_RSEQ */

void kf_rseq_pause(void)
{
	paused++;
	forget_self();
}

void kf_rseq_resume(void)
{
	kf_assert(paused > 0);
	paused--; /* the next add looks again */
}

bool kf_rseq_is_paused(void)
{
	return paused > 0;
}

/* --- how many CPUs there can be --- */

unsigned int kf_rseq_parse_cpus(const char *list)
{
	unsigned long highest = 0;

	for (;;) {
		char *end;
		unsigned long cpu;

		if (*list < '0' || *list > '9')
			return 0;
		cpu = strtoul(list, &end, 10);
		if (cpu > highest)
			highest = cpu;
		if (*end == '\n' || *end == '\0')
			break;
		if (*end != ',' && *end != '-')
			return 0;
		list = end + 1;
	}
	return highest < UINT16_MAX ? (unsigned int)highest + 1 : 0;
}

static unsigned int listed_cpus(void)
{
	char list[4096];
	ssize_t len;
	int fd = open("/sys/devices/system/cpu/possible", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	len = read(fd, list, sizeof(list) - 1);
	close(fd);
	if (len <= 0)
		return 0;
	list[len] = '\0';
	return kf_rseq_parse_cpus(list);
}

/* The directories cpu0, cpu1, ...: not all of the possible ones, but all that
 * have been there. */
static unsigned int cpu_directories(void)
{
	DIR *dir = opendir("/sys/devices/system/cpu");
	unsigned int nr = 0, n;
	struct dirent *ent;

	if (!dir)
		return 0;
	while ((ent = readdir(dir))) {
		if (strncmp(ent->d_name, "cpu", 3) != 0)
			continue;
		n = kf_rseq_parse_cpus(ent->d_name + 3);
		if (n > nr)
			nr = n;
	}
	closedir(dir);
	return nr;
}

unsigned int kf_rseq_nr_cpus(void)
{
	static unsigned int cached;
	/* relaxed: who finds 0 looks for himself and finds the same */
	unsigned int nr = READ_ONCE(cached);
	long conf;

	if (nr)
		return nr;
	nr = listed_cpus();
	if (!nr)
		nr = cpu_directories();
	if (!nr) {
		conf = sysconf(_SC_NPROCESSORS_CONF);
		nr = conf > 0 && conf < UINT16_MAX ? (unsigned int)conf : 1;
	}
	WRITE_ONCE(cached, nr);
	return nr;
}
