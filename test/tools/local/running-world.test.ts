import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { connectToWorld } from "../../../tools/local/running-world.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const environment = { ...process.env };
afterEach(() => {
  process.env = { ...environment };
});

const ready = {
  base_url: "http://127.0.0.1:1",
  dynamodb_endpoint: "http://127.0.0.1:2",
  sqs_endpoint: "http://127.0.0.1:3",
  s3_endpoint: "http://127.0.0.1:4",
  scheduler_endpoint: "http://127.0.0.1:5",
  kms_endpoint: "http://127.0.0.1:6",
  accounts_table: "a",
  ledger_table: "l",
  watchlists_table: "w",
  deliveries_table: "d",
};

it("a command that connects to a running local world gets its tables, and uses its endpoints", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "ready.json"), JSON.stringify(ready));
  expect(connectToWorld(folder)).toEqual({
    baseUrl: ready.base_url,
    tables: { accounts: "a", ledger: "l", watchlists: "w", deliveries: "d" },
  });
  expect(process.env).toMatchObject({
    AWS_ENDPOINT_URL_DYNAMODB: ready.dynamodb_endpoint,
    AWS_ENDPOINT_URL_SQS: ready.sqs_endpoint,
    AWS_ENDPOINT_URL_S3: ready.s3_endpoint,
    AWS_ENDPOINT_URL_SCHEDULER: ready.scheduler_endpoint,
    AWS_ENDPOINT_URL_KMS: ready.kms_endpoint,
  });
});

it.each([
  ["lacks the file ready.json", undefined],
  ["has a file ready.json without the names of the tables", { base_url: ready.base_url }],
])("a command that connects to a data folder that %s fails with instructions", (_, content) => {
  const folder = temporaryFolder();
  if (content !== undefined) writeFileSync(join(folder, "ready.json"), JSON.stringify(content));
  expect(() => connectToWorld(folder)).toThrow(
    /^No local world uses .*ready\.json cannot be read\. Start one with npm start/,
  );
});
