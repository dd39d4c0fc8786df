import { createServer, type Server } from "node:http";
import { once } from "node:events";
import { afterEach, expect, test } from "vitest";
import { answeringAddress, apiAddresses } from "../../../scripts/deploy-smoke/api-address.ts";

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

/**
 * Starts a server that returns 200 to the OpenAPI document below one path, and 404 to all other
 * requests. Returns its address.
 */
async function emulatorServing(path: string): Promise<string> {
  const started = createServer((request, response) => {
    response.writeHead(request.url === `${path}/v1/openapi.json` ? 200 : 404).end("{}");
  }).listen(0, "127.0.0.1");
  server = started;
  await once(started, "listening");
  const address = started.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}`;
}

const apiUrl = "https://a1b2c3d4.execute-api.us-east-1.amazonaws.com/dev/";

test("the smoke test looks up the API of a stack only at the emulator, never at AWS", () => {
  expect(apiAddresses("http://127.0.0.1:4566/", apiUrl)).toEqual([
    "http://127.0.0.1:4566/restapis/a1b2c3d4/dev/_user_request_",
    "http://127.0.0.1:4566/_aws/execute-api/a1b2c3d4/dev",
  ]);
});

test("the smoke test uses the first address that returns the OpenAPI document", async () => {
  const endpoint = await emulatorServing("/_aws/execute-api/a1b2c3d4/dev");
  expect(await answeringAddress(apiAddresses(endpoint, apiUrl))).toBe(
    `${endpoint}/_aws/execute-api/a1b2c3d4/dev`,
  );
});

test("the smoke test fails if no address returns the OpenAPI document, and names each address with its response", async () => {
  const endpoint = await emulatorServing("/elsewhere");
  const looked = answeringAddress([...apiAddresses(endpoint, apiUrl), "http://127.0.0.1:1"]);
  await expect(looked).rejects.toThrow(
    /_user_request_: 404\n.*dev: 404\nhttp:\/\/127\.0\.0\.1:1: /,
  );
});
