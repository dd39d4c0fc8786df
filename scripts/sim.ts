/** Plays the service under faults: README, "Proof under faults". */
import { parseArgs } from "node:util";
import { playModel } from "../test/sim/api-model/play-model.ts";
import { exhaust } from "../test/sim/exhaust.ts";
import { type Profile, profiles } from "../test/sim/faults.ts";
import { playMutants } from "../test/sim/mutants.ts";
import { playScenarios } from "../test/sim/play-scenarios.ts";
import { replay, singleFault } from "../test/sim/replay.ts";

const { values } = parseArgs({
  options: {
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
  },
});

const workers = values.workers === undefined ? {} : { workers: whole("workers", values.workers) };
process.exitCode = (await play()) ? 0 : 1;

function play(): Promise<boolean> {
  if (values.exhaustive) return exhaust(workers);
  if (values.mutants || values.mutant !== undefined) {
    return playMutants({ ...workers, only: values.mutant });
  }
  if (values.model !== undefined) return playModel(whole("model", values.model));
  const profile = values.profile === undefined ? undefined : profileNamed(values.profile);
  if (values.seed === undefined) {
    const [seeds, from] = [whole("seeds", values.seeds), whole("from", values.from)];
    return playScenarios({ seeds, from, scenario: values.scenario, profile, ...workers });
  }
  if (values.scenario === undefined) throw new Error("--seed needs the --scenario it belongs to");
  return replay({
    scenario: values.scenario,
    seed: whole("seed", values.seed),
    profile,
    only: values.only?.split(",").map((draw) => whole("only", draw)),
    calm: values.calm,
    fault: values.fault === undefined ? undefined : singleFault(values.fault),
    shrink: values.shrink,
  });
}

function whole(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`--${name} takes a whole number, not ${text}`);
  return Number(text);
}

function profileNamed(name: string): Profile {
  const found = profiles.find((one) => one === name);
  if (found === undefined) throw new Error(`There is no profile ${name}: ${profiles.join(", ")}`);
  return found;
}
