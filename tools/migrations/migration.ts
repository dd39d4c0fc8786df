import type { TableName } from "../../shared/base/stored-kinds.ts";
import type { Row } from "../../shared/aws/table/dynamo.ts";

/** A change of stored rows that each release needs once. */
export interface Migration {
  readonly name: string;
  readonly about: string;
  readonly table: TableName;
  /** Returns true for a row, as it is stored, that the migration must change. */
  isPending(row: Row): boolean;
  /**
   * Changes the data of a pending row. Idempotent. Calls and runs continue, so the row may have
   * changed or may be deleted.
   * @throws if the row is still pending
   */
  migrate(row: Row): Promise<void>;
}
