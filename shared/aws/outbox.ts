import {
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import type { Chance, Clock } from "../base/clock.ts";
import type { Outbox } from "../outbox/outbox.ts";
import { cancellationReasons, isContention, pastTransactions, untilSettled } from "./dynamo.ts";
import { additionWrites, wakeUpdate, type Write } from "./outbox-writes.ts";

export interface DynamoOutboxBase {
  readonly tableName: string;
  readonly clock: Clock;
  readonly chance: Chance;
}

/** Outboxes for whoever owes something and works nothing off. */
export function dynamoOutbox(client: DynamoDBDocumentClient, options: DynamoOutboxBase): Outbox {
  const { tableName } = options;
  return {
    async add(target, entries) {
      if (entries.length === 0) return;
      await transactWrites(client, additionWrites(tableName, target, entries), options);
    },
    async wake(target, now) {
      const command = new UpdateCommand(wakeUpdate(tableName, target, now));
      await pastTransactions(options, () => client.send(command));
    },
  };
}

/** True when the writes took effect; false when the condition of one did not hold. */
export function transactWrites(
  client: DynamoDBDocumentClient,
  writes: readonly Write[],
  patience: { readonly clock: Clock; readonly chance: Chance },
): Promise<boolean> {
  return untilSettled(patience, async () => {
    try {
      await client.send(new TransactWriteCommand({ TransactItems: [...writes] }));
      return true;
    } catch (error) {
      const reasons = cancellationReasons(error);
      if (reasons === undefined) throw error;
      if (isContention(reasons)) return "again";
      if (!reasons.some((reason) => reason?.code === "ConditionalCheckFailed")) throw error;
      return false;
    }
  });
}
