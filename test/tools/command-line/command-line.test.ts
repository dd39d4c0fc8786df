import { describe, expect, it } from "vitest";
import { commandNamed, groupHelpOf } from "../../../tools/command-line/command-group.ts";
import { helpOf, jsonOption, parseOptions } from "../../../tools/command-line/command-line.ts";
import { failureMessage } from "../../../tools/command-line/failure.ts";
import { progressOf } from "../../../tools/command-line/progress.ts";

const options = {
  stage: { type: "string", value: "<stage>", default: "dev", about: "the stage to read" },
  json: jsonOption,
} as const;

describe("the help of a command", () => {
  it("shows the usage, each option with its default, and examples", () => {
    expect(
      helpOf({
        name: "npm run list",
        about: "Lists stages.",
        options,
        examples: ["", "--stage prod"],
      }),
    ).toBe(`Lists stages.

Usage: npm run list -- [options]
  --stage <stage>  the stage to read (default: dev)
  --json           prints the result as JSON
  --help, -h       prints this text

Examples:
  npm run list
  npm run list -- --stage prod
`);
  });
});

describe("the help of a command of a group", () => {
  it("shows the required options, and wraps long texts with an indent", () => {
    const long = Array.from({ length: 20 }, () => "words").join(" ");
    const help = helpOf({
      name: "npm run group -- list",
      about: "Lists stages.",
      options: { stage: { type: "string", value: "<stage>", required: true, about: long } },
      examples: ["--stage dev"],
    });

    expect(help).toContain("\nUsage: npm run group -- list --stage <stage> [options]\n");
    expect(help).toContain("\n  npm run group -- list --stage dev\n");
    expect(help).toMatch(/^ {2}--stage <stage> {2}words( words)+\n {19}words( words)+$/m);
    for (const line of help.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  });
});

describe("the options of a command", () => {
  const repeatable = { ...options, only: { type: "string", multiple: true, about: "" } } as const;

  it("are refused if the command line repeats an option", () => {
    for (const args of [
      ["--stage", "dev", "--stage=prod"],
      ["--json", "--json"],
    ])
      expect(() => parseOptions(args, options)).toThrow(
        `${args[0]} is set more than once. Set it once.`,
      );
  });

  it("may be repeated if the option collects values", () => {
    const args = ["--only", "a", "--stage", "dev", "--only", "b"];
    expect(parseOptions(args, repeatable).values).toMatchObject({
      only: ["a", "b"],
      stage: "dev",
    });
  });
});

describe("a group of commands", () => {
  const group = {
    name: "npm run group",
    about: "Handles stages.",
    noun: "action",
    commands: { list: { about: "Lists stages." }, "list all": { about: "Lists all stages." } },
    options: { json: jsonOption },
    examples: ["list"],
  };

  it("shows its commands and their common options in its help", () => {
    expect(groupHelpOf(group)).toBe(`Handles stages.

Usage: npm run group -- <action> [options]
  list      Lists stages.
  list all  Lists all stages.

Options of every action:
  --json      prints the result as JSON
  --help, -h  prints this text

Examples:
  npm run group -- list
`);
  });

  it("runs the command in its first argument, and suggests the nearest command for an unknown name", () => {
    expect(commandNamed("list all", group).about).toBe("Lists all stages.");
    expect(() => commandNamed("lsit", group)).toThrow(
      `There is no action "lsit". Did you mean 'list'? Run npm run group for a list.`,
    );
    expect(() => commandNamed("toString", group)).toThrow(`There is no action "toString".`);
  });
});

describe("the parsed options of a command", () => {
  it("have the values of the command line, and otherwise their defaults", () => {
    expect(parseOptions(["--json"], options).values).toEqual({ json: true, stage: "dev" });
  });

  it.each([
    ["--stgae", "There is no option '--stgae'. Did you mean '--stage'?"],
    ["--stgae=prod", "There is no option '--stgae'. Did you mean '--stage'?"],
    ["--hlep", "There is no option '--hlep'. Did you mean '--help'?"],
    ["--quantity", "There is no option '--quantity'. See --help."],
    ["-x", "There is no option '-x'. See --help."],
  ])(
    "are refused for the unknown option %s, and the error suggests the nearest option, if any",
    (arg, message) => {
      expect(() => parseOptions([arg], options)).toThrow(new Error(message));
    },
  );

  it.each([["--stage"], ["prod"]])(
    "are refused with an error of one line if the command line has only the argument '%s'",
    (arg) => {
      expect(() => parseOptions([arg], options)).toThrow(/^[^\n]+$/);
    },
  );
});

describe("the message of a failed command", () => {
  it.each([
    [
      "a missing region",
      new Error("Region is missing"),
      /^No AWS region is set\. Set AWS_REGION, for example/,
    ],
    [
      "a refused connection",
      Object.assign(new AggregateError([]), { code: "ECONNREFUSED" }),
      /^ECONNREFUSED: the endpoint/,
    ],
    [
      "an unknown host",
      new TypeError("fetch failed", {
        cause: Object.assign(new Error("x"), { code: "ENOTFOUND" }),
      }),
      /^ENOTFOUND: the endpoint does not respond/,
    ],
    ["any other error", new Error("'stage' must be dev or prod"), /^'stage' must be dev or prod$/],
    ["a thrown text", "a text", /^a text$/],
  ])("is one line without a stack trace for a frequent failure: %s", (_what, error, message) => {
    expect(failureMessage(error)).toMatch(message);
    expect(failureMessage(error)).not.toContain("\n");
  });
});

describe("the progress of a command", () => {
  it("contains the name of each step, and an estimate of the remaining time", () => {
    const lines: string[] = [];
    let at = 0;
    const progress = progressOf(4, {
      out: { write: (text) => lines.push(text) },
      now: () => at,
    });
    for (const step of ["a", "b", "c", "d"]) {
      progress.begin(step);
      at += 60_000;
    }

    expect(lines).toEqual([
      "[1/4] a\n",
      "[2/4] b, about 3 min left\n",
      "[3/4] c, about 2 min left\n",
      "[4/4] d, about 60 s left\n",
    ]);
  });

  it("is not printed in the first seconds, and shows the finished steps if the total is unknown", () => {
    const lines: string[] = [];
    let at = 0;
    const progress = progressOf(null, {
      everyMs: 5_000,
      out: { write: (text) => lines.push(text) },
      now: () => at,
    });
    for (const step of ["a", "b", "c", "d", "e"]) {
      progress.begin(step);
      at += 2_500;
    }

    expect(lines).toEqual(["[3] c\n", "[5] e\n"]);
  });
});
