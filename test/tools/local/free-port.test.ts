import { once } from "node:events";
import { createServer } from "node:net";
import { expect, it } from "vitest";
import { freePort } from "../../../tools/local/free-port.ts";

it("freePort returns a port at which a new server can listen", async () => {
  const port = await freePort();
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  expect(server.address()).toMatchObject({ port });
  server.close();
});
