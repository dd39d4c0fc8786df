import { startEngine } from "./engine.ts";
import type { Profile } from "./faults.ts";
import { type Played, playSeed } from "./play.ts";
import { captureOutput } from "./captured-log.ts";
import { scenarioNamed } from "./scenarios.ts";
import type { SingleFault } from "./single-fault.ts";

/** A seed that a worker process must run. */
export interface Job {
  readonly scenario: string;
  readonly seed: number;
  readonly profile?: Profile;
  readonly only?: readonly number[];
  readonly calm?: boolean;
  readonly fault?: SingleFault;
  /**
   * True to return the whole trace. Otherwise, the result contains only the end of a failing trace.
   */
  readonly wantsTrace?: boolean;
}

const traceLinesMax = 60;

captureOutput();

const engine = await startEngine();
process.send?.("ready");

process.on("message", (job: Job) => {
  void play(job).then((played) => process.send?.(played));
});
// Without its parent process, this process would run forever.
process.on("disconnect", () => {
  void engine.stop().then(() => process.exit(0));
});

async function play({ scenario, only, wantsTrace = false, ...job }: Job): Promise<Played> {
  const played = await playSeed(engine, {
    ...job,
    scenario: scenarioNamed(scenario),
    ...(only === undefined ? {} : { only: new Set(only) }),
  });
  if (wantsTrace) return played;
  const isSound = played.violation === undefined;
  return { ...played, trace: isSound ? [] : played.trace.slice(-traceLinesMax) };
}
