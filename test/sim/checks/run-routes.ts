import assert from "node:assert/strict";
import type { Pipeline, Step } from "../../../shared/pipelines/definition.ts";
import type { ItemOutcome } from "../../../shared/runs/item-outcome.ts";
import {
  evaluate,
  read as readItem,
  type ReadItem as KnownItem,
  type Verdict,
} from "../../run-model/read.ts";
import type { FlatAnswer } from "../sources.ts";

interface ReadItem {
  readonly pipeline: Pipeline;
  readonly step: Step;
  /** The state of the item before the read. */
  readonly item: KnownItem & { readonly state: string };
  readonly answer: FlatAnswer;
  readonly outcome: ItemOutcome | undefined;
  readonly name: string;
}

/**
 * Checks the next steps, reports and changes of an answer against the reference model of runs
 * (invariants R2 and R4). Returns the result of the model.
 * @throws Error if a check fails
 */
export function checkRoutes(read: ReadItem): Verdict {
  const { pipeline, step, item, answer, outcome, name } = read;
  const { status, shown: seen = {}, fetchedAt } = answer;
  const isNew = item.state === "new";
  const at = Date.parse(fetchedAt);
  // No pipeline of the simulation compares with metadata.
  const reading = readItem({ step, item, metadata: {}, isNew, at }, { status, seen, quarters: 0 });
  const verdict = evaluate(pipeline, step, reading);
  const { routes } = verdict;
  const next = new Set(routes.flatMap(({ run }) => (run === undefined ? [] : [run])));
  assert.deepEqual(outcome?.next ?? [], [...next], `${name}: next steps`);
  const notifying = routes.filter(({ when, notify }) => notify === true && when !== "changed");
  const branches = new Set(notifying.map(({ when }) => when));
  assert.deepEqual(outcome?.matched?.branches ?? [], [...branches], `${name}: matched branches`);
  checkChanges(read, verdict);
  return verdict;
}

function checkChanges({ outcome, name }: ReadItem, verdict: Verdict): void {
  const { changes, isNewValue, isReported, reportedChanges } = verdict;
  const {
    changes: stored = {},
    reported,
    isCounted,
    reportedChanges: sent = stored,
  } = outcome ?? {};
  assert.deepEqual(stored, changes, `${name}: changes`);
  assert.equal(reported !== undefined, isReported, `${name}: a change is reported`);
  if (isReported) assert.deepEqual(sent, reportedChanges, `${name}: changes in the event`);
  assert.equal(
    isCounted === true,
    Object.keys(changes).length > 0 && !isNewValue,
    `${name}: an earlier read has counted the change`,
  );
}
