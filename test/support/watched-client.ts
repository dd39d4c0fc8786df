import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

type Command = Parameters<DynamoDBDocumentClient["send"]>[0];
type Send = () => Promise<unknown>;

/**
 * Wraps a client. `around` receives each request and may send it, drop it, or return a fake
 * response. The result of `around` is the response.
 */
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
