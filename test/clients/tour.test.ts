import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { root } from "../../scripts/clients/document.ts";
import { installClientPython } from "../../scripts/clients/python.ts";
import { startContractWorld } from "../../tools/contract/world.ts";
import { localCustomer } from "../../tools/customer/bucket.ts";
import type { World } from "../../tools/local/world.ts";
import { tour } from "./tour.ts";

let world: World;
beforeAll(async () => {
  world = await startContractWorld();
});
afterAll(() => world.stop());

const expected = {
  statuses: ["ok", "ok", "ok", "not_found"],
  refused: ["INVALID_PARAM", "ids[0]"].join(" "),
  tested: true,
  "price changed": true,
  "feed equals deliveries": true,
  redelivery: "pending",
  "export equals feed": true,
  "ledger equals balance": true,
  deleted: "NOT_FOUND ",
};

it("the TypeScript client reads products, watches them, and gets the same events from webhooks, the feed and the export", async () => {
  expect(await tour(world)).toEqual(expected);
});

const python = await installClientPython();
if (python.outcome === "absent")
  process.stdout.write(`The tour with the Python client did not run: ${python.why}\n`);
it.skipIf(python.outcome === "absent")(
  "the Python client reads products, watches them, and gets the same events from webhooks, the feed and the export",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "tour-"));
    const { receiverUrl, customerBucket: bucket, bucketEndpoint } = world;
    const rpd = [process.execPath, join(root, "clients/typescript/source/rpd.ts")];
    const download = ["export", "download", "--bucket", bucket, "--endpoint", bucketEndpoint];
    const variables = {
      RPD_API_KEY: world.apiKey,
      RPD_BASE_URL: world.baseUrl,
      PYTHONPATH: join(root, "clients/python"),
      PYTHONDONTWRITEBYTECODE: "1",
      AWS_ACCESS_KEY_ID: localCustomer.accessKeyId,
      AWS_SECRET_ACCESS_KEY: localCustomer.secretAccessKey,
      WORLD: JSON.stringify({
        receiverUrl,
        customerBucket: bucket,
        bucketEndpoint,
        ...localCustomer,
      }),
      DOWNLOAD: JSON.stringify([...rpd, ...download, "--prefix", "python/", "--to", folder]),
    };
    try {
      const { stdout } = await promisify(execFile)(
        python.outcome === "installed" ? python.python : "",
        [join(root, "test/clients/tour.py"), folder],
        { env: { ...process.env, ...variables } },
      );
      expect(JSON.parse(stdout)).toEqual(expected);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
