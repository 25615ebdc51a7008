/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The heap: units of 64 KiB, of which the file has as many as were needed. */
#include "fs/ipc/ipc-internal.h"

#include <fcntl.h>

uint64_t ipc_units_end(const struct ipc_namespace *ns, uint32_t units)
{
	return ns->off_heap + (uint64_t)units * IPC_UNIT;
}

static uint32_t units_ready(const struct ipc_namespace *ns)
{
	uint32_t ready = READ_ONCE(ipc_super(ns)->units_ready);

	return ready > ns->nr_units ? ns->nr_units : ready;
}

/* The first of @units free ones in a row, or where the heap must grow. */
static uint32_t find_run(struct ipc_call *c, uint32_t units)
{
	uint32_t ready = units_ready(c->ns);
	uint32_t at = READ_ONCE(c->super->units_next), run = 0;

	for (; at < ready; at++) {
		run = READ_ONCE(*ipc_unit_at(c->ns, at)) ? 0 : run + 1;
		if (run == units)
			return at + 1 - units;
	}
	return ready - (run < ready ? run : ready);
}

/* Memory for the map's entries up to @end, which grows a page at a time. */
static int reserve_map(struct ipc_namespace *ns, uint32_t end)
{
	uint64_t from, bytes;

	if (end <= IPC_NEAR_UNITS || end <= units_ready(ns))
		return 0;
	from = units_ready(ns);
	from = from < IPC_NEAR_UNITS ? 0 : from - IPC_NEAR_UNITS;
	bytes = (end - IPC_NEAR_UNITS - from) * sizeof(uint32_t);
	return ipc_region_reserve(ns, ns->far_units + from * sizeof(uint32_t),
				  bytes);
}

int ipc_heap_take(struct ipc_call *c, uint32_t entry, uint32_t units,
		  uint32_t *ret_unit)
{
	struct ipc_namespace *ns = c->ns;
	uint32_t ready = units_ready(ns);
	uint32_t first = find_run(c, units), end = first + units;

	if (units > ns->nr_units || first > ns->nr_units - units)
		return -ENOMEM;
	if (ipc_region_reserve(ns, ns->off_heap + (uint64_t)first * IPC_UNIT,
			       (uint64_t)units * IPC_UNIT) ||
	    reserve_map(ns, end))
		return -ENOMEM;
	if (end > ready)
		ipc_step(c->super->units_ready, end);
	if (units == 1)
		WRITE_ONCE(c->super->units_next, end);
	ipc_step(c->slot->units, units);
	ipc_step(c->slot->unit, first + 1);
	for (uint32_t i = end - 1; i > first; i--)
		ipc_step(*ipc_unit_at(ns, i), IPC_UNIT_MORE);
	ipc_step(*ipc_unit_at(ns, first), entry);
	*ret_unit = first;
	return 0;
}

/* From the end, so that the first entry tells the length until it goes. */
void ipc_heap_give(struct ipc_call *c, uint32_t unit, uint32_t units)
{
	if (fallocate(c->ns->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		      (off_t)ipc_units_end(c->ns, unit),
		      (off_t)units * IPC_UNIT) < 0)
		errno = 0; /* it keeps its memory, then */
	for (uint32_t i = units; i-- > 0;)
		ipc_step(*ipc_unit_at(c->ns, unit + i), 0);
	if (unit < READ_ONCE(c->super->units_next))
		WRITE_ONCE(c->super->units_next, unit);
}
