import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export type Cdk = (...words: string[]) => Promise<void>;

const root = fileURLToPath(new URL("../..", import.meta.url));
const cli = fileURLToPath(new URL("../../node_modules/aws-cdk/bin/cdk", import.meta.url));
const linesShown = 40;

/**
 * Creates a function that runs the CDK's command line with the environment of this process. Writes
 * the output to a file. If a command fails, throws an error with the end of the output.
 */
export function cdkCommands(logFile: string): Cdk {
  return async (...words) => {
    const log = createWriteStream(logFile, { flags: "a" });
    await once(log, "open");
    const child = spawn(process.execPath, [cli, ...words], {
      cwd: root,
      env: { ...process.env, CI: "true", CDK_DISABLE_CLI_TELEMETRY: "1" },
      stdio: ["ignore", log, log],
    });
    const [code]: unknown[] = await once(child, "exit");
    log.close();
    if (code === 0) return;
    const lastLines = readFileSync(logFile, "utf8").trimEnd().split("\n").slice(-linesShown);
    throw new Error(
      `cdk ${words[0]} failed (${String(code)}); ${logFile} ends:\n${lastLines.join("\n")}`,
    );
  };
}
