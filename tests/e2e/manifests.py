#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Checks the manifests of a directory: manifests.py DIRECTORY. Prints what is wrong; exit status 1.

Each manifest refers to the others by names and labels that exist. ServiceMonitor, PrometheusRule and Kustomization,
of which kubernetes-validate has no schema, have only fields that are published for them. The DaemonSet has the least
rights: its capabilities and its mounts are those listed here.
"""
import os
import sys

from servicemonitor import RELABELING, manifests

# The published fields, of those that the manifests could use: apiVersion, and the types by path.
PUBLISHED = {
    "ServiceMonitor": ("monitoring.coreos.com/v1", {
        "metadata.name": str, "metadata.labels.*": str, "spec.jobLabel": str, "spec.selector.matchLabels.*": str,
        "spec.namespaceSelector.any": bool, "spec.namespaceSelector.matchNames[]": str,
        "spec.endpoints[].port": str, "spec.endpoints[].path": str, "spec.endpoints[].scheme": str,
        "spec.endpoints[].interval": str, "spec.endpoints[].scrapeTimeout": str,
        "spec.endpoints[].honorLabels": bool, "spec.endpoints[].honorTimestamps": bool,
        "spec.endpoints[].relabelings[].sourceLabels[]": str,
        **{"spec.endpoints[].relabelings[]." + key: int if key == "modulus" else str
           for key in RELABELING if key != "sourceLabels"}}),
    "PrometheusRule": ("monitoring.coreos.com/v1", {
        "metadata.name": str, "metadata.namespace": str, "metadata.labels.*": str,
        "spec.groups[].name": str, "spec.groups[].interval": str, "spec.groups[].rules[].record": str,
        "spec.groups[].rules[].alert": str, "spec.groups[].rules[].expr": str, "spec.groups[].rules[].for": str,
        "spec.groups[].rules[].labels.*": str, "spec.groups[].rules[].annotations.*": str}),
    "Kustomization": ("kustomize.config.k8s.io/v1beta1", {
        "namespace": str, "namePrefix": str, "nameSuffix": str, "resources[]": str, "images[].name": str,
        "images[].newName": str, "images[].newTag": str, "images[].digest": str, "labels[].pairs.*": str,
        "labels[].includeSelectors": bool}),
}
CAPABILITIES = {"BPF", "PERFMON", "SETUID", "SETGID", "SETPCAP"}
MOUNTS = {"/sys/fs/cgroup", "/var/log/pods", "/var/log/containers"}


def leaves(value, path=""):
    if isinstance(value, dict):
        for key, child in value.items():
            parent = path.rsplit(".", 1)[-1]
            name = "*" if parent in ("labels", "matchLabels", "pairs", "annotations") else key
            yield from leaves(child, "%s.%s" % (path, name) if path else name)
    elif isinstance(value, list):
        for child in value:
            yield from leaves(child, path + "[]")
    else:
        yield path, value


def unpublished(document):
    version, fields = PUBLISHED[document["kind"]]
    if document["apiVersion"] != version:
        yield "%s: apiVersion is %s" % (document["kind"], document["apiVersion"])
    for path, value in leaves({key: document[key] for key in document if key not in ("apiVersion", "kind")}):
        if not isinstance(value, fields.get(path, ())):
            yield "%s: no such field, or of another type: %s" % (document["kind"], path)


def unmatched(kinds, files):
    """References that lead nowhere."""
    daemon, service, monitor = (kinds[kind] for kind in ("DaemonSet", "Service", "ServiceMonitor"))
    template = daemon["spec"]["template"]
    pod, = template["spec"]["containers"]
    policy = kinds["NetworkPolicy"]["spec"]
    ports = {row["name"]: row["containerPort"] for row in pod["ports"]}
    for what, selector, labels in (
            ("the DaemonSet's selector", daemon["spec"]["selector"]["matchLabels"], template["metadata"]["labels"]),
            ("the Service's selector", service["spec"]["selector"], template["metadata"]["labels"]),
            ("the ServiceMonitor's selector", monitor["spec"]["selector"]["matchLabels"],
             service["metadata"]["labels"]),
            ("the NetworkPolicy's selector", policy["podSelector"]["matchLabels"], template["metadata"]["labels"])):
        if not selector.items() <= labels.items():
            yield "%s fits nothing" % what
    for row in service["spec"]["ports"]:
        if ports.get(row["targetPort"]) != row["port"]:
            yield "the Service's port %s is not the container's" % row["name"]
    for row in monitor["spec"]["endpoints"]:
        if row["port"] not in [port["name"] for port in service["spec"]["ports"]]:
            yield "the ServiceMonitor's port %s is not the Service's" % row["port"]
    if [row["port"] for rule in policy["ingress"] for row in rule["ports"]] != list(ports):
        yield "the NetworkPolicy's port is not the container's"
    if template["spec"]["priorityClassName"] != kinds["PriorityClass"]["metadata"]["name"]:
        yield "there is no such PriorityClass"
    if kinds["PrometheusRule"]["metadata"]["namespace"] != kinds["Namespace"]["metadata"]["name"]:
        yield "the PrometheusRule is in another namespace"
    if ":%d" % ports["metrics"] not in pod["args"]:
        yield "the exporter does not listen on the container's port"
    if template["spec"]["serviceAccountName"] != kinds["ServiceAccount"]["metadata"]["name"]:
        yield "there is no such ServiceAccount"
    if kinds["Kustomization"]["namespace"] != kinds["Namespace"]["metadata"]["name"]:
        yield "there is no such Namespace"
    if pod["image"] not in [row["name"] for row in kinds["Kustomization"]["images"]]:
        yield "the Kustomization does not name the image"
    if sorted(kinds["Kustomization"]["resources"] + ["kustomization.yaml"]) != sorted(files):
        yield "the Kustomization does not list each file"


def excessive(kinds):
    """Rights beyond those that the exporter needs."""
    spec = kinds["DaemonSet"]["spec"]["template"]["spec"]
    pod, = spec["containers"]
    context = pod["securityContext"]
    volumes = {row["name"]: row["hostPath"]["path"] for row in spec["volumes"]}
    if set(context["capabilities"]["add"]) != CAPABILITIES or context["capabilities"]["drop"] != ["ALL"]:
        yield "capabilities"
    if context.get("privileged") or context["allowPrivilegeEscalation"] or not context["readOnlyRootFilesystem"]:
        yield "the container's security context"
    if spec.get("hostNetwork") or spec.get("hostIPC") or spec["automountServiceAccountToken"]:
        yield "the pod's network, IPC or token"
    if set(volumes.values()) != MOUNTS:
        yield "mounts of the host"
    for row in pod["volumeMounts"]:
        if row["mountPath"] != volumes.pop(row["name"]) or not row["readOnly"]:
            yield "the mount %s" % row["name"]
    if volumes:
        yield "volumes that are not mounted"
    policy = kinds["NetworkPolicy"]["spec"]
    if policy["egress"] or set(policy["policyTypes"]) != {"Ingress", "Egress"} or not all(
            rule.get("from") for rule in policy["ingress"]):
        yield "the NetworkPolicy"


def main():
    directory = sys.argv[1]
    kinds = manifests(directory)
    wrong = [*(text for kind in PUBLISHED for text in unpublished(kinds[kind])),
             *unmatched(kinds, os.listdir(directory)), *excessive(kinds)]
    for text in wrong:
        print(text)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
