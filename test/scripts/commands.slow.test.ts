/**
 * Runs every command of package.json that the project implements: with --help, and with a
 * misspelled option.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { checkovReasons } from "../../lib/acknowledgements.ts";
import { runAdminHere } from "./run-admin.ts";
import { type Ended, runScript } from "../support/run-script.ts";

/** Commands that pass their options on to another tool, which checks them. */
const passOn = new Set(["test:contract"]);
const commands = Object.entries(packageJson.scripts).flatMap(([name, script]) => {
  const [, file] = /^(?:exec )?node (\S+)$/.exec(script) ?? [];
  return file === undefined ? [] : [{ name, file }];
});
/**
 * All commands share the parser of options, and each start of a process takes a second of processor
 * time. Without NIGHTLY=1, tests that start one process for each command therefore run only every
 * fourth command.
 */
const some = <T>(all: readonly T[]): readonly T[] =>
  process.env["NIGHTLY"] === "1" ? all : all.filter((_, n) => n % 4 === 0);
const admin = "scripts/admin.ts";
const bench = "scripts/bench.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "commands-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/**
 * Runs a command without AWS settings and without a local world. Its PATH begins with the temporary
 * folder.
 */
const run = (file: string, ...args: readonly string[]): Promise<Ended> =>
  runScript(file, args, {
    cwd: folder,
    env: { PATH: `${folder}${delimiter}${process.env["PATH"] ?? ""}`, HOME: folder, NO_COLOR: "1" },
  });

const colors = "\u001b[";
const stackLine = /^\s+at /m;

describe("npm run capacity -- --ceilings", () => {
  it.each([
    ["--stage", "dev"],
    ["--items", "5"],
    ["--readers", "60"],
  ])("refuses the option %s together with --ceilings", async (option, value) => {
    const { code, out, err } = await run("scripts/capacity.ts", "--ceilings", option, value);

    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(`does not use ${option}`);
  });
});

describe("the npm scripts of the project", () => {
  it("include at least 14 commands that run a script of the project", () => {
    expect(commands.length).toBeGreaterThanOrEqual(14);
  });

  it.each(commands)(
    "include the script $name, which prints examples with --help and exits with 0",
    async ({ file }) => {
      const { code, out, err } = await run(file, "--help");

      expect({ code, err }).toEqual({ code: 0, err: "" });
      expect(out).toMatch(/Examples?:\n {2}n(?:pm|ode) /);
      expect(out).not.toContain(colors);
    },
  );

  it.each(some(commands.filter(({ name }) => !passOn.has(name))))(
    "include the script $name, which rejects an unknown option in one line that names the nearest option",
    async ({ file }) => {
      const { code, out, err } = await run(file, "--hlep");

      expect(code).not.toBe(0);
      expect(out).toBe("");
      expect(err).toBe("There is no option '--hlep'. Did you mean '--help'?\n");
      expect(err).not.toMatch(stackLine);
    },
  );

  it.each([
    ["scripts/empty-bucket.ts", "--stage", "dev"],
    [admin, "accounts", "--stage", "dev"],
  ])(
    "include the command %s, which fails with one line that explains that no AWS region is set",
    async (file, ...args) => {
      const { code, err } = await run(file, ...args);

      expect(code).toBe(1);
      expect(err).toMatch(/^No AWS region is set\. Set AWS_REGION, for example .+\n$/);
    },
  );
});

/** Returns the names of the commands in the help of a group. */
const namesIn = (help: string): readonly string[] =>
  [...help.matchAll(/^ {2}([a-z]+(?:[- ][a-z]+)*) {2,}\S/gm)].map(([, name = ""]) => name);

