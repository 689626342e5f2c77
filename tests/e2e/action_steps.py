#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs steps as a runner does: of a composite action, or of a job of a workflow.

    action_steps.py DIRECTORY [INPUT=VALUE]...
    action_steps.py WORKFLOW.yml JOB

Only what ours use is understood: expressions `inputs.NAME` and `github.NAME`, and steps with `run`, `shell: bash` and
`env`. In a workflow, a step with `uses` brings or takes files, which the caller does. Anything else is an error. Exit
status: that of the first step that fails.
"""
import os
import re
import subprocess
import sys

import yaml

STRICT = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"]
BROUGHT = {"actions/checkout", "actions/setup-python", "actions/upload-artifact", "actions/download-artifact"}


def composite(directory, arguments):
    """Steps, values of expressions and the shell of an action."""
    with open(os.path.join(directory, "action.yml"), encoding="utf-8") as f:
        action = yaml.safe_load(f)
    given = dict(argument.split("=", 1) for argument in arguments)
    inputs = {name: given.pop(name, row.get("default")) for name, row in action["inputs"].items()}
    assert not given, "inputs that the action does not have: %s" % given
    missing = [name for name, row in action["inputs"].items() if row.get("required") and not inputs[name]]
    assert not missing, "missing inputs: %s" % missing
    assert action["runs"]["using"] == "composite"
    values = {"inputs." + name: value for name, value in inputs.items()}
    steps = action["runs"]["steps"]
    assert all(step["shell"] == "bash" for step in steps)
    return steps, {"github.action_path": os.path.abspath(directory), **values}, STRICT


def workflow(path, job):
    """As composite(). A step without `shell` has no pipefail."""
    with open(path, encoding="utf-8") as f:
        steps = yaml.safe_load(f)["jobs"][job]["steps"]
    for step in steps:
        assert set(step) & {"run", "uses"} and "shell" not in step, step
        assert "run" in step or step["uses"].split("@")[0] in BROUGHT, step
    values = {"github.token": "token", "github.repository": os.environ.get("GITHUB_REPOSITORY", "owner/name")}
    return [step for step in steps if "run" in step], values, ["bash", "--noprofile", "--norc", "-e", "-c"]


steps, values, shell = (workflow if sys.argv[1].endswith(".yml") else composite)(
    sys.argv[1], *([sys.argv[2]] if sys.argv[1].endswith(".yml") else [sys.argv[2:]]))
for step in steps:
    assert set(step) <= {"name", "shell", "env", "run"}, step
    # An expression in the script itself would let an input be read as a command.
    assert "${{" not in step["run"], "an expression within a script"
    environment = dict(os.environ, **{name: re.sub(r"\$\{\{\s*([a-z_.]+)\s*\}\}", lambda m: values[m.group(1)], text)
                                      for name, text in step.get("env", {}).items()})
    status = subprocess.run([*shell, step["run"]], env=environment, check=False).returncode
    if status:
        sys.exit(status)
