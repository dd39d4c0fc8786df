import { GetSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { GetParameterCommand } from "@aws-sdk/client-ssm";
import { expect, it, vi } from "vitest";
import { ssmParameters } from "../../../../shared/aws/sources/parameters.ts";
import { secretReader, type SecretStores } from "../../../../shared/aws/sources/secret-reader.ts";
import { secretsManagerSecrets } from "../../../../shared/aws/sources/secrets-manager.ts";
import type { SecretReader } from "../../../../shared/base/secret-reader.ts";
import { systemClock } from "../../../../shared/base/system.ts";

const canary = "canary-secret-41bd";
const secretArn = "arn:aws:secretsmanager:us-east-1:123456789012:secret:sources/d-AbCdEf";
const parameterArn = "arn:aws:ssm:us-east-1:123456789012:parameter/sources/d";

type Answer = () => Promise<unknown>;
let asked: unknown[] = [];
let nowMs = 0;
const clock = { ...systemClock, now: () => new Date(nowMs) };
const store = (answer: Answer) => ({
  send: (command: { readonly input: unknown }) => {
    asked.push(command);
    return answer();
  },
});

function readerOf(answer: Answer, variables?: SecretStores["variables"]): SecretReader {
  asked = [];
  nowMs = 0;
  const client = store(answer) as never;
  return secretReader({
    secretsManager: secretsManagerSecrets(client),
    parameters: ssmParameters(client),
    ...(variables && { variables }),
    clock,
  });
}
const refusal = (reading: Promise<string>): Promise<Error> =>
  reading.then(
    () => expect.unreachable("it was read"),
    (error: unknown) => error as Error,
  );

it("the secret reader reads a secret of Secrets Manager", async () => {
  const reader = readerOf(() => Promise.resolve({ SecretString: canary }));
  expect(await reader.read(secretArn)).toBe(canary);
  expect(asked[0]).toBeInstanceOf(GetSecretValueCommand);
  expect(asked[0]).toMatchObject({ input: { SecretId: secretArn } });
});

it.each([parameterArn, "/sources/d"])(
  "the secret reader reads and decrypts a parameter by its ARN or name: %s",
  async (name) => {
    const reader = readerOf(() => Promise.resolve({ Parameter: { Value: canary } }));
    expect(await reader.read(name)).toBe(canary);
    expect(asked[0]).toBeInstanceOf(GetParameterCommand);
    expect(asked[0]).toMatchObject({ input: { Name: name, WithDecryption: true } });
  },
);

it.each(["\n", "\r\n", "\n\n"])(
  "the secret reader removes the trailing line break %j from a secret",
  async (end) => {
    const reader = readerOf(() => Promise.resolve({ SecretString: `${canary}\n${canary}${end}` }));
    expect(await reader.read(secretArn)).toBe(`${canary}\n${canary}`);
  },
);

it("the secret reader returns an empty secret for a secret of only line breaks", async () => {
  const reader = readerOf(() => Promise.resolve({ SecretString: "\n" }));
  expect((await refusal(reader.read(secretArn))).message).toContain("is empty");
});

it("the secret reader caches a secret for five minutes, and shares one request among parallel reads", async () => {
  const reader = readerOf(() => Promise.resolve({ SecretString: canary }));
  await Promise.all([reader.read(secretArn), reader.read(secretArn)]);
  nowMs = 299_999;
  await reader.read(secretArn);
  expect(asked).toHaveLength(1);
  nowMs = 300_000;
  await reader.read(secretArn);
  expect(asked).toHaveLength(2);
});

it("the secret reader does not cache a failed read, but reads the secret again", async () => {
  let isDown = true;
  const reader = readerOf(() =>
    isDown ? Promise.reject(new Error("down")) : Promise.resolve({ SecretString: canary }),
  );
  await refusal(reader.read(secretArn));
  isDown = false;
  expect(await reader.read(secretArn)).toBe(canary);
});

it("the errors of the secret reader contain the reference of the secret, and never the message of the secret store", async () => {
  const quoting = Object.assign(new Error(`bad value ${canary}`), { name: "ValidationException" });
  const failed = await refusal(readerOf(() => Promise.reject(quoting)).read(secretArn));
  expect(failed.message).toBe(
    `The secret ${secretArn} could not be read (ValidationException). Check that it exists and that the function may read it.`,
  );
  expect(failed.cause).toBeUndefined();
  const empty = await refusal(readerOf(() => Promise.resolve({})).read(secretArn));
  expect(empty.message).toBe(`The secret ${secretArn} is empty. Store its value.`);
});

it("the secret reader does not quote an invalid secret reference in its error", async () => {
  const failed = await refusal(readerOf(() => Promise.resolve({})).read(canary));
  expect(failed.message).not.toContain(canary);
});

it("the secret reader ignores environment variables that were set after its creation", async () => {
  const nothing: Answer = () => Promise.resolve({});
  expect(await readerOf(nothing, { KEY: canary }).read("env:KEY")).toBe(canary);
  vi.stubEnv("KEY", canary);
  const failed = await refusal(readerOf(nothing).read("env:KEY"));
  vi.unstubAllEnvs();
  expect(failed.message).toContain("env:KEY could not be read");
});
