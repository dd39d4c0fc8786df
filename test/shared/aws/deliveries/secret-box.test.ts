import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KMSClient } from "@aws-sdk/client-kms";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DataFolder, openDataFolder } from "../../../../tools/local/data-folder.ts";
import { keyEndpoint } from "../../../../tools/local/key-endpoint.ts";
import type { ResolvedTemplates } from "../../../../tools/local/template.ts";
import { kmsSecretBox } from "../../../../shared/aws/deliveries/secret-box.ts";
import { secretBoxContract } from "../../../contracts/secret-box.contract.ts";
import { memorySecretBox } from "../../../../tools/stand-ins/memory-secret-box.ts";
import { fixedClock } from "../../../support/clock.ts";

describe("the secret box in memory", () => {
  secretBoxContract(memorySecretBox);
});

describe("the secret box with a KMS key", () => {
  let server: Server;
  let folder: DataFolder;
  let client: KMSClient;
  let calls = 0;
  const keyId = "11111111-2222-3333-4444-555555555555";
  const dir = mkdtempSync(join(tmpdir(), "keys-"));
  const clock = fixedClock("2026-11-20T10:00:00.000Z");

  beforeAll(async () => {
    folder = openDataFolder(dir, false);
    const key = { local: { ref: keyId, attributes: { Arn: `arn:aws:kms:local:${keyId}` } } };
    const templates = {
      ofType: (type: string) => (type === "AWS::KMS::Key" ? [key] : []),
    } as unknown as ResolvedTemplates;
    const listener = keyEndpoint(templates, folder);
    server = createServer((request, response) => {
      calls += 1;
      listener(request, response);
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    client = new KMSClient({
      endpoint: `http://127.0.0.1:${port}`,
      region: "us-east-1",
      credentials: { accessKeyId: "test", secretAccessKey: "test" },
    });
  });

  afterAll(async () => {
    client.destroy();
    await new Promise((resolve) => server.close(resolve));
    folder.release();
    rmSync(dir, { recursive: true, force: true });
  });

  secretBoxContract(() => kmsSecretBox(client, { keyId, clock }));

  it("caches a decrypted secret for five minutes", async () => {
    const box = kmsSecretBox(client, { keyId, clock });
    const context = { account: "acct_1", record: "we_1", field: "secret" };
    const ciphertext = await box.seal("whsec_canary", context);
    await box.open(ciphertext, context);
    const before = calls;

    clock.advance(5 * 60 * 1_000 - 1);
    await box.open(ciphertext, context);
    expect(calls - before).toBe(0);

    clock.advance(1);
    await box.open(ciphertext, context);
    expect(calls - before).toBe(1);
  });
});
