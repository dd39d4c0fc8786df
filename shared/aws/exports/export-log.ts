import type { ExportLogRecord } from "../../exports/export-record.ts";
import type { Write } from "../deliveries/outbox-writes.ts";
import { successWrite } from "./destination-store.ts";
import { exportWrite } from "./export-store.ts";

/**
 * Builds the write of a log record of a destination, for the transaction that also changes the
 * outbox.
 */
export const exportLogWrite = (
  TableName: string,
  accountId: string,
  record: ExportLogRecord,
): Write =>
  "id" in record
    ? exportWrite(TableName, accountId, record)
    : successWrite(TableName, accountId, record);
