import { execFile } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../../../scripts/clients/document.ts";
import { generatePython, installClientPython } from "../../../scripts/clients/python.ts";
import { generateTypescript } from "../../../scripts/clients/typescript.ts";
import { startContractWorld } from "../../../tools/contract/world.ts";
import type { World } from "../../../tools/local/world.ts";
import { codeBlocks } from "../../readme/code-blocks.ts";

/** The documentation page whose programs these tests run. */
const page = "docs/clients.md";

let world: World;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "packages-"));
  world = await startContractWorld();
});
afterAll(async () => {
  await world.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command and returns its output. An error contains the whole output. */
async function run(command: string, words: readonly string[], cwd: string): Promise<string> {
  const variables = { RPD_API_KEY: world.apiKey, RPD_BASE_URL: world.baseUrl };
  const { stdout } = await promisify(execFile)(command, words, {
    cwd,
    env: { ...process.env, ...variables },
  }).catch((error: { readonly stdout: string; readonly stderr: string }) => {
    throw new Error(`${command} ${words.join(" ")}\n${error.stdout}${error.stderr}`);
  });
  return stdout;
}

/** Expects that generated files equal the committed files. */
function expectCommitted(generated: string, committed: string): void {
  for (const name of readdirSync(generated))
    expect(readFileSync(join(generated, name), "utf8"), name).toBe(
      readFileSync(join(root, committed, name), "utf8"),
    );
}

const newFolder = (name: string): string => {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
};

describe("the package of the TypeScript client", () => {
  it("has the types that the generator creates from the OpenAPI document", async () => {
    const generated = newFolder("typescript");
    await generateTypescript(generated);
    expectCommitted(generated, "clients/typescript/source/generated");
  });

  it("installs into an empty folder without other packages, and makes the documented first call", async () => {
    const project = newFolder("npm");
    const packing = ["pack", "--silent", "--pack-destination", project];
    const packed = (await run("npm", packing, join(root, "clients/typescript"))).trim();
    writeFileSync(join(project, "package.json"), '{"type": "module"}');
    await run("npm", ["install", "--no-audit", "--no-fund", `./${packed}`], project);
    expect(readdirSync(join(project, "node_modules")).filter((name) => /^\w/.test(name))).toEqual([
      "retail-product-data",
    ]);
    writeFileSync(join(project, "first.mts"), codeBlocks(page, "ts")[0] ?? "");
    expect(await run(process.execPath, ["first.mts"], project)).toMatch(
      /^9000001 ok [\d.]+\n9000007 not_found undefined\nNOT_FOUND\n/,
    );
    const command = join(project, "node_modules/.bin/rpd");
    expect(
      await run(command, ["products", "9000007", "--platform", "retailer_d", "--csv"], project),
    ).toContain("9000007,not_found");
  });
});

const python = await installClientPython();
if (python.outcome === "absent")
  process.stdout.write(`The Python client was not tested: ${python.why}\n`);
describe.skipIf(python.outcome === "absent")("the package of the Python client", () => {
  const { python: interpreter } = python.outcome === "installed" ? python : { python: "" };
  const source = join(root, "clients/python");

  it("has the types that the generator creates from the OpenAPI document", async () => {
    const generated = newFolder("python");
    expect(await generatePython(generated)).toBeUndefined();
    expectCommitted(generated, "clients/python/retail_product_data/generated");
  });

  it("passes its tests and strict type checks", async () => {
    const tests = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"];
    expect(await run(interpreter, tests, source)).toMatch(/ passed/);
    const checks = ["-m", "mypy", "--strict", "--cache-dir", join(folder, "mypy")];
    expect(await run(interpreter, [...checks, "retail_product_data"], source)).toContain("Success");
  });

  it("builds, installs into an empty environment, and makes the documented first call", async () => {
    const copy = newFolder("build");
    cpSync(source, copy, { recursive: true });
    const dist = join(copy, "dist");
    await run(interpreter, ["-m", "build", "--no-isolation", "--outdir", dist, "."], copy);
    const wheel = readdirSync(dist).find((name) => name.endsWith(".whl")) ?? "";
    const project = newFolder("pip");
    await run("python3", ["-m", "venv", "env"], project);
    const installed = join(project, "env/bin/python");
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    await run(installed, [...pip, join(dist, wheel)], project);
    writeFileSync(join(project, "first.py"), codeBlocks(page, "python")[0] ?? "");
    expect(await run(installed, ["first.py"], project)).toMatch(
      /^9000001 ok [\d.]+\n9000007 not_found None\nNOT_FOUND\n/,
    );
  });
});
