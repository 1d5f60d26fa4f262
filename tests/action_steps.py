"""Runs a composite action on this machine as its YAML says: each `run` step with its `env`, and the files and
variables that a runner of GitHub gives. Steps that use other actions are left out."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


def action() -> dict:
    return yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


@dataclass
class Runner:
    """One job. `temporary` is the runner's own folder, `event` what `github.event` holds."""

    workspace: Path
    temporary: Path
    inputs: dict[str, str] = field(default_factory=dict)
    event: dict = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    steps: dict[str, dict[str, str]] = field(default_factory=dict)
    log: str = ""

    @property
    def summary(self) -> str:
        file = self.temporary / "summary"
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def run(self, *ids: str) -> int:
        """Runs the steps with these ids (all, when none is named) until one fails; its exit code."""
        for step in action()["runs"]["steps"]:
            if "run" in step and (not ids or step["id"] in ids):
                code = self._step(step)
                if code:
                    return code
        return 0

    def _step(self, step: dict) -> int:
        outputs = self.temporary / f"{step['id']}.outputs"
        outputs.touch()
        script = self.temporary / f"{step['id']}.sh"
        script.write_text(step["run"])
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.temporary),
            "RUNNER_TEMP": str(self.temporary),
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_REPOSITORY": "owner/repository",
            "GITHUB_OUTPUT": str(outputs),
            "GITHUB_STEP_SUMMARY": str(self.temporary / "summary"),
            **self.environment,
            **{name: self._value(str(value)) for name, value in step.get("env", {}).items()},
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
        done = subprocess.run(
            command, cwd=self.workspace, env=env, capture_output=True, text=True, timeout=600
        )
        self.log += done.stdout + done.stderr
        lines = outputs.read_text().splitlines()
        self.steps[step["id"]] = dict(line.split("=", 1) for line in lines)
        return done.returncode

    def _value(self, text: str) -> str:
        return EXPRESSION.sub(lambda found: str(self._looked_up(found[1]) or ""), text)

    def _looked_up(self, path: str) -> object:
        """`inputs.x`, `steps.x.outputs.y`, `github.token`, `github.event.a.b`."""
        first, *rest = path.split(".")
        if first == "inputs":
            default = action()["inputs"][rest[0]]["default"]
            return self.inputs.get(rest[0], "token" if "github.token" in default else default)
        if first == "steps":
            return self.steps.get(rest[0], {}).get(rest[2])
        value: object = {"token": "token", "event": self.event}
        for name in rest:
            value = value.get(name) if isinstance(value, dict) else None
        return value
