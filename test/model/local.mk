# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Random operations against a tiny reference tree.

model_once =
model_each = \
	%reldir%/model

check_PROGRAMS += $(model_once) $(model_each)
