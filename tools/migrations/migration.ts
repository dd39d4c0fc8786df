import type { Clock, RandomSource } from "../../shared/base/clock.ts";
import { repeats } from "../../shared/base/retry-budget.ts";
import type { TableName } from "../../shared/base/stored-kinds.ts";
import type { Row } from "../../shared/aws/table/dynamo.ts";

/** A change of stored rows, which `npm run admin -- migrate` makes while the service runs. */
export interface Migration {
  readonly name: string;
  /** Which rows the migration changes, such as "accounts whose credits are in their row". */
  readonly about: string;
  readonly table: TableName;
  /**
   * Returns true for a row that the migration must change. The row is as it is stored, without
   * conversion.
   */
  isPending(row: Row): boolean;
  /**
   * Changes the data of a pending row. A repeated call has no further effect. Calls and runs
   * continue, so the row may have changed or may be deleted.
   * @throws Error if the row is still pending
   */
  migrate(row: Row): Promise<void>;
}

const triesMax = 10;

/**
 * Repeats `attempt` while it returns `again`, because another process has changed the rows.
 * @param what what the other process changed, such as "row"
 * @throws Error after ten attempts
 */
export async function whileRowsChange(
  time: { readonly clock: Clock; readonly random: RandomSource },
  what: string,
  attempt: () => Promise<"done" | "again">,
): Promise<void> {
  const mayRepeat = repeats(time, { triesMax, pauseMs: 20 });
  do {
    if ((await attempt()) === "done") return;
  } while (await mayRepeat());
  throw new Error(
    `other processes changed the ${what} during each of ${triesMax} attempts. ` +
      "Run the migration again.",
  );
}
