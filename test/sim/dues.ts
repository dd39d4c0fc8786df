import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { tableSchema } from "../../shared/base/table-schema.ts";
import type { Attempt } from "./attempt.ts";
import type { Stage } from "./stage.ts";

/** A row of the due index: work that the sweeper has to start. */
export interface Due {
  readonly kind: string;
  /** Time from which the sweeper acts on it, in milliseconds. */
  readonly at: number;
}

/** Delay after which the sweeper acts on a due watchlist. */
const graceMs = 90_000;
const reads: ReadonlySet<string> = new Set(["GetItem", "BatchGetItem", "Query", "Scan"]);

/** Reads the due index; caches it until the service's next write. */
export function dueRows({ client, table }: Stage) {
  const { name, partitionKey, sortKey } = tableSchema.dueIndex;
  let known: Promise<readonly Due[]> | undefined;
  const read = async (): Promise<readonly Due[]> => {
    const { Items = [] } = await client.send(
      new ScanCommand({ TableName: table, IndexName: name }),
    );
    return Items.map((row) => {
      const kind = String(row[partitionKey]).split("#")[0] ?? "";
      const at = Date.parse(String(row[sortKey])) + (kind === "watchlist" ? graceMs : 0);
      return { kind, at };
    }).toSorted((a, b) => a.at - b.at);
  };
  return {
    /** All due rows, earliest first. */
    all: (): Promise<readonly Due[]> => (known ??= read()),
    forget: ({ service, operation }: Attempt): void => {
      if (service === "dynamo" && !reads.has(operation)) known = undefined;
    },
  };
}
