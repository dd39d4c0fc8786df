import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { RandomSource, Clock } from "../../base/clock.ts";
import type { Outbox } from "../../outbox/outbox.ts";
import { retryOnConflict, transactWrites } from "../table/dynamo.ts";
import { additionWrites, wakeUpdate } from "./outbox-writes.ts";

/** The deliveries table, with the clock and the random source for pauses before retries. */
export interface DynamoOutboxBase {
  readonly tableName: string;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/** Creates an outbox for functions that add entries and wake targets but do not drain them. */
export function dynamoOutbox(client: DynamoDBDocumentClient, options: DynamoOutboxBase): Outbox {
  const { tableName } = options;
  return {
    async add(target, entries) {
      if (entries.length === 0) return;
      await transactWrites(client, additionWrites(tableName, target, entries), options);
    },
    async wake(target, now) {
      const command = new UpdateCommand(wakeUpdate(tableName, target, { at: now }));
      await retryOnConflict(options, () => client.send(command));
    },
  };
}
