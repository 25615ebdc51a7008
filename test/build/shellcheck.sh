#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# All shell scripts are clean under shellcheck.

set -u
if ! command -v shellcheck >/dev/null; then
	echo "shellcheck: not installed"
	exit 77
fi
cd "${abs_top_srcdir:?is set by make check}" || exit 99

# by their first line: some have no suffix, and build trees hold programs, too
mapfile -t scripts < <(
	find bootstrap .ci/run fs test -type f \
		\( -name '*.sh' -o ! -name '*.*' \) \
		-exec grep -lIE '^#!/bin/(ba)?sh' {} + | sort
)
shellcheck --external-sources --source-path=SCRIPTDIR "${scripts[@]}"
