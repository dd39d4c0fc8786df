/**
 * Deploys the project with the CDK, runs the tour against it, and removes it. With --from, upgrades
 * from a previous release and back instead of the tour.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Place, Release } from "./deploy-smoke/deployment.ts";
import { simplifyAlarms } from "./deploy-smoke/emulator-templates.ts";
import { ownNamespace } from "./deploy-smoke/namespace.ts";
import { startReceiver } from "./deploy-smoke/receiver.ts";
import { deploySmoke } from "./deploy-smoke/smoke.ts";
import { upgradeSmoke } from "./deploy-smoke/upgrade.ts";
import { prepareWorld } from "./deploy-smoke/world-files.ts";
import { openDataFolder } from "../tools/local/data-folder.ts";
import { type parseOptions, runCommand } from "../tools/command-line/command-line.ts";
import { installPython } from "../tools/python/install.ts";
import { checkOutRelease } from "./release/release-tree.ts";
import { createNarrator } from "./tour/narrator.ts";

const commandLine = {
  name: "npm run deploy:smoke",
  about:
    "Deploys the project with the CDK, runs the tour against it, and removes it. With --from, it deploys\n" +
    "that release, upgrades to this one, rolls back and upgrades again. Runs and calls are in progress\n" +
    "during each deployment, and checks after it show that nothing is lost. Without --endpoint, it\n" +
    "installs an AWS emulator, which needs Python 3 with pip, and a network the first time.\n\n" +
    "An endpoint gets the credentials of the environment (default: test, test). The service sends only\n" +
    "to public addresses: deliveries and exports need --receiver, --receiver-port, --bucket and\n" +
    "--bucket-endpoint, with the variables CUSTOMER_ACCESS_KEY_ID and CUSTOMER_SECRET_ACCESS_KEY.",
  options: {
    from: { type: "string", value: "<git tag>", about: "the release to upgrade from" },
    endpoint: { type: "string", value: "<url>", about: "an endpoint with the APIs of AWS" },
    context: {
      type: "string",
      short: "c",
      value: "<key>=<value>",
      multiple: true,
      about: "CDK context, such as responseMode=buffered for an endpoint that cannot stream",
    },
    "api-url": { type: "string", value: "<url>", about: "the address of the deployed API" },
    "simple-alarms": {
      type: "boolean",
      about: "replaces each alarm on an expression by an alarm on one metric",
    },
    receiver: { type: "string", value: "<url>", about: "a public address of the receiver" },
    "receiver-port": {
      type: "string",
      value: "<port>",
      about: "the port of this machine to which --receiver forwards",
    },
    bucket: { type: "string", value: "<name>", about: "the customer's bucket" },
    "bucket-endpoint": { type: "string", value: "<url>", about: "the S3 endpoint of the bucket" },
  },
  examples: [
    "",
    "--from v0.1.0",
    "--endpoint http://127.0.0.1:4566 -c responseMode=buffered --simple-alarms",
  ],
} as const;
type Values = ReturnType<typeof parseOptions<(typeof commandLine)["options"]>>["values"];

const project = fileURLToPath(new URL("..", import.meta.url));
const cache = fileURLToPath(new URL("../node_modules/.cache/deploy-smoke", import.meta.url));
const requirements = fileURLToPath(new URL("deploy-smoke/requirements.txt", import.meta.url));
const binaries = fileURLToPath(new URL("../node_modules/.bin", import.meta.url));

async function main(values: Values): Promise<number> {
  const { from } = values;
  if (from === undefined) return inWorld(values, null);
  const tree = await checkOutRelease(from, project);
  try {
    return await inWorld(values, { name: from, root: tree.folder });
  } finally {
    await tree.remove();
  }
}

/**
 * Runs the smoke test in a locked data folder, which it empties first. Returns the exit code.
 * @param from the release to upgrade from; null for the tour
 */
async function inWorld(values: Values, from: Release | null): Promise<number> {
  const folder = openDataFolder(join(cache, "world"), true);
  try {
    if (values.endpoint === undefined) return await withEmulator(folder.path, from);
    await againstEndpoint(values.endpoint, values, { folder: folder.path, from });
    return 0;
  } finally {
    folder.release();
  }
}

/**
 * Runs the emulator and its clients in a separate process. The environment of that process contains
 * no variables of the developer.
 */
