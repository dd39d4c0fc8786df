import { createHash, createHmac } from "node:crypto";
import * as v from "valibot";
import type { DeployedResource } from "./stacks.ts";

/**
 * Returns the warnings and errors in the functions' logs, one line each. Errors that a function
 * handles appear only there.
 */
export async function warningsOf(
  endpoint: string,
  resources: readonly DeployedResource[],
): Promise<{ readonly lines: readonly string[]; readonly read: number }> {
  const groups = resources.filter(({ type }) => type === "AWS::Logs::LogGroup");
  const lines: string[] = [];
  let read = 0;
  for (const { physicalId } of groups) {
    const messages = await messagesOf(endpoint, physicalId);
    read += messages.length;
    lines.push(...messages.filter((message) => /"level":"(?:WARN|ERROR|CRITICAL)"/.test(message)));
  }
  return { lines, read };
}

/**
 * Returns true if a function has written to its log.
 * @param name the prefix of the logical IDs of the function's resources
 */
export async function hasLogged(
  endpoint: string,
  resources: readonly DeployedResource[],
  name: string,
): Promise<boolean> {
  const group = resources.find(
    ({ type, logicalId }) => type === "AWS::Logs::LogGroup" && logicalId.startsWith(name),
  );
  if (group === undefined) {
    throw new Error(`The deployment has no log group whose logical ID begins with ${name}.`);
  }
  return (await messagesOf(endpoint, group.physicalId)).length > 0;
}

async function messagesOf(endpoint: string, logGroupName: string): Promise<string[]> {
  const messages: string[] = [];
  let nextToken: string | undefined;
  do {
    const page = await filterLogEvents(endpoint, { logGroupName, nextToken });
    messages.push(...page.events.map(({ message }) => message));
    nextToken = page.nextToken;
  } while (nextToken !== undefined);
  return messages;
}

const logPage = v.object({
  events: v.array(v.object({ message: v.string() })),
  nextToken: v.optional(v.string()),
});
type LogPage = v.InferOutput<typeof logPage>;

/**
 * Signs and sends a request (Signature Version 4), because the project has no client for CloudWatch
 * Logs.
 */
async function filterLogEvents(endpoint: string, input: unknown): Promise<LogPage> {
  const url = new URL("/", endpoint);
  const body = JSON.stringify(input);
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
  const headers = {
    "content-type": "application/x-amz-json-1.1",
    host: url.host,
    "x-amz-date": time,
    "x-amz-target": "Logs_20140328.FilterLogEvents",
  };
  const { host: _host, ...sent } = headers;
  const authorization = authorizationOf(headers, body);
  const response = await fetch(url, { method: "POST", headers: { ...sent, authorization }, body });
  if (!response.ok) throw new Error(`The logs cannot be read: ${await response.text()}`);
  return v.parse(logPage, await response.json());
}

function authorizationOf(headers: Readonly<Record<string, string>>, body: string): string {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION = "us-east-1" } = process.env;
  const time = headers["x-amz-date"] ?? "";
  const names = Object.keys(headers);
  const lines = names.map((name) => `${name}:${headers[name]}\n`).join("");
  const request = ["POST", "/", "", lines, names.join(";"), sha256(body)].join("\n");
  const parts = [time.slice(0, 8), AWS_REGION, "logs", "aws4_request"];
  const text = ["AWS4-HMAC-SHA256", time, parts.join("/"), sha256(request)].join("\n");
  let key: string | Buffer = `AWS4${AWS_SECRET_ACCESS_KEY}`;
  for (const part of [...parts, text]) key = createHmac("sha256", key).update(part).digest();
  const credential = `${AWS_ACCESS_KEY_ID}/${parts.join("/")}`;
  return `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(";")}, Signature=${key.toString("hex")}`;
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
