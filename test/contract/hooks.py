"""Hooks of `npm run test:contract`: drop the failures that `exceptions.json` lists."""

import atexit
import json
import re
from collections import Counter
from pathlib import Path

import jsonschema_rs
import schemathesis

EXCEPTIONS = json.loads(Path(__file__).with_name("exceptions.json").read_text())
excused = Counter()


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Leaves one place for the key: a drawn key in another place contradicts the real one."""
    raw_schema["components"]["securitySchemes"] = {
        "bearer": raw_schema["components"]["securitySchemes"]["bearer"]
    }
    raw_schema["security"] = [{"bearer": []}]


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Keeps a failure unless an exception covers it."""
    kind = type(failure).__name__
    operation = case.operation.definition.raw.get("operationId")
    for exception in EXCEPTIONS["checks"]:
        if exception["failure"] == kind and operation in exception.get("operations", [operation]):
            excused[f"{kind}: {exception['reason']}"] += 1
            return False
    if kind == "AcceptedNegativeData" and is_allowed(case, without_repeats(case.body)):
        excused["repeated ids count once, which JSON Schema cannot express"] += 1
        return False
    if kind == "RejectedPositiveData":
        if not is_allowed(case, case.body):
            excused["not allowed by the document: the generator passes over dependentSchemas"] += 1
            return False
        reason = refusal_reason(operation, response)
        if reason is not None:
            excused[reason] += 1
            return False
    return True


def is_allowed(case, body):
    """Whether the document allows this body in the request, or the request has none."""
    raw = case.operation.definition.raw
    media = raw.get("requestBody", {}).get("content", {}).get("application/json")
    if media is None or not isinstance(body, (dict, list, str, int, float, bool, type(None))):
        return True
    components = case.operation.schema.raw_schema["components"]
    # References are resolved from the root.
    schema = {**media["schema"], "components": components}
    return jsonschema_rs.Draft202012Validator(schema).is_valid(body)


def without_repeats(body):
    """The body with each of its ids once."""
    if not isinstance(body, dict):
        return body
    lists = {name: body[name] for name in ("ids", "asins") if isinstance(body.get(name), list)}
    return {**body, **{name: distinct(ids) for name, ids in lists.items()}}


def distinct(ids):
    """The values of a list, each once, in their order."""
    return list({json.dumps(one): one for one in ids}.values())


def refusal_reason(operation, response):
    """Why the service may refuse what the document allows, if an exception says so."""
    error = response.json().get("error", {}) if response.content else {}
    for exception in EXCEPTIONS["allowed_and_refused"]:
        applies = operation in exception.get("operations", [operation])
        said = exception.get("message", "") in error.get("message", "")
        if applies and said and re.search(exception["param"], error.get("param", "")):
            return f"{exception['param']}: {exception['reason']}"
    return None


@atexit.register
def print_excused():
    """Prints how often each exception applied."""
    for reason, times in excused.most_common():
        print(f"excused {times} x {reason}")
