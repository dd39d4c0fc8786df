import { expect, it } from "vitest";
import type { CrashPoint } from "../../support/run-bench.ts";
import { openTables } from "../../support/tables.ts";
import { defaultOfRetailerA, retailerAEnds } from "./two-run-scenarios.ts";

/** CRASH_STEP=1 tests every call at which the process can die, instead of every 29th. */
const step = Number(process.env["CRASH_STEP"] ?? 29);

const tables = openTables();

it("a run has the same result if its process dies before or after any external call and the message is delivered again", async () => {
  const { calls } = await defaultOfRetailerA({ tables });
  expect(calls).toBeGreaterThan(20);
  const points = Array.from({ length: 2 * calls }, (_, n): CrashPoint => ({
    call: 1 + Math.floor(n / 2),
    when: n % 2 === 0 ? "before" : "after",
  })).filter((_, n) => n % step === 0);
  for (const crash of points) {
    const end = await defaultOfRetailerA({ tables, crash });
    expect(end, `${crash.when} call ${crash.call}`).toMatchObject(retailerAEnds);
  }
});
