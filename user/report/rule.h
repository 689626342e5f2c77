/* SPDX-License-Identifier: GPL-2.0-only */
/* The rule of base/rank_test.h in words, as docs/GUIDE.md has it, with the numbers of a data set.
 */
#ifndef REPORT_RULE_H
#define REPORT_RULE_H

#include "doc.h"
#include "study/analysis.h"

void rule__write(struct doc *d, const struct analysis *a);

#endif
