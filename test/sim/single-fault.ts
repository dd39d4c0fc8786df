import { dynamoFaultsOf } from "./dynamo-faults.ts";
import type { FaultKind } from "./faults.ts";
import type { Attempt } from "./attempt.ts";
import type { Task } from "./task-scheduler.ts";

/** A single fault at one request. There are no other faults. */
export interface SingleFault {
  /** The position of the request in the seed, from 1. */
  readonly request: number;
  readonly kind: FaultKind;
}

/** The first request of a call site, with the faults that can be planned for it. */
export interface Place {
  readonly site: string;
  /** The position of the request in the seed, from 1. */
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

/** All kinds of faults that can be planned for a request. */
export const singleFaultKinds: readonly FaultKind[] = [...anywhere, "transaction_conflict"];

/**
 * Creates a plan that injects only `fault`, or no fault if `fault` is undefined. `places` collects
 * the call sites that the seed reaches.
 */
export function plannedFault(fault: SingleFault | undefined): {
  readonly planned: (attempt: Attempt) => FaultKind | undefined;
  readonly places: ReadonlyMap<string, Place>;
} {
  const places = new Map<string, Place>();
  let requests = 0;
  let hit: { readonly task: Task; readonly site: string } | undefined;
  const planned = (attempt: Attempt): FaultKind | undefined => {
    const { site, task, isAgain, service } = attempt;
    // The fault continues during the SDK's retries. Otherwise, a retry would hide it from the
    // caller.
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
