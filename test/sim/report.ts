import { quantity } from "../../shared/base/quantity.ts";
import { allCallSites } from "./call-sites.ts";
import { type Overlap, overlapKinds } from "./contention.ts";
import { faultFamilies, type FaultKind } from "./faults.ts";
import { type Played, profileOf } from "./play.ts";

/** The result of a simulation, as `--json` prints it. */
export interface SimResult {
  /** True if there was no violation, and the required coverage was reached. */
  readonly passed: boolean;
  readonly [figure: string]: unknown;
}

/** The totals over all seeds that have run so far. */
export interface Tally {
  readonly fired: Map<FaultKind, number>;
  readonly crashes: Set<string>;
  readonly states: Map<string, number>;
  readonly contention: {
    seeds: number;
    /** The number of seeds of the scenario `calls`, which makes many calls at the same time. */
    ofCalls: number;
    readonly overlaps: Map<Overlap, number>;
    readonly pairs: Map<string, number>;
  };
}

/** Returns totals that are all 0, for a simulation that has run no seed yet. */
export const emptyTally = (): Tally => ({
  fired: new Map(),
  crashes: new Set(),
  states: new Map(),
  contention: { seeds: 0, ofCalls: 0, overlaps: new Map(), pairs: new Map() },
});

const addAll = <Name extends string>(
  counts: Map<Name, number>,
  more: Readonly<Partial<Record<Name, number>>>,
): void => {
  for (const [name, times] of Object.entries(more) as [Name, number][]) {
    counts.set(name, (counts.get(name) ?? 0) + times);
  }
};

/** Adds the result of a seed to the totals in place. */
export function addTo({ fired, crashes, states, contention }: Tally, played: Played): void {
  for (const { kind, hadEffect } of played.fired) {
    if (hadEffect) fired.set(kind, (fired.get(kind) ?? 0) + 1);
  }
  for (const crash of played.crashes) crashes.add(crash);
  addAll(states, played.states);
  if (played.contention === undefined) return;
  contention.seeds += 1;
  if (played.scenario === "calls") contention.ofCalls += 1;
  addAll(contention.overlaps, played.contention.overlaps);
  addAll(contention.pairs, played.contention.pairs);
}

/**
 * Prints a violation, the end of its trace, and the command that runs the seed again. `more`
 * contains further options of that command.
 */
export function printViolation(played: Played, more = ""): void {
  const { scenario, seed, profile, trace, violation } = played;
  const given = profile === profileOf(scenario, seed) ? "" : ` --profile ${profile}`;
  const and = more === "" ? "" : ` ${more}`;
  const command = `npm run sim -- --scenario "${scenario}" --seed ${seed}${given}${and}`;
  console.log(`\nVIOLATION in ${scenario}, seed ${seed}: ${violation}`);
  for (const line of trace.slice(-12)) console.log(`  ${line.slice(0, 220)}`);
  console.log(`Replay with the whole trace: ${command}\n`);
}

/**
 * The required coverage: the least number of injected faults of each family, and the least number
 * of different rare states.
 */
export const wanted = { timesOfFault: 100, states: 30 } as const;

/**
 * The report requires every kind of overlap if at least this number of seeds of the scenario
 * `calls` had the profile contention.
 */
const callsWithAllOverlaps = 40;
const wantedStates = ["a call was refused while all slots of 5 shards were in use"];

/**
 * Prints the number of overlapping writes under contention. Returns a message for each required
 * overlap that did not occur. Requires no overlap if fewer than 40 seeds of `calls` ran under
 * contention.
 */
export function printOverlaps({ contention, states }: Tally): readonly string[] {
  const { seeds, ofCalls, overlaps, pairs } = contention;
  if (seeds === 0) return [];
  console.log(`\noverlapping writes in ${quantity(seeds, "seed")} of the profile contention:`);
  for (const name of overlapKinds) console.log(`  ${name}: ${overlaps.get(name) ?? 0}`);
  console.log("  of these, ledger writes:");
  for (const [name, times] of [...pairs].toSorted(([, one], [, other]) => other - one)) {
    console.log(`    ${name}: ${times}`);
  }
  if (ofCalls < callsWithAllOverlaps) return [];
  const missed = [
    ...overlapKinds.filter((name) => !overlaps.has(name)),
    ...wantedStates.filter((name) => !states.has(name)),
  ];
  return missed.map((name) => `"${name}" never happened`);
}

/** Prints the coverage. Returns a message for each requirement that was not met. */
export function printCoverage({ fired, crashes, states }: Tally): readonly string[] {
  const lacking: string[] = [];
  console.log("\ninjected faults:");
  for (const [family, kinds] of Object.entries(faultFamilies)) {
    const each = kinds.map((kind) => `${kind} ${fired.get(kind) ?? 0}`);
    const times = kinds.reduce((sum, kind) => sum + (fired.get(kind) ?? 0), 0);
    console.log(`  ${family}: ${times} (${each.join(", ")})`);
    if (times < wanted.timesOfFault)
      lacking.push(`${times} faults of "${family}", at least ${wanted.timesOfFault} required`);
  }
  const sites = allCallSites();
  const missed = sites.flatMap((site) =>
    ["before", "after"]
      .filter((side) => !crashes.has(`${site} ${side}`))
      .map((side) => `${side} ${site}`),
  );
  const crossed = sites.length * 2 - missed.length;
  console.log(
    `\ncrashes before and after the requests of ${sites.length} call sites: ${crossed} of ${sites.length * 2}`,
  );
  for (const one of missed) lacking.push(`no crash ${one}`);
  console.log(`\nrare states reached: ${states.size}`);
  for (const name of [...states.keys()].toSorted((a, b) => a.localeCompare(b, "en"))) {
    console.log(`  ${name}: ${states.get(name)}`);
  }
  if (states.size < wanted.states)
    lacking.push(`${states.size} rare states, at least ${wanted.states} required`);
  return lacking;
}
