import type { Narrator } from "./narrator.ts";
import type { Walked } from "./runs.ts";

/** Has the operators' tool compare everything that the tables keep twice. */
export async function reconcileWorld({ admin }: Pick<Walked, "admin">, tell: Narrator) {
  tell.chapter("npm run admin -- reconcile");
  const tally = await admin("reconcile", "--json").catch(withOutput);
  tell.say(String(tally["summary"]));
  tell.check("what the tables keep twice agrees", tally["differences"] === 0);
}

/** The differences that it found stand in what it printed. */
function withOutput(error: unknown): never {
  const { stdout = "" } = error as { readonly stdout?: string };
  throw new Error(`reconcile failed\n${stdout}`, { cause: error });
}
