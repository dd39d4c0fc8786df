import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

type Command = Parameters<DynamoDBDocumentClient["send"]>[0];
type Send = () => Promise<unknown>;

/** Wraps a client so that `around` controls each request: it may send, drop or fake it. */
export function watchedClient(
  client: DynamoDBDocumentClient,
  around: (command: Command, send: Send) => Promise<unknown>,
): DynamoDBDocumentClient {
  return new Proxy(client, {
    get(target, name) {
      if (name !== "send") return Reflect.get(target, name) as unknown;
      return (command: Command) => around(command, () => target.send(command));
    },
  });
}
