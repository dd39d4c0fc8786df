import { once } from "node:events";
import { createServer } from "node:net";

/** Returns a TCP port of 127.0.0.1 that no server uses at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new Error(
      "The operating system did not assign a free TCP port. Close some connections, then try again.",
    );
  server.close();
  await once(server, "close");
  return address.port;
}