describe("npm run bench", () => {
  it("prints the help of each bench, with an example", async () => {
    const names = namesIn((await run(bench, "--help")).out);
    expect(names.length).toBeGreaterThan(8);
    for (const name of some(names)) {
      const { code, out, err } = await run(bench, name, "--help");
      expect({ code, err }, name).toEqual({ code: 0, err: "" });
      expect(out).toContain(`Examples:\n  npm run bench -- ${name}`);
    }
  });

  it.each([
    [
      ["delivry"],
      `There is no bench "delivry". Did you mean 'delivery'? Run npm run bench for a list.`,
    ],
    [["account", "--rat", "2"], "There is no option '--rat'. Did you mean '--rate'?"],
    [["api", "--rate", "2"], "There is no option '--rate'. See --help."],
    [["key", "--attempts", "x"], '--attempts must be a number of 0 or more (got "x").'],
    [["web"], "--pages is required. Name a folder with ground-truth.json."],
    [
      ["--json", "api"],
      'The first argument must be a bench (got "--json"). Write options after the bench.',
    ],
  ])("refuses the arguments %j in one line without a stack trace", async (args, message) => {
    expect(await run(bench, ...args)).toEqual({ code: 1, out: "", err: `${message}\n` });
  });

  it("prints only JSON to standard output with --json", async () => {
    mkdirSync(join(folder, "html"), { recursive: true });
    const truth = { page: { url: "https://shop.example/p/1234567", price: ["9.99"] } };
    writeFileSync(join(folder, "ground-truth.json"), JSON.stringify(truth));
    writeFileSync(join(folder, "html", "page.html"), "<title>A product</title>");
    const { code, out } = await run(bench, "web", "--pages", folder, "--json");

    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ pages: 1 });
  });
});

describe("npm run sim", () => {
  it("prints the result as JSON on the last line with --json", async () => {
    const seed = ["--scenario", "calls", "--seed", "1", "--calm"];
    const { code, out } = await run("test/sim/main.ts", ...seed, "--json");

    expect(code).toBe(0);
    expect(JSON.parse(out.trim().split("\n").at(-1) ?? "")).toMatchObject({
      passed: true,
      hash: expect.any(String),
      faults: [],
    });
  });

  it("refuses an invalid value in one line with exit code 2", async () => {
    const { code, out, err } = await run("test/sim/main.ts", "--seeds", "none");

    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toBe('--seeds must be an integer of 0 or more (got "none").\n');
  });
});

describe("npm run lint:templates", () => {
  it("prints findings without an acknowledgement, and acknowledgements without a finding, as JSON", async () => {
    answerAs("cfn-lint", [
      {
        Rule: { Id: "E0001" },
        Filename: "/tmp/a.template.json",
        Location: { Start: { LineNumber: 3 } },
        Message: "wrong",
      },
    ]);
    const acknowledged = Object.keys(checkovReasons).slice(1);
    const rules = ["CKV_AWS_0", ...acknowledged];
    answerAs("checkov", {
      results: {
        failed_checks: rules.map((rule) => ({
          check_id: rule,
          check_name: "Ensure",
          file_path: "/tmp/b.template.json",
          resource: "AWS::S3::Bucket.B",
        })),
      },
    });
    const { code, out } = await run("scripts/lint-templates.ts", "--json");

    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual({
      templates: expect.any(Number),
      results: [
        {
          linter: "cfn-lint",
          findings: [
            { rule: "E0001", template: "a.template.json", resource: "line 3", message: "wrong" },
          ],
        },
        {
          linter: "checkov",
          findings: [
            {
              rule: "CKV_AWS_0",
              template: "b.template.json",
              resource: "AWS::S3::Bucket.B",
              message: "Ensure",
            },
            expect.objectContaining({ rule: Object.keys(checkovReasons)[0] }),
          ],
        },
      ],
    });
  });

  /** Installs a program named `linter` that prints `answer` as JSON and exits with 2. */
  function answerAs(linter: string, answer: unknown): void {
    const script = `echo '${JSON.stringify(answer)}'; exit 2`;
    writeFileSync(join(folder, linter), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
});

describe("npm run admin", () => {
  it("prints the help of each of its commands, with an example", async () => {
    const names = namesIn((await runAdminHere(["--help"])).out);
    expect(names.length).toBeGreaterThan(18);
    for (const name of names) {
      const help = await runAdminHere([...name.split(" "), "--help"]);
      expect(help, name).toMatchObject({ code: 0, err: "" });
      expect(help.out).toContain(`Examples:\n  npm run admin -- ${name}`);
    }
  });

  it("suggests the nearest command for an unknown command", async () => {
    expect(await runAdminHere(["acounts"])).toEqual({
      code: 1,
      out: "",
      err: `There is no command "acounts". Did you mean 'accounts'? Run npm run admin for a list.\n`,
    });
  });
});
