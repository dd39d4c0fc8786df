import { LogFormatter, Logger, LogItem } from "@aws-lambda-powertools/logger";
import type {
  LogAttributes,
  LogLevel,
  UnformattedAttributes,
} from "@aws-lambda-powertools/logger/types";
import type { Metrics } from "./metrics.ts";
import { workKeys } from "./work-log.ts";
import { metricMembers } from "./metric-line.ts";

/**
 * Formats a log line: standard members, keys of the current work, members of the message, metrics.
 */
class LineFormatter extends LogFormatter {
  formatAttributes(attributes: UnformattedAttributes, additional: LogAttributes): LogItem {
    const { logLevel: level, message, timestamp, serviceName: service, xRayTraceId } = attributes;
    const { metrics, ...others } = additional as LogAttributes & {
      readonly metrics?: readonly Metrics[];
    };
    return new LogItem({
      attributes: {
        level,
        message,
        timestamp: this.formatTimestamp(timestamp),
        service,
        xray_trace_id: xRayTraceId,
        ...workKeys(),
        ...others,
        ...metricMembers(metrics ?? [], timestamp),
      },
    });
  }
}

/**
 * Creates the logger of a Lambda function. The logger writes JSON lines, which contain the keys of
 * the current unit of work.
 */
export const serviceLogger = ({
  stage,
  service,
  level,
}: {
  readonly stage: string;
  readonly service: string;
  /** The lowest level that is logged. @default the level of the environment, else INFO */
  readonly level?: LogLevel;
}): Logger =>
  new Logger({
    serviceName: service,
    persistentKeys: { stage },
    logFormatter: new LineFormatter(),
    ...(level === undefined ? {} : { logLevel: level }),
  });
