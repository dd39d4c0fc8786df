import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testCertificate } from "./certificate.ts";

/** The paths of the emulator's certificate, key and log. */
export interface WorldFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly logFile: string;
}

/** Returns the paths of the emulator's files in its folder. */
export const worldFiles = (folder: string): WorldFiles => ({
  certificateFile: join(folder, "certificate.pem"),
  keyFile: join(folder, "key.pem"),
  logFile: join(folder, "emulator.log"),
});

/**
 * Creates `folder` with the certificate and key of the emulator. Returns the environment variables
 * for child processes, which then use only the emulator.
 * @param options.path the value of `PATH` for the child processes
 */
export function prepareWorld(
  folder: string,
  { path }: { readonly path: string },
): Readonly<Record<string, string>> {
  const { certificateFile, keyFile } = worldFiles(folder);
  const temporary = join(folder, "tmp");
  mkdirSync(temporary, { recursive: true });
  writeFileSync(certificateFile, testCertificate.cert);
  writeFileSync(keyFile, testCertificate.key, { mode: 0o600 });
  return {
    PATH: path,
    // With a separate home folder and no other variables, the processes use no profiles, proxies or
    // caches of the developer.
    HOME: folder,
    TMPDIR: temporary,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "smoke",
    NODE_EXTRA_CA_CERTS: certificateFile,
    // The CDK reads the certificate from this variable.
    AWS_CA_BUNDLE: certificateFile,
  };
}
