// SPDX-License-Identifier: GPL-2.0-only
/* Reads bpf_link_info of a kprobe; see link_info.h. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <bpf/bpf.h>

#include "link_info.h"

/* struct bpf_link_info of a perf_event link on a kprobe, as in include/uapi/linux/bpf.h of
 * Linux 6.7. */
struct kprobe_link_info {
	uint32_t type;
	uint32_t id;
	uint32_t prog_id;
	uint32_t pad;
	uint32_t event; /* enum bpf_perf_event_type */
	uint32_t pad2;
	uint64_t func_name;
	uint32_t name_len;
	uint32_t offset;
	uint64_t addr;
	uint64_t missed;
};

_Static_assert(offsetof(struct kprobe_link_info, missed) == 48, "as the kernel has it");

enum { PERF_EVENT_KPROBE = 3, PERF_EVENT_KRETPROBE = 4 };

int link_info__kprobe_missed(int link_fd, uint64_t *missed)
{
	union {
		struct bpf_link_info info; /* what bpf() wants the address of */
		struct kprobe_link_info kprobe;
	} u;
	uint32_t len = sizeof(u);

	memset(&u, 0, sizeof(u));
	if (bpf_obj_get_info_by_fd(link_fd, &u, &len))
		return -ENODATA; /* before 5.15 it is a perf event's, which is no link */
	if (len < sizeof(u.kprobe) ||
	    (u.kprobe.event != PERF_EVENT_KPROBE && u.kprobe.event != PERF_EVENT_KRETPROBE))
		return -ENODATA;
	*missed = u.kprobe.missed;
	return 0;
}
