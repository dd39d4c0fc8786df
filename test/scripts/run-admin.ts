import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { runAdmin } from "../../scripts/admin/main.ts";
import type { Ended } from "../support/run-script.ts";

/** Runs `npm run admin` to its end, in this process and without input. */
export async function runAdminHere(words: readonly string[], isTTY = false): Promise<Ended> {
  const [output, errors] = [Object.assign(new PassThrough(), { isTTY }), new PassThrough()];
  const code = await runAdmin(words, { input: new PassThrough(), output, errors });
  output.end();
  errors.end();
  return { code, out: await text(output), err: await text(errors) };
}
