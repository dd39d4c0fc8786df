import { allCallSites } from "./call-sites.ts";
import { faultFamilies, type FaultKind } from "./faults.ts";
import { type Played, profileOf } from "./play.ts";

/** What many seeds came to. */
export interface Tally {
  readonly fired: Map<FaultKind, number>;
  readonly crashes: Set<string>;
  readonly states: Map<string, number>;
}

export const noTally = (): Tally => ({ fired: new Map(), crashes: new Set(), states: new Map() });

export function addTo({ fired, crashes, states }: Tally, played: Played): void {
  for (const { kind, hadEffect } of played.fired) {
    if (hadEffect) fired.set(kind, (fired.get(kind) ?? 0) + 1);
  }
  for (const crash of played.crashes) crashes.add(crash);
  for (const [name, times] of Object.entries(played.states)) {
    states.set(name, (states.get(name) ?? 0) + times);
  }
}

/** Prints a violation, the end of its trace, and the command that plays it again. */
export function tellViolation(played: Played, more = ""): void {
  const { scenario, seed, profile, trace, violation } = played;
  const given = profile === profileOf(seed) ? "" : ` --profile ${profile}`;
  const and = more === "" ? "" : ` ${more}`;
  const command = `npm run sim -- --scenario "${scenario}" --seed ${seed}${given}${and}`;
  console.log(`\nVIOLATION in ${scenario}, seed ${seed}: ${violation}`);
  for (const line of trace.slice(-12)) console.log(`  ${line.slice(0, 220)}`);
  console.log(`To see all of it: ${command}\n`);
}

/** What is wanted of a proof besides that nothing is violated. */
export const wanted = { timesOfFault: 100, states: 30 } as const;

/** Prints what was reached; gives what was not, in words. */
export function tellCoverage({ fired, crashes, states }: Tally): readonly string[] {
  const lacking: string[] = [];
  console.log("\nfaults, and how often they happened:");
  for (const [family, kinds] of Object.entries(faultFamilies)) {
    const each = kinds.map((kind) => `${kind} ${fired.get(kind) ?? 0}`);
    const times = kinds.reduce((sum, kind) => sum + (fired.get(kind) ?? 0), 0);
    console.log(`  ${family}: ${times} (${each.join(", ")})`);
    if (times < wanted.timesOfFault) lacking.push(`"${family}" happened ${times} times`);
  }
  const sites = allCallSites();
  const missed = sites.flatMap((site) =>
    ["before", "after"]
      .filter((side) => !crashes.has(`${site} ${side}`))
      .map((side) => `${side} ${site}`),
  );
  const crossed = sites.length * 2 - missed.length;
  console.log(
    `\nprocesses died before and after requests of ${sites.length} call sites: ${crossed} of ${sites.length * 2}`,
  );
  for (const one of missed) lacking.push(`nobody died ${one}`);
  console.log(`\nrare states, and in how many ways they were reached: ${states.size}`);
  for (const name of [...states.keys()].toSorted((a, b) => a.localeCompare(b, "en"))) {
    console.log(`  ${name}: ${states.get(name)}`);
  }
  if (states.size < wanted.states) lacking.push(`${states.size} rare states were reached`);
  return lacking;
}