async function withEmulator(folder: string, from: Release | null): Promise<number> {
  const installed = await installPython({ cache, name: "emulator", requirements });
  if (installed.outcome === "absent") {
    process.stdout.write(
      `The smoke test was not run: the AWS emulator cannot be installed here (${installed.why}).\n`,
    );
    return 0;
  }
  const namespace = await ownNamespace();
  if (namespace.outcome === "unavailable") {
    process.stdout.write(
      `No network namespace is available (${namespace.why}). The service sends to public addresses ` +
        "only, so it cannot reach the receiver and the bucket.\n",
    );
  }
  const isPublic = namespace.outcome === "available";
  const [command, ...words] = [
    ...(isPublic ? namespace.enter : []),
    process.execPath,
    fileURLToPath(new URL("deploy-smoke/emulated.ts", import.meta.url)),
    installed.python,
    isPublic ? "public" : "alone",
  ];
  const previous = from === null ? [] : [from.name, from.root];
  const path = `${binaries}${delimiter}${process.env["PATH"] ?? ""}`;
  const child = spawn(command, [...words, ...previous], {
    env: prepareWorld(folder, { path }),
    // The emulator ends when its input closes. The pipe stays open while this process runs.
    stdio: ["pipe", "inherit", "inherit"],
  });
  const [code]: unknown[] = await once(child, "exit");
  return code === 0 ? 0 : 1;
}

async function againstEndpoint(
  endpoint: string,
  values: Values,
  { folder, from }: { readonly folder: string; readonly from: Release | null },
): Promise<void> {
  const variables = {
    AWS_ENDPOINT_URL: endpoint,
    AWS_ENDPOINT_URL_S3: endpoint,
    ...(process.env["AWS_REGION"] === undefined ? { AWS_REGION: "us-east-1" } : {}),
    ...(process.env["AWS_ACCESS_KEY_ID"] === undefined && process.env["AWS_PROFILE"] === undefined
      ? { AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test" }
      : {}),
  };
  Object.assign(process.env, variables);
  const { context = [] } = values;
  if (context.some((pair) => pair.startsWith("stage="))) {
    throw new Error("The smoke test deploys only the stage dev. Remove -c stage=<stage>.");
  }
  const place = {
    endpoint,
    context,
    apiUrl: values["api-url"]?.replace(/\/+$/, "") ?? null,
    adapt: values["simple-alarms"] === true ? simplifyAlarms : null,
    permissions: null,
    folder,
  };
  const narrator = createNarrator(process.stdout);
  if (from !== null) return upgradeSmoke({ ...place, customer: null }, from, narrator);
  const customer = customerOf(values);
  if (customer === null) return deploySmoke({ ...place, customer }, narrator);
  const receiver = await startReceiver(join(folder, "receiver"), {
    kind: "plain",
    port: customer.port,
  });
  const { url, bucket } = customer;
  try {
    const there = { receiver: { url, controlUrl: receiver.controlUrl }, bucket };
    await deploySmoke({ ...place, customer: there }, narrator);
  } finally {
    await receiver.stop();
  }
}

interface CustomerOutside {
  readonly url: string;
  readonly port: number;
  readonly bucket: NonNullable<Place["customer"]>["bucket"];
}

/**
 * Returns the receiver and bucket of the command line; null if none of their options is present.
 * @throws Error that names the missing options and variables if only some of them are present
 */
function customerOf(values: Values): CustomerOutside | null {
  const { CUSTOMER_ACCESS_KEY_ID: keyId, CUSTOMER_SECRET_ACCESS_KEY: secret } = process.env;
  const {
    receiver: url,
    "receiver-port": port,
    bucket: name,
    "bucket-endpoint": endpoint,
  } = values;
  if ([url, port, name, endpoint].every((value) => value === undefined)) return null;
  if (!url || !port || !name || !endpoint || !keyId || !secret) {
    const needed = {
      "--receiver": url,
      "--receiver-port": port,
      "--bucket": name,
      "--bucket-endpoint": endpoint,
      CUSTOMER_ACCESS_KEY_ID: keyId,
      CUSTOMER_SECRET_ACCESS_KEY: secret,
    };
    const missing = Object.entries(needed).flatMap(([option, value]) => (value ? [] : [option]));
    throw new Error(
      `These settings are missing: ${missing.join(", ")}. Use --receiver, --receiver-port, --bucket and ` +
        "--bucket-endpoint together, and set CUSTOMER_ACCESS_KEY_ID and CUSTOMER_SECRET_ACCESS_KEY.",
    );
  }
  const bucket = { endpoint, name, accessKeyId: keyId, secretAccessKey: secret };
  return { url: url.replace(/\/+$/, ""), port: Number(port), bucket };
}

await runCommand(commandLine, ({ values }) => main(values), { exit: "after the command" });
