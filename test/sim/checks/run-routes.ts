import assert from "node:assert/strict";
import { readingKind, type Step } from "../../../shared/pipelines/definition.ts";
import type { ItemOutcome } from "../../../shared/runs/run.ts";
import type { Readings } from "../../support/run-model-fields.ts";
import { judge } from "../../support/run-model-read.ts";
import type { Said, Shown } from "../sources.ts";

interface ReadItem {
  readonly step: Step;
  /** Before the read. */
  readonly item: { readonly state: string; readonly readings: ReadonlyMap<string, Shown> };
  readonly answer: Said;
  readonly outcome: ItemOutcome | undefined;
  readonly name: string;
}

/**
 * R2, R4: an item is sent on, and told of, where the step's routes say so of this very answer, by the
 * reference model of runs.
 */
export function checkRoutes({ step, item, answer, outcome, name }: ReadItem): void {
  const { status, shown: seen = {} } = answer;
  const before: Readings = Object.fromEntries(item.readings);
  const last = before[readingKind(step)];
  const isFirst = status === "ok" && item.state === "new";
  const reading = { status, isFirst, last, seen, before, after: before, offer: undefined };
  const { routes } = judge(step, reading);
  const next = new Set(routes.flatMap(({ run }) => (run === undefined ? [] : [run])));
  assert.deepEqual(outcome?.next ?? [], [...next], `${name}: is sent on`);
  const told = routes.filter(({ when, notify }) => notify === true && when !== "changed");
  const branches = new Set(told.map(({ when }) => when));
  assert.deepEqual(outcome?.matched?.branches ?? [], [...branches], `${name}: matched`);
}
