# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Random operations against a tiny reference tree, and against tiny queues.

model_once = \
	%reldir%/ipc-model
model_each = \
	%reldir%/model

check_PROGRAMS += $(model_once) $(model_each)
