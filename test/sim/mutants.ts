import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mutants } from "./mutant-list.ts";
import type { Mutant } from "./mutant.ts";
import { startPool, type WorkerPool } from "./pool.ts";
import type { Played } from "./play.ts";
import type { SimResult } from "./report.ts";
import { progressOf } from "../../tools/command-line/progress.ts";

const root = join(import.meta.dirname, "../..");
/** A mutant must be detected within this number of seeds of its scenario. */
const seedsMax = 300;
/** The files and folders that the simulation and the tests need. */
const parts = [
  "clients",
  "docs",
  "functions",
  "lib",
  "scripts",
  "shared",
  "test",
  "tools",
  "package.json",
  "tsconfig.json",
];

/**
 * Applies each mutant to a copy of the code, one at a time, and runs its detector: the seeds of a
 * scenario until one fails, or a test file. A failure counts only if the same seed or file passes
 * without the mutant. `passed` is false if a mutant is not detected.
 * @throws Error if no mutant has the name `only`
 */
export async function playMutants({
  workers,
  only,
}: {
  readonly workers?: number;
  /**
   * The name of the only mutant to run.
   * @default all mutants
   */
  readonly only?: string | undefined;
}): Promise<SimResult> {
  const wanted = mutants.filter(({ name }) => only === undefined || name === only);
  if (wanted.length === 0) throw new Error(`There is no mutant "${only}"`);
  const survived: string[] = [];
  const progress = progressOf(wanted.length);
  for (const mutant of wanted) {
    progress.begin(mutant.name);
    const failure = await firstFailure(mutant, workers);
    if (failure === undefined) survived.push(mutant.name);
    console.log(`${mutant.name} (${mutant.file}): ${failure ?? "SURVIVED"}`);
  }
  const killed = wanted.length - survived.length;
  console.log(`${killed} of ${wanted.length} mutants killed`);
  return { passed: survived.length === 0, mutants: wanted.length, killed, survived };
}

const firstLine = ({ violation = "" }: Played): string =>
  violation.split("\n").slice(0, 1).join(" ").slice(0, 120);

/** Returns what detects a mutant, for the report. Returns undefined if nothing does. */
async function firstFailure(mutant: Mutant, workers?: number): Promise<string | undefined> {
  const { name, detectedBy } = mutant;
  const folder = mkdtempSync(join(tmpdir(), "mutant-"));
  try {
    for (const part of parts) cpSync(join(root, part), join(folder, part), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    applyMutant(mutant, folder);
    if ("testFile" in detectedBy) return failureOfTests(detectedBy.testFile, folder);
    const { scenario } = detectedBy;
    const options = { root: folder, ...(workers === undefined ? {} : { workers }) };
    const played = await playUntilFailure({ name, scenario }, options);
    return played && `${scenario} seed ${played.seed}: ${firstLine(played)}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Runs a test file on the code in `folder`. Returns the name of the first test that fails;
 * undefined if all tests pass, or if a test also fails on the code of the project.
 */
function failureOfTests(testFile: string, folder: string): string | undefined {
  const failed = failedTestIn(testFile, folder);
  if (failed === undefined) return undefined;
  const other = failedTestIn(testFile, root);
  if (other === undefined) return `${testFile}: ${failed}`;
  console.log(`${testFile}: ${other} also fails without the mutant`);
  return undefined;
}

/**
 * Runs a test file with vitest. Returns the name of the first test that fails; undefined if all
 * tests pass.
 * @throws Error if vitest fails for another reason
 */
function failedTestIn(testFile: string, folder: string): string | undefined {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const reports = mkdtempSync(join(tmpdir(), "mutant-report-"));
  const report = join(reports, "report.json");
  const options = ["--config", "test/vitest.config.ts", "--reporter=json", "--outputFile", report];
  try {
    const { status, stderr } = spawnSync(process.execPath, [vitest, "run", ...options, testFile], {
      cwd: folder,
      encoding: "utf8",
    });
    if (status === 0) return undefined;
    const { testResults } = JSON.parse(readFileSync(report, "utf8")) as TestReport;
    const failed = testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .find((result) => result.status === "failed");
    if (failed === undefined) throw new Error(`${testFile} did not run: ${stderr.slice(-2_000)}`);
    return failed.fullName;
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
}

/** The part of vitest's JSON report that is used here. */
interface TestReport {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/**
 * Replaces the mutant's text in a copy of the code.
 * @throws Error if the text does not occur exactly once
 */
function applyMutant({ name, file, original, replacement }: Mutant, folder: string): void {
  const path = join(folder, file);
  const text = readFileSync(path, "utf8");
  const times = text.split(original).length - 1;
  if (times !== 1)
    throw new Error(
      `${name}: ${file} has ${JSON.stringify(original)} ${times} times instead of once`,
    );
  writeFileSync(
    path,
    text.replace(original, () => replacement),
  );
}

/**
 * Plays the seeds of a mutant's scenario until one detects the mutant. A seed that also fails
 * without the mutant shows another defect, so it detects nothing.
 */
async function playUntilFailure(
  { name, scenario }: { readonly name: string; readonly scenario: string },
  options: { readonly root: string; readonly workers?: number },
): Promise<Played | undefined> {
  const pool = await startPool(options);
  try {
    let from = 1;
    for (;;) {
      const failed = await firstFailureFrom(from, scenario, pool);
      if (failed === undefined || !(await failsWithoutMutant(scenario, failed.seed))) return failed;
      console.log(`${name}: ${scenario} seed ${failed.seed} also fails without the mutant`);
      from = failed.seed + 1;
    }
  } finally {
    await pool.stop();
  }
}

/** Plays the seeds from `from` on until one fails. Returns the lowest seed that failed. */
async function firstFailureFrom(
  from: number,
  scenario: string,
  pool: WorkerPool,
): Promise<Played | undefined> {
  const failed: Played[] = [];
  function* seeds() {
    for (let seed = from; seed <= seedsMax; seed += 1) {
      if (failed.length > 0) return;
      yield { scenario, seed };
    }
  }
  await pool.play(seeds(), (played) => {
    if (played.violation !== undefined) failed.push(played);
  });
  return failed.toSorted((one, other) => one.seed - other.seed)[0];
}

async function failsWithoutMutant(scenario: string, seed: number): Promise<boolean> {
  const pool = await startPool({ workers: 1 });
  try {
    let isViolated = false;
    await pool.play([{ scenario, seed }], ({ violation }) => {
      isViolated = violation !== undefined;
    });
    return isViolated;
  } finally {
    await pool.stop();
  }
}
