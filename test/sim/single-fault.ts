import { dynamoFaultsOf } from "./dynamo-faults.ts";
import type { FaultKind } from "./faults.ts";
import type { Attempt } from "./attempt.ts";
import type { Task } from "./turns.ts";

/** One fault at one request of a world in which nothing else goes wrong. */
export interface SingleFault {
  /** Number of the request, from 1. */
  readonly request: number;
  readonly kind: FaultKind;
}

/** Where a request is first sent from a place in the code, and what may be planned for it. */
export interface Place {
  readonly site: string;
  /** Number of the request, from 1. */
  readonly request: number;
  readonly kinds: readonly FaultKind[];
}

const anywhere: readonly FaultKind[] = [
  "crash_before",
  "crash_after",
  "request_lost",
  "answer_lost",
  "request_hangs",
  "throttled",
];

/** What can be planned for one request. */
export const singleFaultKinds: readonly FaultKind[] = [...anywhere, "transaction_conflict"];

/** Says what is to happen at each attempt, and notes where something could. */
export function plannedFault(fault: SingleFault | undefined): {
  readonly planned: (attempt: Attempt) => FaultKind | undefined;
  readonly places: ReadonlyMap<string, Place>;
} {
  const places = new Map<string, Place>();
  let requests = 0;
  let hit: { readonly task: Task; readonly site: string } | undefined;
  const planned = (attempt: Attempt): FaultKind | undefined => {
    const { site, task, isAgain, service } = attempt;
    // It lasts over the SDK's own retries: else the caller would never know.
    if (isAgain) return hit?.task === task && hit.site === site ? fault?.kind : undefined;
    const conflicts = service === "dynamo" ? dynamoFaultsOf(attempt) : [];
    const kinds = conflicts.filter((kind) => kind === "transaction_conflict");
    requests += 1;
    if (!places.has(site))
      places.set(site, { site, request: requests, kinds: [...anywhere, ...kinds] });
    if (requests !== fault?.request) return undefined;
    hit = { task, site };
    return fault.kind;
  };
  return { planned, places };
}
