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
/** The files and folders that the simulation needs. */
const parts = [
  "functions",
  "shared",
  "tools",
  "test/run-model",
  "test/sim",
  "test/support",
  "package.json",
  "tsconfig.json",
];

/**
 * Applies each mutant to a copy of the code, one at a time, and runs seeds of its scenario until
 * one fails that passes without the mutant. `passed` is false if a mutant survives all seeds.
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
    const played = await firstFailure(mutant, workers);
    if (played === undefined) survived.push(mutant.name);
    const by =
      played === undefined
        ? `SURVIVED ${seedsMax} seeds of ${mutant.scenario}`
        : `${mutant.scenario} seed ${played.seed}: ${firstLine(played)}`;
    console.log(`${mutant.name} (${mutant.file}): ${by}`);
  }
  const killed = wanted.length - survived.length;
  console.log(`${killed} of ${wanted.length} mutants killed`);
  return { passed: survived.length === 0, mutants: wanted.length, killed, survived };
}

const firstLine = ({ violation = "" }: Played): string =>
  violation.split("\n").slice(0, 1).join(" ").slice(0, 120);

async function firstFailure(mutant: Mutant, workers?: number): Promise<Played | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "mutant-"));
  try {
    for (const part of parts) cpSync(join(root, part), join(folder, part), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    applyMutant(mutant, folder);
    return await playUntilFailure(mutant, {
      root: folder,
      ...(workers === undefined ? {} : { workers }),
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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
  { name, scenario }: Mutant,
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
