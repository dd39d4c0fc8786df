import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { fileURLToPath } from "node:url";
import { testCertificate } from "../../../scripts/deploy-smoke/certificate.ts";
import { startEmulator } from "../../../scripts/deploy-smoke/emulator.ts";
import { prepareWorld, worldFiles } from "../../../scripts/deploy-smoke/world-files.ts";
import { installPython } from "../../../tools/python/install.ts";

/** A running AWS emulator, which checks signatures and policies. */
export interface EmulatedAws {
  /** The configuration of SDK clients with the credentials of the account's root user. */
  readonly config: {
    readonly endpoint: string;
    readonly region: string;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  };
  /** The environment of child processes that use the emulator. */
  readonly variables: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
}

const root = new URL("../../../", import.meta.url);

/**
 * Starts the AWS emulator that the smoke test uses. If it cannot be installed on this machine,
 * prints the reason and returns undefined.
 */
export async function startEmulatedAws(): Promise<EmulatedAws | undefined> {
  const installed = await installPython({
    cache: fileURLToPath(new URL("node_modules/.cache/deploy-smoke", root)),
    name: "emulator",
    requirements: fileURLToPath(new URL("scripts/deploy-smoke/requirements.txt", root)),
  });
  if (installed.outcome === "absent") {
    process.stdout.write(`The AWS emulator cannot be installed here: ${installed.why}\n`);
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), "emulated-aws-"));
  const variables = prepareWorld(folder, { path: process.env["PATH"] ?? "" });
  // The emulator has a self-signed certificate.
  setDefaultCACertificates([...getCACertificates(), testCertificate.cert]);
  const { python } = installed;
  const emulator = await startEmulator({ ...worldFiles(folder), python, address: null });
  const { AWS_ACCESS_KEY_ID: accessKeyId = "", AWS_SECRET_ACCESS_KEY: secretAccessKey = "" } =
    variables;
  const { endpoint } = emulator;
  return {
    config: {
      endpoint,
      region: "us-east-1",
      credentials: { accessKeyId, secretAccessKey },
    },
    variables: { ...variables, AWS_ENDPOINT_URL: endpoint },
    async stop() {
      await emulator.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
