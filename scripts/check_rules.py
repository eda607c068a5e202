"""The catalogue holds together: no rule imports another, names and codes are unique, pages have their headings."""

from __future__ import annotations

import ast
import re
import sys
from importlib.resources import files
from pathlib import Path

from toolwire.rules.catalogue import RULES
from toolwire.rules.retired import RETIRED

RULES_FOLDER = Path(__file__).resolve().parents[1] / "src" / "toolwire" / "rules"
HEADINGS = ("What it checks", "Why it matters", "Basis", "Which clients break", "How to fix")
CODE = re.compile(r"^TW[1-9]\d\d$")
NAME = re.compile(r"^[a-z0-9]+(-[a-z0-9]+)*$")


def main() -> None:
    """Print every breach, and fail if there is one."""
    problems = [*imports(), *catalogue(), *pages()]
    for problem in problems:
        print(problem)
    if problems:
        sys.exit(f"{len(problems)} problems with the rules")
    print(f"{len(RULES)} rules hold together")


def imports() -> list[str]:
    """Find rules that import other rules."""
    found = []
    for path in RULES_FOLDER.glob("*/*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            found += [f"{path.name} imports {name}" for name in names if name.startswith("toolwire.rules")]
    return found


def catalogue() -> list[str]:
    """Check names, codes and order; find rule files that nobody listed, and examples of no rule."""
    found = []
    for what, values in (("name", [rule.name for rule in RULES]), ("code", [rule.code for rule in RULES])):
        retired = {getattr(gone, what) for gone in RETIRED}
        found += [f"{what} {value} is not unique" for value in set(values) if values.count(value) > 1]
        found += [f"{what} {value} was retired" for value in values if value in retired]
    found += [f"{rule.name}: code {rule.code} has another form" for rule in RULES if not CODE.match(rule.code)]
    found += [f"{rule.name}: name has another form" for rule in RULES if not NAME.match(rule.name)]
    if [rule.code for rule in RULES] != sorted(rule.code for rule in RULES):
        found.append("the catalogue is not in the order of its codes")
    listed = {rule.module.rsplit(".", 1)[1] for rule in RULES}
    present = {path.stem for path in RULES_FOLDER.glob("*/*.py") if path.stem != "__init__"}
    found += [f"{name}.py is not in the catalogue" for name in sorted(present - listed)]
    examples = {entry.name for entry in (files("toolwire.rules") / "examples").iterdir()}
    found += [f"examples/{name} belong to no rule" for name in sorted(examples - {rule.name for rule in RULES})]
    return found


def pages() -> list[str]:
    """Check that each page has the fixed headings in their order."""
    found = []
    for rule in RULES:
        places = [rule.doc.find(f"\n{heading}\n") for heading in HEADINGS]
        if -1 in places or places != sorted(places):
            found.append(f"{rule.name}: its docstring needs the headings {', '.join(HEADINGS)}")
    return found


if __name__ == "__main__":
    main()
