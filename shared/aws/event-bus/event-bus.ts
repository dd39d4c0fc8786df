import {
  type EventBridgeClient,
  PutEventsCommand,
  type PutEventsResultEntry,
} from "@aws-sdk/client-eventbridge";
import { busSource, type EventBus, type PutOutcome } from "../../event-bus/event-bus.ts";

/**
 * Creates the access to an EventBridge bus. `client` retries failed calls. An entry that
 * EventBridge rejects in a successful call is not retried: its outcome is `failed`. `put` never
 * rejects: after a failed call, the outcome of every entry is `failed`.
 */
export function eventBridgeBus(
  client: EventBridgeClient,
  { busName }: { readonly busName: string },
): EventBus {
  return {
    async put(entries) {
      const command = new PutEventsCommand({
        Entries: entries.map(({ type, createdAt, watchlistId, detail }) => ({
          EventBusName: busName,
          Source: busSource,
          DetailType: type,
          Detail: detail,
          Resources: [watchlistId],
          Time: new Date(createdAt),
        })),
      });
      try {
        const { Entries: results = [] } = await client.send(command);
        return entries.map((_, n) => outcomeOf(results[n]));
      } catch (error) {
        const reason = error instanceof Error ? error.name : "unknown";
        return entries.map(() => ({ outcome: "failed", reason }));
      }
    },
  };
}

/** An entry is on the bus only if the bus gave it an ID. */
const outcomeOf = (result: PutEventsResultEntry | undefined): PutOutcome =>
  result?.EventId === undefined
    ? { outcome: "failed", reason: result?.ErrorCode ?? "no_answer" }
    : { outcome: "sent" };
