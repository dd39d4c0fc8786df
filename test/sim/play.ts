import { checkRowKinds } from "./checks/row-kinds.ts";
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
  /**
   * The profile.
   * @default the seed's own
   */
  readonly profile?: Profile;
  /**
   * The numbers of the random draws that may inject a fault. All other draws inject none.
   * @default all draws
   */
  readonly only?: ReadonlySet<number>;
  /** True to inject no random faults. */
  readonly calm?: boolean;
  /** A single fault to inject at one request. */
  readonly fault?: SingleFault;
}

/** The result of a seed. */
export interface Played {
  readonly scenario: string;
  readonly seed: number;
  readonly profile: Profile;
  /** A hash of all calls in their order. */
  readonly hash: string;
  readonly trace: readonly string[];
  readonly fired: readonly InjectedFault[];
  /** The number of attempts to send AWS requests. */
  readonly attempts: number;
  /** The call sites at which processes crashed, as `file:line before` or `file:line after`. */
  readonly crashes: readonly string[];
  /** The call sites at which a single fault can be injected. */
  readonly places: readonly Place[];
  /** How often the seed reached each rare state, by the name of the state. */
  readonly states: Readonly<Record<string, number>>;
  /**
   * The number of overlapping writes of each kind; undefined in a profile whose writes take no
   * time.
   */
  readonly contention?: {
    readonly overlaps: Readonly<Partial<Record<Overlap, number>>>;
    readonly pairs: Readonly<Record<string, number>>;
  };
  /** The violated invariant; undefined if there was no violation. */
  readonly violation?: string;
}

const inTurn = ["crashes", "queues", "store"] as const;
/**
 * Returns a number N: one in N seeds of `calls` has the profile `contention`. A seed with
 * `contention` sends fifteen times as many requests as other seeds, so N is larger after the first
 * 300 seeds.
 */
const seedsPerContention = (seed: number): number => (seed <= 300 ? 5 : 25);

/**
 * Returns the profile of a seed. Some seeds of `calls` have `contention`; all other seeds alternate
 * between the three other profiles.
 */
export function profileOf(scenario: string, seed: number): Profile {
  if (scenario === "calls" && seed % seedsPerContention(seed) === 1) return "contention";
  return inTurn[seed % inTurn.length] ?? inTurn[0];
}

/** Runs one seed of a scenario on a new table. Returns a violation as part of the result. */
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
    mixesReleases: scenario.mixesReleases === true,
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
    await checkRowKinds(stage);
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
