import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { tableSchema } from "../../shared/base/table-schema.ts";
import type { Attempt } from "./attempt.ts";
import type { Stage } from "./stage.ts";

/** A row of the due index. It is work that the sweeper must start. */
export interface Due {
  readonly kind: string;
  /** The virtual time from which the sweeper handles the row, in milliseconds. */
  readonly at: number;
}

/** The time between the due time of a watchlist and its start by the sweeper, in milliseconds. */
const graceMs = 90_000;
const reads: ReadonlySet<string> = new Set(["GetItem", "BatchGetItem", "Query", "Scan"]);

/** Creates a reader of the due index. It caches the rows until the next write by the service. */
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
    /** Returns all due rows, earliest first. */
    all: (): Promise<readonly Due[]> => (known ??= read()),
    /** Clears the cache after an attempt that may have changed the rows. */
    forget: ({ service, operation }: Attempt): void => {
      if (service === "dynamo" && !reads.has(operation)) known = undefined;
    },
  };
}
