/** The log lines of functions since the previous `take`. */
export interface Logged {
  readonly lines: number;
  /** The bytes that CloudWatch bills, which include 26 bytes for each log event. */
  readonly bytes: number;
}

/** Counts the log lines and the metrics of functions. */
export interface LogMeter {
  /** Adds output of the functions, which may end within a line. */
  readonly note: (chunk: Buffer) => void;
  /** Returns the log lines since the previous call. */
  take(): Logged;
  /**
   * Returns the number of custom metrics so far. Each combination of a name and dimension values is
   * one metric.
   */
  metrics(): number;
}

const eventBytes = 26;

/** Creates a meter that counts the log lines of the functions and the metrics in these lines. */
export function logMeter(): LogMeter {
  let [lines, bytes, rest] = [0, 0, ""];
  const metrics = new Set<string>();
  return {
    note(chunk) {
      const parts = (rest + chunk.toString()).split("\n");
      rest = parts.pop() ?? "";
      for (const line of parts.filter((part) => part.startsWith("{"))) {
        lines += 1;
        bytes += Buffer.byteLength(line) + eventBytes;
        for (const metric of metricsOf(line)) metrics.add(metric);
      }
    },
    take() {
      const taken = { lines, bytes };
      [lines, bytes] = [0, 0];
      return taken;
    },
    metrics: () => metrics.size,
  };
}

interface EmbeddedMetrics {
  readonly _aws?: {
    readonly CloudWatchMetrics?: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string }[];
    }[];
  };
}

function metricsOf(text: string): string[] {
  const line = JSON.parse(text) as EmbeddedMetrics & Readonly<Record<string, unknown>>;
  return (line._aws?.CloudWatchMetrics ?? []).flatMap(({ Namespace, Dimensions, Metrics }) =>
    Dimensions.flatMap((names) =>
      Metrics.map(({ Name }) =>
        JSON.stringify([Namespace, Name, names.map((name) => [name, line[name]])]),
      ),
    ),
  );
}
