import { statSync } from "node:fs";
import { DecryptCommand, EncryptCommand, KMSClient } from "@aws-sdk/client-kms";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDataFolder } from "../../../tools/local/data-folder.ts";
import { keyEndpoint } from "../../../tools/local/key-endpoint.ts";
import { serveFrom } from "../../../tools/local/local-server.ts";
import { resolveTemplates } from "../../../tools/local/template.ts";
import { fixtureStacks } from "./fixture-stacks.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const templates = resolveTemplates(fixtureStacks, "http://127.0.0.1:1/000000000000");
const keyId = templates.ofType("AWS::KMS::Key")[0]?.local.ref;
const context = { account: "acct_1", field: "secret" };
const secret = Buffer.from("whsec_canary");

async function clientOn(dir: string): Promise<KMSClient> {
  const folder = openDataFolder(dir, false);
  const server = await serveFrom(0, keyEndpoint(templates, folder));
  folder.release();
  const client = new KMSClient({
    endpoint: server.url,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
  onTestFinished(async () => {
    client.destroy();
    await server.close();
  });
  return client;
}

async function sealed(client: KMSClient): Promise<Uint8Array> {
  const { CiphertextBlob } = await client.send(
    new EncryptCommand({ KeyId: keyId, Plaintext: secret, EncryptionContext: context }),
  );
  return CiphertextBlob ?? new Uint8Array();
}

describe("the local KMS", () => {
  it("decrypts its own ciphertext, even if the encryption context is in another order", async () => {
    const client = await clientOn(temporaryFolder());
    const CiphertextBlob = await sealed(client);

    const opened = await client.send(
      new DecryptCommand({
        CiphertextBlob,
        EncryptionContext: { field: "secret", account: "acct_1" },
      }),
    );

    expect(Buffer.from(opened.Plaintext ?? [])).toEqual(secret);
    expect(Buffer.from(CiphertextBlob).includes(secret)).toBe(false);
  });

  it.each([
    ["another encryption context", { account: "acct_2", field: "secret" }],
    ["no encryption context", undefined],
  ])(
    "refuses to decrypt a ciphertext whose encryption context differs (the request has %s)",
    async (_name, EncryptionContext) => {
      const client = await clientOn(temporaryFolder());
      const CiphertextBlob = await sealed(client);

      await expect(
        client.send(new DecryptCommand({ CiphertextBlob, EncryptionContext })),
      ).rejects.toMatchObject({ name: "InvalidCiphertextException" });
    },
  );

  it("refuses a modified ciphertext", async () => {
    const client = await clientOn(temporaryFolder());
    const CiphertextBlob = await sealed(client);
    CiphertextBlob.set([(CiphertextBlob.at(-1) ?? 0) ^ 1], CiphertextBlob.length - 1);

    await expect(
      client.send(new DecryptCommand({ CiphertextBlob, EncryptionContext: context })),
    ).rejects.toMatchObject({ name: "InvalidCiphertextException" });
  });

  it("returns an error for a key that no template creates", async () => {
    const client = await clientOn(temporaryFolder());

    await expect(
      client.send(new EncryptCommand({ KeyId: "alias/ghost", Plaintext: secret })),
    ).rejects.toMatchObject({ name: "NotFoundException" });
  });

  it("keeps its keys after a restart, in a file that only its owner can read", async () => {
    const dir = temporaryFolder();
    const CiphertextBlob = await sealed(await clientOn(dir));

    const opened = await (
      await clientOn(dir)
    ).send(new DecryptCommand({ CiphertextBlob, EncryptionContext: context }));

    expect(Buffer.from(opened.Plaintext ?? [])).toEqual(secret);
    expect(statSync(`${dir}/keys.json`).mode & 0o777).toBe(0o600);
  });
});
