#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Prints rules.yml and alerts.yml as one PrometheusRule of the Prometheus operator:
#
#   sh prometheusrule.sh | kubectl apply -f -
set -eu
cd "$(dirname "$0")"
cat <<'YAML'
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
sed -n '/^  /s/^/  /p' rules.yml alerts.yml
