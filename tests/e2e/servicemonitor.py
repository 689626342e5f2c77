#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Translates the ServiceMonitor of a directory of manifests to a configuration of Prometheus, as the operator
does, and prints it as JSON, which is YAML.

    servicemonitor.py DIRECTORY ADDRESS NODE POD    one target: the exporter's pod POD on NODE

The target has the labels that the discovery of endpoints gives it, taken from the manifests. So a target is
dropped where a selector or a port name does not fit. Fields that are not understood are an error.
"""
import json
import os
import re
import sys

import yaml

RELABELING = {"sourceLabels": "source_labels", "targetLabel": "target_label", "separator": "separator",
              "regex": "regex", "modulus": "modulus", "replacement": "replacement", "action": "action"}
ENDPOINT = {"port", "honorLabels", "relabelings"}


def manifests(directory):
    """kind -> document of each resource that the kustomization lists, and the kustomization."""
    def read(name):
        with open(os.path.join(directory, name), encoding="utf-8") as f:
            return yaml.safe_load(f)
    kustomization = read("kustomization.yaml")
    documents = [kustomization] + [read(name) for name in kustomization["resources"]]
    return {document["kind"]: document for document in documents}


def label(name):
    return re.sub("[^a-zA-Z0-9_]", "_", name)


def relabeling(row):
    assert set(row) <= set(RELABELING), row
    return {RELABELING[key]: value for key, value in row.items()}


def copy(source, target):
    return {"source_labels": ["__meta_kubernetes_" + source], "target_label": target}


def of_kind(kind, target):
    """The name of the endpoint's object, if it is of this kind."""
    return {"source_labels": ["__meta_kubernetes_endpoint_address_target_" + part for part in ("kind", "name")],
            "separator": ";", "regex": kind + ";(.*)", "replacement": "${1}", "target_label": target}


def relabelings_of(monitor, endpoint):
    """The rules that the operator puts in front of those of the endpoint, and those."""
    selector = monitor["spec"]["selector"]
    assert set(selector) == {"matchLabels"}, selector
    rows = [{"source_labels": ["job"], "target_label": "__tmp_prometheus_job_name"}]
    for name, value in selector["matchLabels"].items():
        rows.append({"action": "keep", "regex": "(%s);true" % re.escape(value),
                     "source_labels": ["__meta_kubernetes_service_%s_%s" % (part, label(name))
                                       for part in ("label", "labelpresent")]})
    rows += [{"action": "keep", "source_labels": ["__meta_kubernetes_endpoint_port_name"], "regex": endpoint["port"]},
             of_kind("Node", "node"), of_kind("Pod", "pod"), copy("namespace", "namespace"),
             copy("service_name", "service"), copy("pod_name", "pod"), copy("pod_container_name", "container"),
             {"action": "drop", "source_labels": ["__meta_kubernetes_pod_phase"], "regex": "(Failed|Succeeded)"},
             copy("service_name", "job"), {"target_label": "endpoint", "replacement": endpoint["port"]}]
    return rows + [relabeling(row) for row in endpoint["relabelings"]]


def discovered(kinds, node, pod):
    """Labels of a target, as the discovery of endpoints makes them."""
    service, namespace = kinds["Service"], kinds["Kustomization"]["namespace"]
    container, = kinds["DaemonSet"]["spec"]["template"]["spec"]["containers"]
    port, = service["spec"]["ports"]
    assert port["targetPort"] in [row["name"] for row in container["ports"]]
    labels = {"namespace": namespace, "service_name": service["metadata"]["name"], "endpoint_port_name": port["name"],
              "endpoint_address_target_kind": "Pod", "endpoint_address_target_name": pod, "pod_name": pod,
              "pod_container_name": container["name"], "pod_node_name": node, "pod_phase": "Running"}
    for name, value in service["metadata"]["labels"].items():
        labels["service_label_" + label(name)] = value
        labels["service_labelpresent_" + label(name)] = "true"
    return {"__meta_kubernetes_" + name: value for name, value in labels.items()}


def main():
    directory, address, node, pod = sys.argv[1:]
    kinds = manifests(directory)
    monitor = kinds["ServiceMonitor"]
    jobs = []
    for number, endpoint in enumerate(monitor["spec"]["endpoints"]):
        assert set(endpoint) <= ENDPOINT, endpoint
        jobs.append({"job_name": "serviceMonitor/%s/%s/%d" % (kinds["Kustomization"]["namespace"],
                                                             monitor["metadata"]["name"], number),
                     "honor_labels": endpoint.get("honorLabels", False),
                     "relabel_configs": relabelings_of(monitor, endpoint),
                     "static_configs": [{"targets": [address], "labels": discovered(kinds, node, pod)}]})
    print(json.dumps({"global": {"scrape_interval": "500ms"}, "scrape_configs": jobs}, indent=1))


if __name__ == "__main__":
    main()
