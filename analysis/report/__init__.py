# SPDX-License-Identifier: GPL-2.0-only
"""`netiotrace report`: pictures and answers from results."""
