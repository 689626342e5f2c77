#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs the steps of a composite action as a runner does: action_steps.py DIRECTORY [INPUT=VALUE]...

Only what the action uses is understood: expressions `inputs.NAME` and `github.action_path`, and steps with
`run`, `shell: bash` and `env`. Anything else is an error. Exit status: that of the first step that fails.
"""
import os
import re
import subprocess
import sys

import yaml

directory = os.path.abspath(sys.argv[1])
with open(os.path.join(directory, "action.yml"), encoding="utf-8") as f:
    action = yaml.safe_load(f)
given = dict(argument.split("=", 1) for argument in sys.argv[2:])
inputs = {name: given.pop(name, row.get("default")) for name, row in action["inputs"].items()}
assert not given, "inputs that the action does not have: %s" % given
missing = [name for name, row in action["inputs"].items() if row.get("required") and not inputs[name]]
assert not missing, "missing inputs: %s" % missing
assert action["runs"]["using"] == "composite"


def value(match):
    name = match.group(1)
    if name == "github.action_path":
        return directory
    return inputs[name.removeprefix("inputs.")]


def expand(text):
    return re.sub(r"\$\{\{\s*([a-z_.]+)\s*\}\}", value, text)


for step in action["runs"]["steps"]:
    assert set(step) <= {"name", "shell", "env", "run"} and step["shell"] == "bash", step
    # An expression in the script itself would let an input be read as a command.
    assert "${{" not in step["run"], "an expression within a script"
    environment = dict(os.environ, **{name: expand(text) for name, text in step.get("env", {}).items()})
    status = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                            env=environment, check=False).returncode
    if status:
        sys.exit(status)
