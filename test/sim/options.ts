import { didYouMean } from "../../shared/base/nearest.ts";
import { parseOptions } from "../../tools/command-line/command-line.ts";
import { type FaultKind, type Profile, profiles } from "./faults.ts";
import type { PlayScenariosOptions } from "./play-scenarios.ts";
import type { ReplayOptions } from "./replay.ts";
import { mutants } from "./mutant-list.ts";
import { scenarioNamed, scenarios } from "./scenarios.ts";
import { type SingleFault, singleFaultKinds } from "./single-fault.ts";

export const usage = `npm run sim -- [options]
Without options, runs 300 seeds of each scenario and the regression seeds.
Seeds:
  --seeds N           the number of seeds of each scenario (300)
  --from N            the first seed (1)
  --scenario NAME     one scenario: ${scenarios.map(({ name }) => name).join(", ")}
  --profile NAME      the mix of faults: ${profiles.join(", ")}
  --workers N         the number of processes
One seed, with its trace:
  --scenario NAME --seed N
  --shrink            find the fewest faults under which the seed fails
  --only 3,17         inject only the faults of these draws
  --calm              inject no faults
  --fault N:KIND      inject one fault, at request N: ${singleFaultKinds.join(", ")}
Other checks:
  --exhaustive        each fault alone at each call site of the flows
  --mutants           each mutant must be found
  --mutant NAME       one mutant
  --model N           N sequences of API calls against a model, without faults
  --help              prints this text
Examples:
  npm run sim -- --seeds 20 --scenario calls
  npm run sim -- --scenario calls --seed 7 --shrink
  npm run sim -- --exhaustive
`;

/** A parsed command line. */
export type SimCommand =
  | { readonly play: "help" }
  | { readonly play: "scenarios"; readonly options: PlayScenariosOptions }
  | { readonly play: "one"; readonly options: ReplayOptions }
  | { readonly play: "exhaustive"; readonly options: { readonly workers?: number } }
  | { readonly play: "mutants"; readonly options: { readonly workers?: number; only?: string } }
  | { readonly play: "model"; readonly seeds: number };

export const simOptions = {
  seeds: { type: "string", default: "300" },
  from: { type: "string", default: "1" },
  scenario: { type: "string" },
  profile: { type: "string" },
  workers: { type: "string" },
  seed: { type: "string" },
  only: { type: "string" },
  calm: { type: "boolean" },
  fault: { type: "string" },
  shrink: { type: "boolean" },
  exhaustive: { type: "boolean" },
  mutants: { type: "boolean" },
  mutant: { type: "string" },
  model: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

/** @throws Error in one line for a wrong command line */
export function parseCommand(args: readonly string[]): SimCommand {
  const { values } = parseOptions(args, simOptions);
  if (values.help) return { play: "help" };
  const workers = values.workers === undefined ? {} : { workers: some("workers", values.workers) };
  if (values.exhaustive) return { play: "exhaustive", options: workers };
  if (values.mutants || values.mutant !== undefined) {
    const only = values.mutant === undefined ? {} : { only: mutantNamed(values.mutant) };
    return { play: "mutants", options: { ...workers, ...only } };
  }
  if (values.model !== undefined) return { play: "model", seeds: some("model", values.model) };
  const { scenario } = values;
  if (scenario !== undefined) scenarioNamed(scenario);
  const profile = values.profile === undefined ? undefined : profileNamed(values.profile);
  if (values.seed === undefined) {
    const [seeds, from] = [some("seeds", values.seeds), whole("from", values.from)];
    return { play: "scenarios", options: { seeds, from, scenario, profile, ...workers } };
  }
  const options = { ...oneSeed(values), seed: whole("seed", values.seed), profile };
  return { play: "one", options };
}

interface OneSeed {
  readonly scenario?: string;
  readonly only?: string;
  readonly calm?: boolean;
  readonly fault?: string;
  readonly shrink?: boolean;
}

function oneSeed({ scenario, only, calm, fault, shrink }: OneSeed) {
  if (scenario === undefined) throw new Error("--seed requires --scenario.");
  return {
    scenario,
    only: only === undefined ? undefined : drawsIn(only),
    calm,
    fault: fault === undefined ? undefined : singleFault(fault),
    shrink,
  };
}

function whole(name: string, text: string): number {
  if (!/^\d+$/.test(text))
    throw new Error(`--${name} must be an integer of 0 or more (got "${text}").`);
  return Number(text);
}

/** Rejects 0, because a check without any seeds would always succeed. */
function some(name: string, text: string): number {
  const count = whole(name, text);
  if (count === 0) throw new Error(`--${name} must be at least 1 (got "${text}").`);
  return count;
}

/**
 * Parses a list such as `3,17`. An empty list is valid, because `--shrink` prints it if the seed
 * fails without faults.
 */
const drawsIn = (text: string): readonly number[] =>
  text === "" ? [] : text.split(",").map((draw) => whole("only", draw));

/** Parses a fault such as `12:crash_before`, which is the number of its request and its kind. */
function singleFault(text: string): SingleFault {
  const [request = "", name, ...more] = text.split(":");
  const kind = singleFaultKinds.find((one: FaultKind) => one === name);
  if (kind === undefined || more.length > 0) {
    throw new Error(
      `--fault must be <request>:<kind> with one of ${singleFaultKinds.join(", ")} (got "${text}").`,
    );
  }
  return { request: some("fault", request), kind };
}

function profileNamed(name: string): Profile {
  const found = profiles.find((one) => one === name);
  if (found === undefined)
    throw new Error(`--profile must be one of ${profiles.join(", ")} (got "${name}").`);
  return found;
}

function mutantNamed(name: string): string {
  if (mutants.some((one) => one.name === name)) return name;
  const names = mutants.map((one) => one.name);
  throw new Error(`There is no mutant "${name}".${didYouMean(name, names)}`);
}
