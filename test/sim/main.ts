/** Runs the simulation of the service under faults, which docs/testing.md describes. */
import { playModel } from "./api-model/play-model.ts";
import { exhaust } from "./exhaust.ts";
import { playMutants } from "./mutants.ts";
import { usage, type SimCommand, parseCommand } from "./options.ts";
import { playScenarios } from "./play-scenarios.ts";
import { replay } from "./replay.ts";

const command = commandOf(process.argv.slice(2));
if (command === undefined) process.exitCode = 2;
else process.exitCode = (await play(command)) ? 0 : 1;

function commandOf(args: readonly string[]): SimCommand | undefined {
  try {
    return parseCommand(args);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

async function play(wanted: SimCommand): Promise<boolean> {
  if (wanted.play === "help") {
    process.stdout.write(usage);
    return true;
  }
  if (wanted.play === "exhaustive") return exhaust(wanted.options);
  if (wanted.play === "mutants") return playMutants(wanted.options);
  if (wanted.play === "model") return playModel(wanted.seeds);
  return wanted.play === "one" ? replay(wanted.options) : playScenarios(wanted.options);
}
