import {
  type CloudWatchLogsClient,
  paginateFilterLogEvents,
  PutLogEventsCommand,
} from "@aws-sdk/client-cloudwatch-logs";
import { auditLogStream } from "../../../lib/operator-names.ts";
import { type AuditLog, parseLines } from "./audit-log.ts";

/**
 * Returns the audit log of a deployed stage, which is stored in a log group of CloudWatch. No
 * operator role can change or delete its lines.
 */
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
  async lines(warn) {
    const texts: string[] = [];
    for await (const { events = [] } of paginateFilterLogEvents({ client }, { logGroupName })) {
      texts.push(...events.map(({ message = "" }) => message));
    }
    return parseLines(texts, warn);
  },
});
