import type { ExportLogRecord } from "../../exports/export-record.ts";
import type { Write } from "../deliveries/outbox-writes.ts";
import { successWrite } from "./destination-store.ts";
import { exportWrite } from "./export-store.ts";

/**
 * Returns the write that stores a record about an S3 destination: an export for the export log, or
 * the destination's last success. The caller adds the write to the transaction that also changes
 * the outbox.
 */
export const exportLogWrite = (
  TableName: string,
  accountId: string,
  record: ExportLogRecord,
): Write =>
  "id" in record
    ? exportWrite(TableName, accountId, record)
    : successWrite(TableName, accountId, record);
