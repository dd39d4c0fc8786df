import { describe, expect, it } from "vitest";
import { profiles } from "./faults.ts";
import { helpOf, parseOptions } from "../../tools/command-line/command-line.ts";
import { commandOf, type SimCommand, simCommandLine } from "./options.ts";
import { scenarios } from "./scenarios.ts";

const parseCommand = (args: readonly string[]): SimCommand =>
  commandOf(parseOptions(args, simCommandLine.options).values);

describe("npm run sim", () => {
  it.each([
    ["--fault foo"],
    ["--fault 3:crash_befor"],
    ["--fault 0:crash_before"],
    ["--fault 3:crash_before:4"],
    ["--seed x"],
    ["--only 1,,2"],
    ["--profile none"],
  ])("rejects the option %s in a replay of one seed, with an error of one line", (line) => {
    expect(() => parseCommand(["--scenario", "calls", "--seed", "1", ...line.split(" ")])).toThrow(
      /^[^\n]+$/,
    );
  });

  it.each([
    ["--workers 0"],
    ["--seeds 0"],
    ["--exhaustive --workers 0"],
    ["--scenario none"],
    ["--mutant none"],
    ["--none"],
    ["none"],
    ["--seed 1"],
    ["--pairs --from 0"],
  ])("rejects the arguments %s with an error of one line", (line) => {
    expect(() => parseCommand(line.split(" "))).toThrow(/^[^\n]+$/);
  });

  it("lists every scenario and profile with --help", () => {
    const help = helpOf(simCommandLine);
    for (const { name } of scenarios) expect(help).toContain(name);
    for (const profile of profiles) expect(help).toContain(profile);
  });

  it("accepts the replay options that a failed simulation prints, including an empty list of draws and a single fault", () => {
    const args = ["--scenario", "calls", "--seed", "7", "--only=", "--fault", "3:crash_after"];
    expect(parseCommand(args)).toMatchObject({
      play: "one",
      options: { seed: 7, only: [], fault: { request: 3, kind: "crash_after" } },
    });
  });

  it("runs 300 seeds of every scenario if it has no options", () => {
    expect(parseCommand([])).toMatchObject({ play: "scenarios", options: { seeds: 300, from: 1 } });
  });
});
