# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests. Each tier lists its tests in two variables: <tier>_once run as they
# are, <tier>_each run once in each variant below. doc/testing.md has the
# whole story.

include test/unit/local.mk
include test/ipc/local.mk
include test/model/local.mk
include test/mount/local.mk
include test/parity/local.mk
include test/stress/local.mk
include test/build/local.mk
include test/bench/local.mk

# A test of <tier>_each becomes four: test/unit/x.hashed, .global, .rcu and
# .onebucket. There are no such files: test/lib/variant, through which every
# test runs, takes the suffix off and says in the environment what it means.
if HAVE_CHECK
unit_tests = \
	$(unit_once) \
	$(unit_each:=.hashed) $(unit_each:=.global) \
	$(unit_each:=.rcu) $(unit_each:=.onebucket)
else
unit_tests =
endif
model_tests = \
	$(model_once) \
	$(model_each:=.hashed) $(model_each:=.global) \
	$(model_each:=.rcu) $(model_each:=.onebucket)
mount_tests = \
	$(mount_once) \
	$(mount_each:=.hashed) $(mount_each:=.global) \
	$(mount_each:=.rcu) $(mount_each:=.onebucket)
stress_tests = \
	$(stress_once) \
	$(stress_each:=.hashed) $(stress_each:=.global) \
	$(stress_each:=.rcu) $(stress_each:=.onebucket)

ipc_tests = $(ipc_once)

TESTS += \
	$(unit_tests) \
	$(ipc_tests) \
	$(model_tests) \
	$(mount_tests) \
	$(parity_once) \
	$(stress_tests) \
	$(build_tests) \
	$(bench_tests)

short_tests = \
	$(unit_once) $(unit_each:=.hashed) \
	$(model_once) $(model_each:=.onebucket) \
	$(mount_once) $(mount_each:=.hashed) \
	$(stress_once) $(stress_each:=.rcu) $(stress_each:=.onebucket) \
	$(build_tests) \
	$(bench_tests)

# What a variant runs must be there and be current; a rule without a recipe
# says so for a target that is no file.
each = $(unit_each) $(model_each) $(mount_each) $(stress_each)
each_hashed = $(each:=.hashed)
each_global = $(each:=.global)
each_rcu = $(each:=.rcu)
each_onebucket = $(each:=.onebucket)
$(each_hashed): %.hashed: %
$(each_global): %.global: %
$(each_rcu): %.rcu: %
$(each_onebucket): %.onebucket: %
# Mount tests run the daemon, build tests look at what was built.
$(TEST_LOGS): kernfuse libkernfuse.la

TEST_EXTENSIONS = .sh
LOG_COMPILER = $(BASH_PROG) $(top_srcdir)/%reldir%/lib/variant
SH_LOG_COMPILER = $(LOG_COMPILER)
AM_TESTS_ENVIRONMENT = \
	abs_top_builddir='$(abs_top_builddir)'; export abs_top_builddir; \
	abs_top_srcdir='$(abs_top_srcdir)'; export abs_top_srcdir; \
	KERNFUSE='$(abs_top_builddir)/kernfuse'; export KERNFUSE; \
	KERNFUSE_SANITIZER='$(SANITIZER)'; export KERNFUSE_SANITIZER; \
	CC='$(CC)'; export CC; \
	CXX='$(CXX)'; export CXX; \
	MAKE='$(MAKE)'; export MAKE;

# Unit tests may reach into any room; libtool takes what a test uses.
LDADD += libkfd.la libimport.la libipc.la libkernfuse_testing.la $(CHECK_LIBS)
AM_CFLAGS += $(CHECK_CFLAGS)

# --- tiers by themselves; see doc/testing.md ---

.PHONY: check-unit check-ipc check-model check-mount check-parity
.PHONY: check-stress check-build check-unit-short
.PHONY: check-valgrind stress

# each with locks and without, for builds that are slow
check-unit-short:
	$(MAKE) $(AM_MAKEFLAGS) check \
		TESTS='$(unit_once) $(unit_each:=.hashed) $(unit_each:=.rcu)'
check-unit:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(unit_tests)'
check-ipc:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(ipc_tests)'
check-model:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(model_tests)'
check-mount:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(mount_tests)'
check-parity:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(parity_once)'
check-stress:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(stress_tests)'
check-build:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(build_tests)'

# distcheck with each test under one or two policies only: for who has just run
# all of them, and wants to know whether the archive is complete.
.PHONY: distcheck-short
distcheck-short:
	$(MAKE) $(AM_MAKEFLAGS) distcheck TESTS='$(short_tests)'

# The torture of 'make check', for longer.
stress:
	KERNFUSE_TEST_SECONDS=$${KERNFUSE_TEST_SECONDS-60} \
	KERNFUSE_TEST_TIMEOUT=$${KERNFUSE_TEST_TIMEOUT-3600} \
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(stress_tests) $(ipc_tests)'

# Check forks for every case, which valgrind follows; slow, so unit tests only.
check-valgrind:
	@test -n '$(VALGRIND)' || \
		{ echo 'check-valgrind: valgrind is not installed'; exit 1; }
	KERNFUSE_TEST_WRAPPER='$(VALGRIND) -q --error-exitcode=99 \
		--leak-check=full --trace-children=no' \
	CK_TIMEOUT_MULTIPLIER=20 KERNFUSE_TEST_TIMEOUT=1800 \
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(unit_tests)'

EXTRA_DIST += %reldir%/lib/functions.sh %reldir%/lib/variant
