/** Runs the simulation of the service under faults, which docs/testing.md describes. */
import { runCommand } from "../../tools/command-line/command-line.ts";
import { exhaust } from "./exhaust.ts";
import { playLedgerPairs } from "./ledger-pairs.ts";
import { playMutants } from "./mutants.ts";
import { commandOf, type SimCommand, simCommandLine } from "./options.ts";
import { playScenarios } from "./play-scenarios.ts";
import { replay } from "./replay.ts";
import type { SimResult } from "./report.ts";

async function play(wanted: SimCommand): Promise<SimResult> {
  if (wanted.play === "exhaustive") return exhaust(wanted.options);
  if (wanted.play === "pairs") return playLedgerPairs(wanted.options);
  if (wanted.play === "mutants") return playMutants(wanted.options);
  return wanted.play === "one" ? replay(wanted.options) : playScenarios(wanted.options);
}

await runCommand(
  simCommandLine,
  async ({ values }) => {
    const result = await play(commandOf(values));
    if (values.json === true) process.stdout.write(`${JSON.stringify(result)}\n`);
    return result.passed ? 0 : 1;
  },
  { failureCode: 2 },
);
