import type { Narrator } from "./narrator.ts";
import type { TourTarget } from "./runs.ts";

/**
 * Runs the reconcile command, and checks that it finds no differences.
 * @throws Error if the command fails, or if it finds a difference
 */
export async function runReconcileCommand(
  { admin }: Pick<TourTarget, "admin">,
  narrator: Narrator,
) {
  narrator.chapter("npm run admin -- reconcile");
  const tally = await admin("reconcile", "--json").catch(withOutput);
  narrator.note(String(tally["summary"]));
  narrator.check("data that the tables store twice is equal", tally["differences"] === 0);
}

/**
 * Rethrows the command's error together with its output, because the command prints the differences
 * before it fails.
 * @throws Error always.
 */
function withOutput(error: unknown): never {
  const { stdout = "" } = error as { readonly stdout?: string };
  throw new Error(
    `reconcile found differences, or could not compare the tables. Its output shows the cause:\n${stdout}`,
    { cause: error },
  );
}
