import type { Narrator } from "./narrator.ts";
import type { TourTarget } from "./runs.ts";

/** Runs the reconcile command, and checks that it finds no differences. */
export async function reconcileWorld({ admin }: Pick<TourTarget, "admin">, tell: Narrator) {
  tell.chapter("npm run admin -- reconcile");
  const tally = await admin("reconcile", "--json").catch(withOutput);
  tell.say(String(tally["summary"]));
  tell.check("data that the tables store twice is equal", tally["differences"] === 0);
}

/** The command prints the differences before it fails. */
function withOutput(error: unknown): never {
  const { stdout = "" } = error as { readonly stdout?: string };
  throw new Error(`reconcile failed\n${stdout}`, { cause: error });
}
