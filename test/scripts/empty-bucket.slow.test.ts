import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { ListObjectsV2Command, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { startFauxqs } from "fauxqs";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runScript } from "../support/run-script.ts";

const bucket = "event-bodies";
const dataStack = "RetailProductData-prod-data";
const serviceStack = "RetailProductData-prod-service";

/** The stacks that exist, by name. The value is true for a protected stack. */
const stacks = new Map<string, boolean>();
let formation: Server;
let fauxqs: Awaited<ReturnType<typeof startFauxqs>>;
let s3: S3Client;
let environment: Readonly<Record<string, string>>;

/** Returns CloudFormation's response to a request that describes a stack. */
function describeStacks(name: string): { readonly status: number; readonly body: string } {
  const isProtected = stacks.get(name);
  if (isProtected === undefined) {
    const message = `Stack with id ${name} does not exist`;
    return {
      status: 400,
      body: `<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>${message}</Message></Error></ErrorResponse>`,
    };
  }
  const output = `<member><OutputKey>EventsBucketName</OutputKey><OutputValue>${bucket}</OutputValue></member>`;
  return {
    status: 200,
    body: `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>${name}</StackName><EnableTerminationProtection>${isProtected}</EnableTerminationProtection><Outputs>${output}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
  };
}

beforeAll(async () => {
  fauxqs = await startFauxqs({ port: 0, logger: false });
  fauxqs.createBucket(bucket);
  formation = createServer((request, response) => {
    void text(request).then((form) => {
      const { status, body } = describeStacks(new URLSearchParams(form).get("StackName") ?? "");
      response.writeHead(status, { "content-type": "text/xml" }).end(body);
    });
  }).listen(0, "127.0.0.1");
  await once(formation, "listening");
  const store = `http://127.0.0.1:${fauxqs.port}`;
  environment = {
    AWS_ENDPOINT_URL_S3: store,
    AWS_ENDPOINT_URL_CLOUDFORMATION: `http://127.0.0.1:${(formation.address() as AddressInfo).port}`,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
  };
  s3 = new S3Client({
    endpoint: store,
    forcePathStyle: true,
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
});
afterAll(async () => {
  s3.destroy();
  formation.close();
  await fauxqs.stop();
});
beforeEach(async () => {
  stacks.clear();
  for (const key of ["a/1", "a/2", "b"]) {
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: "x" }));
  }
});

const left = async (): Promise<number> =>
  (await s3.send(new ListObjectsV2Command({ Bucket: bucket }))).KeyCount ?? 0;

async function run(...given: readonly string[]): Promise<{ code: unknown; output: string }> {
  const env = { PATH: process.env["PATH"] ?? "", ...environment };
  const { code, out, err } = await runScript("scripts/empty-bucket.ts", given, { env });
  return { code, output: out + err };
}

describe("npm run empty-bucket", () => {
  it("deletes every object when the data stack is unprotected and no service stack exists", async () => {
    stacks.set(dataStack, false);
    expect(await run("--stage", "prod")).toEqual({
      code: 0,
      output: `Deleted 3 objects of ${bucket}.\n`,
    });
    expect(await left()).toBe(0);
    expect((await run("--stage", "prod")).output).toBe(`Deleted 0 objects of ${bucket}.\n`);
  });

  it.each([
    [
      "a protected data stack",
      [[dataStack, true]],
      `first deploy it with -c unprotect=${dataStack}`,
    ],
    [
      "a running service, which could still write",
      [
        [dataStack, false],
        [serviceStack, false],
      ],
      `npx cdk destroy ${serviceStack} -c stage=prod`,
    ],
    [
      "a stack that does not exist",
      [],
      `There is no stack ${dataStack} in this AWS account and region`,
    ],
  ] as const)(
    "deletes no object if this is not allowed (there is %s), and explains what to do",
    async (_, there, advice) => {
      for (const [name, isProtected] of there) stacks.set(name, isProtected);
      const { code, output } = await run("--stage", "prod");
      expect(code).toBe(1);
      expect(output).toContain(advice);
      expect(await left()).toBe(3);
    },
    30_000,
  );

  it("refuses an unknown stage, and names the known stages", async () => {
    expect(await run("--stage", "test")).toEqual({
      code: 1,
      output: '--stage must be dev or prod (got "test").\n',
    });
  });
});
