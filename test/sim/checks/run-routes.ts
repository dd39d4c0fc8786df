import assert from "node:assert/strict";
import type { Pipeline, Step } from "../../../shared/pipelines/definition.ts";
import type { ItemOutcome } from "../../../shared/runs/run.ts";
import type { Known } from "../../run-model/fields.ts";
import { evaluate, read as readItem, type Verdict } from "../../run-model/read.ts";
import type { FlatAnswer } from "../sources.ts";

interface ReadItem {
  readonly pipeline: Pipeline;
  readonly step: Step;
  /** The state of the item before the read. */
  readonly item: { readonly state: string; readonly known: Known };
  readonly answer: FlatAnswer;
  readonly outcome: ItemOutcome | undefined;
  readonly name: string;
}

/**
 * Checks the next steps, reports and changes of an answer against the reference model of runs
 * (invariants R2 and R4). Returns the result of the model.
 */
export function checkRoutes(read: ReadItem): Verdict {
  const { pipeline, step, item, answer, outcome, name } = read;
  const { status, shown: seen = {} } = answer;
  const isNew = item.state === "new";
  const reading = readItem({ step, known: item.known, isNew }, { status, seen, quarters: 0 });
  const verdict = evaluate(pipeline, step, reading);
  const { routes, changes, isNewValue, isReported } = verdict;
  const next = new Set(routes.flatMap(({ run }) => (run === undefined ? [] : [run])));
  assert.deepEqual(outcome?.next ?? [], [...next], `${name}: next steps`);
  const notifying = routes.filter(({ when, notify }) => notify === true && when !== "changed");
  const branches = new Set(notifying.map(({ when }) => when));
  assert.deepEqual(outcome?.matched?.branches ?? [], [...branches], `${name}: matched branches`);
  assert.deepEqual(outcome?.changes ?? {}, changes, `${name}: changes`);
  assert.equal(outcome?.reported !== undefined, isReported, `${name}: a change is reported`);
  const isCounted = Object.keys(changes).length > 0 && !isNewValue;
  assert.equal(
    outcome?.isCounted === true,
    isCounted,
    `${name}: an earlier read has counted the change`,
  );
  return verdict;
}
