/**
 * Runs the smoke test against an emulator. `deploy-smoke.ts` starts it with the environment
 * variables of `prepareWorld`. Arguments:
 * - the path of the Python interpreter that runs the emulator
 * - `public` if this process is in a network namespace with a public address, otherwise `alone`
 * - for an upgrade, the name and the folder of the previous release
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { CreateBucketCommand } from "@aws-sdk/client-s3";
import { customerClient } from "../../tools/customer/bucket.ts";
import { createNarrator } from "../tour/narrator.ts";
import { grantGaps, revokeGaps } from "./emulator-permissions.ts";
import { shortenVisibility, simplifyAlarms } from "./emulator-templates.ts";
import { startEmulator } from "./emulator.ts";
import { worldFiles } from "./world-files.ts";
import { publicAddress } from "./namespace.ts";
import { startReceiver } from "./receiver.ts";
import type { Place, Release } from "./deployment.ts";
import { deploySmoke } from "./smoke.ts";
import { upgradeSmoke } from "./upgrade.ts";

/**
 * The credentials of the customer. The emulator treats an account number as the access key of its
 * root user, so the customer has a separate account.
 */
const customerKey = { accessKeyId: "222222222222", secretAccessKey: "smoke" };
const customerBucketName = "customer-exports";

async function main(python: string, isPublic: boolean, from: Release | null): Promise<void> {
  const { HOME: folder = "" } = process.env;
  const narrator = createNarrator(process.stdout);
  const files = worldFiles(folder);
  const address = isPublic ? publicAddress : null;
  const emulator = await startEmulator({ ...files, python, address });
  narrator.note(`an emulator at ${emulator.endpoint}, which checks signatures, policies and TLS`);
  process.env["AWS_ENDPOINT_URL"] = emulator.endpoint;
  process.env["AWS_ENDPOINT_URL_S3"] = emulator.endpoint;
  try {
    const place = {
      endpoint: emulator.endpoint,
      context: ["responseMode=buffered"],
      apiUrl: null,
      adapt: simplifyAlarms,
      permissions: { grant: grantGaps, revoke: revokeGaps },
      folder,
    };
    if (from !== null) {
      await upgradeSmoke({ ...place, adapt: adaptForUpgrade, customer: null }, from, narrator);
    } else {
      // Only this deployment sets `eventBus`. An upgrade does not, because the previous release may
      // not accept this context value.
      const context = [...place.context, "eventBus=on"];
      await withCustomer({ folder, isPublic, port: emulator.port }, (customer) =>
        deploySmoke({ ...place, context, customer }, narrator),
      );
    }
  } finally {
    await emulator.stop();
  }
}

/**
 * Adapts the templates for an upgrade, which also needs short visibility timeouts. The emulator
 * ends invocations when the code changes, and the message of an ended invocation stays invisible
 * until its timeout.
 */
const adaptForUpgrade = (assembly: string): string =>
  `${simplifyAlarms(assembly)}\n    ${shortenVisibility(assembly)}`;

/**
 * Starts the customer's receiver, creates the customer's bucket, and calls `visit` with both. Stops
 * the receiver afterward. Without a public address, the service cannot reach a customer, so
 * `visit` gets null.
 */
async function withCustomer(
  { folder, isPublic, port }: { folder: string; isPublic: boolean; port: number },
  visit: (customer: Place["customer"]) => Promise<void>,
): Promise<void> {
  if (!isPublic) return visit(null);
  const receiver = await startReceiver(join(folder, "receiver"), {
    kind: "tls",
    address: publicAddress,
  });
  const endpoint = `https://[${publicAddress}]:${port}`;
  const client = customerClient({ endpoint, ...customerKey });
  try {
    await client.send(new CreateBucketCommand({ Bucket: customerBucketName }));
    await visit({
      receiver: {
        url: `https://[${publicAddress}]:${receiver.port}`,
        controlUrl: receiver.controlUrl,
      },
      bucket: { endpoint, name: customerBucketName, ...customerKey },
    });
  } finally {
    client.destroy();
    await receiver.stop();
  }
}

// The input closes when the parent process ends, and then this process ends, too.
process.stdin.resume().once("end", () => process.exit(1));
const [python = "", reach, name, root] = process.argv.slice(2);
mkdirSync(process.env["TMPDIR"] ?? "", { recursive: true });
const from = name === undefined || root === undefined ? null : { name, root };
await main(python, reach === "public", from).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
