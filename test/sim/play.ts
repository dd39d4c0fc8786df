import { watchFailures } from "./checks/failures.ts";
import type { Engine } from "./engine.ts";
import type { Overlap } from "./contention.ts";
import type { InjectedFault, Profile } from "./faults.ts";
import { clearCapturedLog } from "./captured-log.ts";
import type { Scenario } from "./scenario.ts";
import { type Place, plannedFault, type SingleFault } from "./single-fault.ts";
import { openWorld } from "./world.ts";

export interface PlayOptions {
  readonly scenario: Scenario;
  readonly seed: number;
  /** @default the seed's own */
  readonly profile?: Profile;
  /** Draws that may inject a fault. @default all */
  readonly only?: ReadonlySet<number>;
  /** True to draw no faults at random. */
  readonly calm?: boolean;
  /** A fault to inject at one request. */
  readonly fault?: SingleFault;
}

/** The result of a seed. */
export interface Played {
  readonly scenario: string;
  readonly seed: number;
  readonly profile: Profile;
  /** Hash of all calls in order. */
  readonly hash: string;
  readonly trace: readonly string[];
  readonly fired: readonly InjectedFault[];
  /** Number of attempts of AWS requests. */
  readonly attempts: number;
  /** Call sites where processes crashed, as `file:line before` and `file:line after`. */
  readonly crashes: readonly string[];
  /** Call sites that a single fault can hit. */
  readonly places: readonly Place[];
  /** Rare states that were reached, with counts. */
  readonly states: Readonly<Record<string, number>>;
  /** Counts of overlapping writes; undefined in a profile whose writes take no time. */
  readonly contention?: {
    readonly overlaps: Readonly<Partial<Record<Overlap, number>>>;
    readonly pairs: Readonly<Record<string, number>>;
  };
  /** The violated invariant; undefined when all held. */
  readonly violation?: string;
}

const inTurn = ["crashes", "queues", "store"] as const;
/**
 * One in so many seeds of `calls` has the profile `contention`. The share falls after the first 300
 * seeds, because such a seed sends fifteen times as many requests as another.
 */
const seedsPerContention = (seed: number): number => (seed <= 300 ? 5 : 25);

/** Returns the profile of a seed: the three in rotation, and `contention` for a share of `calls`. */
export function profileOf(scenario: string, seed: number): Profile {
  if (scenario === "calls" && seed % seedsPerContention(seed) === 1) return "contention";
  return inTurn[seed % inTurn.length] ?? inTurn[0];
}

/** Runs one seed of a scenario on a new table. */
export async function playSeed(engine: Engine, options: PlayOptions): Promise<Played> {
  const {
    scenario,
    seed,
    profile = profileOf(scenario.name, seed),
    only,
    calm = false,
    fault,
  } = options;
  const stage = await engine.stage();
  clearCapturedLog();
  const crashes = new Set<string>();
  let attempts = 0;
  const { planned, places } = plannedFault(fault);
  const world = await openWorld(stage, {
    seed,
    profile,
    calm,
    planned,
    onCrash: (site, side) => void crashes.add(`${site} ${side}`),
    ...(only === undefined ? {} : { only }),
  });
  world.afterEffect.push(() => {
    attempts += 1;
  });
  const checkFailures = watchFailures(world);
  const violation = await violationOf(async () => {
    await scenario.play(world);
    checkFailures();
  });
  await stage.end();
  const { tasks, faults, states, contention } = world;
  return {
    scenario: scenario.name,
    seed,
    profile,
    hash: tasks.hash(),
    trace: tasks.trace,
    fired: faults.fired,
    attempts,
    crashes: [...crashes],
    places: [...places.values()],
    states: Object.fromEntries(states),
    ...(contention && {
      contention: {
        overlaps: Object.fromEntries(contention.overlaps),
        pairs: Object.fromEntries(contention.pairs),
      },
    }),
    ...(violation === undefined ? {} : { violation }),
  };
}

async function violationOf(play: () => Promise<void>): Promise<string | undefined> {
  try {
    await play();
    return undefined;
  } catch (error) {
    return error instanceof Error ? textOf(error) : String(error);
  }
}

const textOf = (error: Error): string =>
  `${error.stack}${error.cause instanceof Error ? `\ncaused by ${textOf(error.cause)}` : ""}`;
