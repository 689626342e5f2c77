#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Prints rules.yml and alerts.yml as one PrometheusRule of the Prometheus operator:
#
#   sh prometheusrule.sh | kubectl apply -f -
#   RUNBOOK_URL=https://ADDRESS sh prometheusrule.sh     with the address of your copy of RUNBOOK.md in the alerts
#
# packaging/kubernetes/prometheusrule.yaml is this output.
set -eu
cd "$(dirname "$0")"
cat <<'YAML'
# SPDX-License-Identifier: GPL-2.0-only
# Made by contrib/prometheus/prometheusrule.sh.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: netiotrace
  namespace: netiotrace
  labels:
    app.kubernetes.io/name: netiotrace
spec:
  groups:
YAML
sed -n "/^  /s,^,  ,; s,/usr/share/netiotrace/prometheus/RUNBOOK.md,${RUNBOOK_URL:-&},; /^  /p" rules.yml alerts.yml
