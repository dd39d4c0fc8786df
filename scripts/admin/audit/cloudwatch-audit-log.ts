import {
  type CloudWatchLogsClient,
  paginateFilterLogEvents,
  PutLogEventsCommand,
} from "@aws-sdk/client-cloudwatch-logs";
import * as v from "valibot";
import { auditLogStream } from "../../../lib/operator-names.ts";
import { auditLine, type AuditLine, type AuditLog } from "./audit-log.ts";

/** Stores the audit log in CloudWatch Logs, where no operator role can change or delete it. */
export const cloudWatchAuditLog = (
  client: CloudWatchLogsClient,
  logGroupName: string,
): AuditLog => ({
  async append(line) {
    await client.send(
      new PutLogEventsCommand({
        logGroupName,
        logStreamName: auditLogStream,
        logEvents: [{ timestamp: Date.parse(line.at), message: JSON.stringify(line) }],
      }),
    );
  },
  async lines() {
    const lines: AuditLine[] = [];
    for await (const { events = [] } of paginateFilterLogEvents({ client }, { logGroupName })) {
      for (const { message = "" } of events) lines.push(v.parse(auditLine, JSON.parse(message)));
    }
    return lines;
  },
});
