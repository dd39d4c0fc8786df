import { setImmediate as yielded } from "node:timers/promises";
import { CreateTableCommand, DeleteTableCommand } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { tableDefinition } from "../../tools/local/table-definition.ts";
import { startDynamoInMemory } from "../support/dynamodb.ts";
import { engineClient } from "../support/engine-wire.ts";
import { useSmallBounds } from "./small-bounds.ts";
import type { Stage } from "./stage.ts";

export interface Engine {
  /** Creates the table of one seed. The function `end` of the result deletes the table. */
  stage(): Promise<Stage & { end(): Promise<void> }>;
  stop(): Promise<void>;
}

/**
 * Starts a DynamoDB engine for the seeds of this process, which run in sequence. Lowers the limits
 * of the service in this process (see `useSmallBounds`).
 */
export async function startEngine(): Promise<Engine> {
  useSmallBounds();
  const { endpoint, stop } = await startDynamoInMemory();
  const base = engineClient(endpoint);
  const requests = { inFlight: 0 };
  base.middlewareStack.add(
    (next) => async (args) => {
      requests.inFlight += 1;
      try {
        return await next(args);
      } finally {
        requests.inFlight -= 1;
      }
    },
    { step: "initialize", name: "countInFlight" },
  );
  const client = DynamoDBDocumentClient.from(base, {
    marshallOptions: { removeUndefinedValues: true },
  });
  let made = 0;
  return {
    async stage() {
      made += 1;
      const table = `seed-${made}`;
      await base.send(new CreateTableCommand(tableDefinition(table)));
      return {
        endpoint,
        client,
        table,
        async idle() {
          // The code that waits for a response runs before the next turn of the event loop, and may
          // send another request.
          do await yielded();
          while (requests.inFlight > 0);
        },
        async end() {
          await base.send(new DeleteTableCommand({ TableName: table }));
        },
      };
    },
    async stop() {
      base.destroy();
      await stop();
    },
  };
}
