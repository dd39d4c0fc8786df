"""Hooks of `npm run test:contract`: drop the failures that `exceptions.json` lists."""

import atexit
import json
import re
from collections import Counter
from pathlib import Path

import schemathesis

EXCEPTIONS = json.loads(Path(__file__).with_name("exceptions.json").read_text())
excused = Counter()


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Keeps a failure unless an exception covers it."""
    kind = type(failure).__name__
    operation = case.operation.definition.raw.get("operationId")
    for exception in EXCEPTIONS["checks"]:
        if exception["failure"] == kind and operation in exception.get("operations", [operation]):
            excused[f"{kind}: {exception['reason']}"] += 1
            return False
    if kind == "RejectedPositiveData":
        reason = refusal_reason(operation, response)
        if reason is not None:
            excused[reason] += 1
            return False
    return True


def refusal_reason(operation, response):
    """Why the service may refuse what the document allows, if an exception says so."""
    param = response.json().get("error", {}).get("param", "") if response.content else ""
    for exception in EXCEPTIONS["allowed_and_refused"]:
        applies = operation in exception.get("operations", [operation])
        if applies and re.search(exception["param"], param):
            return f"{exception['param']}: {exception['reason']}"
    return None


@atexit.register
def print_excused():
    """Prints how often each exception applied."""
    for reason, times in excused.most_common():
        print(f"excused {times} x {reason}")
