/** Runs every command of package.json that the project implements, with --help and a typing error. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { runAdmin } from "../../scripts/admin/main.ts";
import { root } from "../readme/pages.ts";

/** Commands that pass their options on to another tool, which checks them. */
const passOn = new Set(["test:contract"]);
const commands = Object.entries(packageJson.scripts).flatMap(([name, script]) => {
  const [, file] = /^(?:exec )?node (\S+)$/.exec(script) ?? [];
  return file === undefined ? [] : [{ name, file }];
});
const admin = "scripts/admin.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "commands-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Ended {
  readonly code: unknown;
  readonly out: string;
  readonly err: string;
}

/** Runs a command without AWS settings and without a local world. */
async function run(file: string, ...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [`${root}${file}`, ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit") as Promise<unknown[]>,
  ]);
  return { code, out, err };
}

const colors = "\u001b[";
const stackLine = /^\s+at /m;

describe("npm run", () => {
  it("starts at least 14 commands of the project", () => {
    expect(commands.length).toBeGreaterThanOrEqual(14);
  });

  it.each(commands)("$name --help prints examples and exits with 0", async ({ file }) => {
    const { code, out, err } = await run(file, "--help");

    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/Examples?:\n {2}n(?:pm|ode) /);
    expect(out).not.toContain(colors);
  });

  it.each(commands.filter(({ name }) => !passOn.has(name)))(
    "$name names the nearest option in one line without a stack trace",
    async ({ name, file }) => {
      const args = name === "bench" ? ["api", "--hlep"] : ["--hlep"];
      const { code, out, err } = await run(file, ...args);

      expect(code).not.toBe(0);
      expect(out).toBe("");
      expect(err).toBe("There is no option '--hlep'. Did you mean '--help'?\n");
      expect(err).not.toMatch(stackLine);
    },
  );

  it("bench names the nearest bench", async () => {
    expect(await run("scripts/bench.ts", "delivry")).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^There is no bench "delivry"\. Did you mean 'delivery'\?/),
    });
  });

  it.each([
    ["scripts/empty-bucket.ts", "--stage", "dev"],
    [admin, "accounts", "--stage", "dev"],
  ])("%s explains that no AWS region is set", async (file, ...args) => {
    const { code, err } = await run(file, ...args);

    expect(code).toBe(1);
    expect(err).toMatch(/^No AWS region is set\. Set AWS_REGION, for example .+\n$/);
  });
});

/** Runs `npm run admin` in this process, without a terminal. */
async function runAdminHere(...words: readonly string[]): Promise<Ended> {
  const [output, errors] = [new PassThrough(), new PassThrough()];
  const code = await runAdmin(words, { input: new PassThrough(), output, errors });
  output.end();
  errors.end();
  return { code, out: await text(output), err: await text(errors) };
}

describe("npm run admin", () => {
  it("shows the help of each of its commands with an example", async () => {
    const { out } = await runAdminHere("--help");
    const names = [...out.matchAll(/^ {2}(?!npm)([a-z]+(?:[- ][a-z]+)*)(?: [-[<].*)?$/gm)].map(
      ([, name = ""]) => name,
    );
    expect(names.length).toBeGreaterThan(18);
    for (const name of names) {
      const help = await runAdminHere(...name.split(" "), "--help");
      expect(help, name).toMatchObject({ code: 0, err: "" });
      expect(help.out).toContain(`Example:\n  npm run admin -- ${name}`);
    }
  });

  it("names the nearest command", async () => {
    expect(await runAdminHere("acounts")).toEqual({
      code: 1,
      out: "",
      err: `There is no command "acounts". Did you mean 'accounts'? Run npm run admin for a list.\n`,
    });
  });
});
