/* SPDX-License-Identifier: GPL-2.0-only */
/* Invented machines for doctor. */
#ifndef SUPPORT_DOCTOR_CASE_H
#define SUPPORT_DOCTOR_CASE_H

#include <string.h>

#include "doctor/diagnosis.h"
#include "support/full_result.h"

/* A machine without any fault. */
static inline void healthy(struct facts *f)
{
	memset(f, 0, sizeof(*f));
	full_environment__fill(&f->env);
	f->env.device_tx_checksum.value = true;
	f->env.taps = (struct taps){.known = true};
	f->btf_size = known(5515646);
	for (size_t i = 0; i < DOCTOR_CAPABILITIES; i++)
		f->held[i] = true;
	for (int i = 0; i < LIMIT_NR; i++)
		f->limits.value[i] = UINT64_MAX;
	f->root = f->loaded = true;
	strcpy(f->clocksources, "tsc hpet acpi_pm");
	f->clock_ns = (struct real){.value = 21, .known = true};
	f->unprivileged_bpf_disabled = known(2);
	f->bpf_jit_enable = known(1);
	f->perf_event_paranoid = (struct real){.value = 2, .known = true};
	f->follow_slots = 4;
	f->path = "loopback";
	f->path_step = "";
}

static inline void drop(struct facts *f, unsigned int capability)
{
	for (size_t i = 0; i < DOCTOR_CAPABILITIES; i++)
		if (doctor_capabilities[i].number == capability)
			f->held[i] = false;
}

#endif
