/** Plays the service under faults; see the README, "Proof under faults". */
import { parseArgs } from "node:util";
import { playScenarios } from "../test/sim/play-scenarios.ts";
import { replay } from "../test/sim/replay.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "300" },
    from: { type: "string", default: "1" },
    scenario: { type: "string" },
    profile: { type: "string" },
    seed: { type: "string" },
    only: { type: "string" },
    workers: { type: "string" },
  },
});
const isSound = values.seed === undefined ? await playScenarios(values) : await replay(values);
process.exitCode = isSound ? 0 : 1;
