import { didYouMean } from "../../shared/base/nearest.ts";
import type { ValuesOf } from "../../tools/command-line/command-line.ts";
import { type FaultKind, type Profile, profiles } from "./faults.ts";
import type { PlayScenariosOptions } from "./play-scenarios.ts";
import type { ReplayOptions } from "./replay.ts";
import { mutants } from "./mutant-list.ts";
import { scenarioNamed, scenarios } from "./scenarios.ts";
import { type SingleFault, singleFaultKinds } from "./single-fault.ts";

/** The options of `npm run sim`. */
export const simCommandLine = {
  name: "npm run sim",
  about:
    "Runs the simulation of the service under faults, which docs/testing.md describes.\n" +
    "Without options, runs 300 seeds of each scenario and the regression seeds. With --seed, runs one seed and prints its trace.",
  options: {
    seeds: {
      type: "string",
      value: "<n>",
      default: "300",
      about: "the number of seeds of each scenario",
    },
    from: {
      type: "string",
      value: "<n>",
      default: "1",
      about: "the first seed, or with --pairs the first pair",
    },
    scenario: {
      type: "string",
      value: "<name>",
      about: `one scenario: ${scenarios.map(({ name }) => name).join(", ")}`,
    },
    profile: {
      type: "string",
      value: "<name>",
      about: `the mix of faults: ${profiles.join(", ")}`,
    },
    workers: {
      type: "string",
      value: "<n>",
      about: "the number of processes (default: the number of CPU cores)",
    },
    seed: { type: "string", value: "<n>", about: "one seed of --scenario, with its trace" },
    shrink: {
      type: "boolean",
      about: "with --seed: finds the fewest faults under which the seed fails",
    },
    only: {
      type: "string",
      value: "<n,n,…>",
      about: "with --seed: injects only the faults of these draws",
    },
    calm: { type: "boolean", about: "with --seed: injects no faults" },
    fault: {
      type: "string",
      value: "<n>:<kind>",
      about: `with --seed: injects one fault, at request n: ${singleFaultKinds.join(", ")}`,
    },
    exhaustive: {
      type: "boolean",
      about: "injects each fault alone at each call site of short fixed workloads",
    },
    pairs: {
      type: "boolean",
      about: "runs each ledger step during each other ledger step, with each fault in either",
    },
    mutants: {
      type: "boolean",
      about: "applies each mutant to a copy of the code, and checks that a seed or a test fails",
    },
    mutant: { type: "string", value: "<name>", about: "applies one mutant" },
    json: { type: "boolean", about: "prints the result as JSON on the last line" },
  },
  examples: [
    "--seeds 20 --scenario calls",
    "--scenario calls --seed 7 --shrink",
    "--exhaustive --json",
  ],
} as const;

/** A simulation to run, with its options. */
export type SimCommand =
  | { readonly play: "scenarios"; readonly options: PlayScenariosOptions }
  | { readonly play: "one"; readonly options: ReplayOptions }
  | { readonly play: "exhaustive"; readonly options: { readonly workers?: number } }
  | { readonly play: "pairs"; readonly options: { readonly workers?: number; from: number } }
  | { readonly play: "mutants"; readonly options: { readonly workers?: number; only?: string } };

/**
 * Returns the command of a parsed command line.
 * @throws Error with a one-line message if a value is invalid
 */
export function commandOf(values: ValuesOf<(typeof simCommandLine)["options"]>): SimCommand {
  const workers = values.workers === undefined ? {} : { workers: some("workers", values.workers) };
  if (values.exhaustive) return { play: "exhaustive", options: workers };
  if (values.pairs) {
    return { play: "pairs", options: { ...workers, from: some("from", values.from) } };
  }
  if (values.mutants || values.mutant !== undefined) {
    const only = values.mutant === undefined ? {} : { only: mutantNamed(values.mutant) };
    return { play: "mutants", options: { ...workers, ...only } };
  }
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
  if (scenario === undefined)
    throw new Error("--seed requires --scenario, such as --scenario calls.");
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

/**
 * Parses a number of 1 or more. Rejects 0, because a simulation of no seeds would always succeed.
 * @throws Error for any other text
 */
function some(name: string, text: string): number {
  const count = whole(name, text);
  if (count === 0) throw new Error(`--${name} must be at least 1 (got "${text}").`);
  return count;
}

/**
 * Parses a list such as `3,17`. An empty list is valid, because `--shrink` prints it if the seed
 * fails even when no faults are injected.
 */
const drawsIn = (text: string): readonly number[] =>
  text === "" ? [] : text.split(",").map((draw) => drawIn(text, draw));

function drawIn(text: string, draw: string): number {
  if (!/^\d+$/.test(draw))
    throw new Error(`--only must be a list of integers, such as 3,17 (got "${text}").`);
  return Number(draw);
}

/** Parses a fault such as `12:crash_before`, which is the number of its request and its kind. */
function singleFault(text: string): SingleFault {
  const [request = "", name, ...more] = text.split(":");
  const kind = singleFaultKinds.find((one: FaultKind) => one === name);
  if (kind === undefined || more.length > 0 || !/^[1-9]\d*$/.test(request)) {
    throw new Error(
      `--fault must be <n>:<kind>, with a request n from 1 on and one of the kinds ${singleFaultKinds.join(", ")} (got "${text}").`,
    );
  }
  return { request: Number(request), kind };
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
