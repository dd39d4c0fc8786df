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
