import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { tableSchema } from "../../shared/base/table-schema.ts";
import type { Attempt } from "./attempt.ts";
import type { Stage } from "./stage.ts";

/** Something that somebody has to look at, and from when on. */
export interface Due {
  readonly kind: string;
  /** In milliseconds. */
  readonly at: number;
}

/** The sweeper leaves a due list alone for so long. */
const graceMs = 90_000;
const reads: ReadonlySet<string> = new Set(["GetItem", "BatchGetItem", "Query", "Scan"]);

/** What the index of due rows holds; it is read anew only after the service has written something. */
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
    /** By kind, earliest first. */
    all: (): Promise<readonly Due[]> => (known ??= read()),
    forget: ({ service, operation }: Attempt): void => {
      if (service === "dynamo" && !reads.has(operation)) known = undefined;
    },
  };
}
