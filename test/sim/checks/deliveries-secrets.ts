import assert from "node:assert/strict";
import { said } from "../said.ts";
import type { DeliveryScene, HeardAnswer } from "../scenarios/deliveries-scene.ts";
import { allRows } from "./deliveries-endpoint.ts";

/** Secrets appear nowhere but in the one answer that shows a new one. */
export async function checkSecrets(scene: DeliveryScene): Promise<void> {
  const { world, users, history, given, heard } = scene;
  const signing = [...history.endpoints.values()].flatMap(({ states }) =>
    states.flatMap(({ value }) => (value === null ? [] : [value.secret])),
  );
  const secrets = [...new Set([...signing, ...given, ...users.map(({ key }) => key)])];
  const absent = (text: string, where: string): void => {
    for (const secret of secrets) assert.ok(!text.includes(secret), `a secret in ${where}`);
  };
  for (const { text } of said()) absent(text, `the log: ${text}`);
  for (const line of world.turns.trace) absent(line, "the trace");
  for (const body of world.queues.bodies) absent(body, "a message");
  for (const { url, headers, body } of world.receivers.sent) {
    absent(`${url} ${JSON.stringify(headers)} ${body}`, `a request to ${url}`);
  }
  for (const row of await allRows(world))
    absent(JSON.stringify(row), `row ${String(row["pk"])} ${String(row["sk"])}`);
  for (const one of heard) {
    const shown = shownBy(one);
    const { text = "" } = one.answer ?? {};
    absent(shown === null ? text : text.replace(shown, "…"), `the answer to ${one.request.path}`);
    // What a user was told is what signs.
    if (shown !== null) assert.ok(signing.includes(shown), `the secret of ${one.request.path}`);
    if (shown !== null) checkOverlap(one);
  }
}

const day = 24 * 60 * 60_000;
const clocksOffMs = 10 * 60_000;

/** The replaced secret signs on only where that was asked for, by default, and for a day. */
function checkOverlap({ request, answer }: HeardAnswer): void {
  if (!request.path.endsWith("/rotate")) return;
  const { overlap = true } = (request.body ?? {}) as { readonly overlap?: boolean };
  const { previous_secret_expires_at: until, updated_at: at } = answer?.body ?? {};
  assert.equal(typeof until === "string", overlap, `${request.path}: the replaced secret signs on`);
  if (!overlap) return;
  const offMs = Date.parse(String(until)) - Date.parse(String(at)) - day;
  // A change is dated after the one before it, whose process had another clock.
  assert.ok(Math.abs(offMs) <= clocksOffMs, `${request.path}: until ${String(until)}, for a day`);
}

/** The new secret of an endpoint, which is shown this once. */
function shownBy({ request, answer }: HeardAnswer): string | null {
  const { method, path } = request;
  const isNew = method === "POST" && /^\/v1\/webhook_endpoints(\/\w+\/rotate)?$/.test(path);
  if (!isNew || answer === undefined || answer.status >= 300) return null;
  return String(answer.body?.["secret"]);
}
