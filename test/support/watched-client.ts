import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

type Command = Parameters<DynamoDBDocumentClient["send"]>[0];
type Send = () => Promise<unknown>;

/** A client whose every request passes through `around`, which may send it, or not, or lie about it. */
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
