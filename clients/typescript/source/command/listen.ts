import { createHmac, randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Event } from "../events.ts";
import { verifyWebhook } from "../webhooks.ts";
import { required, textOf, UsageError, type Values } from "./arguments.ts";
import type { Command } from "./command.ts";
import { feed, feedOptions } from "./feed.ts";
import type { Output } from "./output.ts";

const attemptsDefault = 5;
const firstDelayMs = 500;
const forwardSecondsMax = 15;

export const listen: Command = {
  name: "listen",
  about:
    "Sends each event to a local server, signed as a webhook. The server needs no public address. Prints the secret with which the server can verify the signatures. Ends with an error if the server does not accept an event.",
  options: {
    forward: { type: "string", value: "<url>", about: "the address of your server (required)" },
    secret: { type: "string", value: "<secret>", about: "the signing secret (default: random)" },
    cursor: {
      type: "string",
      value: "<file>",
      about: "stores the ID of the last accepted event; the next start continues after this event",
    },
    attempts: {
      type: "string",
      value: "<number>",
      about: `attempts to send an event (default: ${attemptsDefault})`,
    },
    ...feedOptions,
  },
  examples: [
    "listen --forward http://localhost:3000",
    "listen --forward http://localhost:3000 --cursor ./events.cursor",
  ],
  async run({ client, values, output, signal }) {
    const target = targetOf(values, signal);
    const cursor = cursorOf(textOf(values, "cursor"));
    const start = textOf(values, "after") ?? cursor.load() ?? new Date().toISOString();
    cursor.store(start);
    output.warn(
      `Forwarding events after ${start} to ${target.url}, signed with ${target.secret}\n`,
    );
    let last = start;
    try {
      for await (const event of feed(client(), { ...values, after: start }, { output, signal })) {
        const status = await forward(event, target, output);
        // Stores the position only after the response. If the command stops before it stores the
        // position, the restart sends this event again.
        cursor.store(event.id);
        last = event.id;
        await output.write(`${new Date().toISOString()}  ${status}  ${event.type}  ${event.id}\n`);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      if (textOf(values, "cursor") === undefined) output.warn(`Continue with --after ${last}\n`);
    }
  },
};

interface Target {
  readonly url: string;
  readonly secret: string;
  readonly attempts: number;
  readonly signal: AbortSignal;
}

function targetOf(values: Values, signal: AbortSignal): Target {
  const url = required(values, "forward");
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw new UsageError(`--forward must be an http or https URL (got "${url}").`);
  const attempts = Number(textOf(values, "attempts") ?? attemptsDefault);
  if (!Number.isSafeInteger(attempts) || attempts < 1)
    throw new UsageError(
      `--attempts must be an integer of at least 1 (got "${textOf(values, "attempts")}").`,
    );
  const secret = textOf(values, "secret") ?? `whsec_${randomBytes(24).toString("base64")}`;
  if (secret.trim() === "")
    throw new UsageError("--secret must not be empty. Leave it out to use a new secret.");
  return { url, secret, attempts, signal };
}

/**
 * Returns functions that load and store the position in a feed: the ID of the last forwarded event.
 * `load` returns undefined if no position is stored. Without a file, `store` does nothing.
 */
const cursorOf = (file: string | undefined) => ({
  load(): string | undefined {
    if (file === undefined || !existsSync(file)) return undefined;
    const position = readFileSync(file, "utf8").trim();
    if (position === "")
      throw new UsageError(
        `The file ${file} of --cursor must contain an event ID, but it is empty. Delete the file to start with new events.`,
      );
    return position;
  },
  store(position: string): void {
    if (file === undefined) return;
    // Writes a new file, and then renames it to the name of the position file. If the process is
    // killed, the position file therefore contains either the old or the new position.
    writeFileSync(`${file}.new`, `${position}\n`);
    renameSync(`${file}.new`, file);
  },
});

/**
 * Sends an event until the server accepts it. Returns the status.
 * @throws Error with the last failure after the last attempt
 */
async function forward(event: Event, target: Target, output: Output): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const { status, failure } = await send(event, target);
    if (failure === undefined) return status;
    if (attempt === target.attempts)
      throw new Error(
        `The server ${target.url} did not accept the event ${event.id}: ${failure}. Start or correct your server, then start rpd again.`,
      );
    output.warn(`${event.id}: ${failure}; attempt ${attempt} of ${target.attempts}\n`);
    await delay(firstDelayMs * 2 ** (attempt - 1), undefined, { signal: target.signal });
  }
}

interface Sent {
  readonly status: number;
  readonly failure?: string;
}

/**
 * Signs an event, verifies the signature as a receiver does, and sends the event once. Returns
 * `failure` unless the response has a 2xx status. The status is 0 if there was no response.
 * @throws the reason of `signal` if it is aborted
 */
async function send(event: Event, { url, secret, signal }: Target): Promise<Sent> {
  const body = JSON.stringify(event);
  const time = Math.floor(Date.now() / 1_000);
  const mac = createHmac("sha256", secret).update(`${time}.${body}`).digest("hex");
  const headers = {
    "content-type": "application/json",
    "service-event-type": event.type,
    "service-signature": `t=${time},v1=${mac}`,
  };
  verifyWebhook(body, headers, secret);
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(forwardSecondsMax * 1_000)]);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers,
      body,
      signal: timeout,
      redirect: "manual",
    });
    await response.body?.cancel();
    const { status, ok } = response;
    return ok ? { status } : { status, failure: `it returned HTTP status ${status}` };
  } catch (error) {
    signal.throwIfAborted();
    return { status: 0, failure: failureOf(error) };
  }
}

function failureOf(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: string } };
  if (name === "TimeoutError") return `no response within ${forwardSecondsMax} s`;
  return cause?.code === "ECONNREFUSED"
    ? "no server listens at this address"
    : `no response (${cause?.code ?? String(error)})`;
}
