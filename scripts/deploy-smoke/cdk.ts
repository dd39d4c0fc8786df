import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Runs the CDK's command line in the folder of a release, with the packages of that release. */
export type Cdk = (root: string, ...words: string[]) => Promise<void>;

const linesShown = 40;

/**
 * Creates a function that runs the CDK's command line with the environment of this process. Appends
 * the output to `logFile`. If a command fails, throws an error with the end of the output.
 */
export function cdkCommands(logFile: string): Cdk {
  return async (root, ...words) => {
    const log = createWriteStream(logFile, { flags: "a" });
    await once(log, "open");
    const child = spawn(process.execPath, [join(root, "node_modules/aws-cdk/bin/cdk"), ...words], {
      cwd: root,
      env: { ...process.env, CI: "true", CDK_DISABLE_CLI_TELEMETRY: "1" },
      stdio: ["ignore", log, log],
    });
    const [code]: unknown[] = await once(child, "exit");
    log.close();
    if (code === 0) return;
    const lastLines = readFileSync(logFile, "utf8").trimEnd().split("\n").slice(-linesShown);
    throw new Error(
      `cdk ${words[0]} failed with exit code ${String(code)}. Fix the cause that the end of ${logFile} shows:\n${lastLines.join("\n")}`,
    );
  };
}
