# SPDX-License-Identifier: GPL-2.0-only
"""Results read back: report and compare. `python3 -I -m analysis report|compare`, or as a zipapp."""
