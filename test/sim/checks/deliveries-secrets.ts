import assert from "node:assert/strict";
import { capturedLog } from "../captured-log.ts";
import type { DeliveryScene, RecordedCall } from "../scenarios/deliveries-scene.ts";
import { allRows } from "./table-rows.ts";

/**
 * Checks that a secret appears only in the response to its creation or rotation (invariant D8).
 * @throws Error if a check fails
 */
export async function checkSecrets(scene: DeliveryScene): Promise<void> {
  const { world, users, history, given, recorded } = scene;
  const signing = [...history.endpoints.values()].flatMap(({ states }) =>
    states.flatMap(({ value }) => (value === null ? [] : [value.secret])),
  );
  const secrets = [...new Set([...signing, ...given, ...users.map(({ key }) => key)])];
  const absent = (text: string, where: string): void => {
    for (const secret of secrets) assert.ok(!text.includes(secret), `a secret in ${where}`);
  };
  for (const { text } of capturedLog()) absent(text, `the log: ${text}`);
  for (const line of world.tasks.trace) absent(line, "the trace");
  for (const body of world.queues.bodies) absent(body, "a message");
  for (const { url, headers, body } of world.receivers.sent) {
    absent(`${url} ${JSON.stringify(headers)} ${body}`, `a request to ${url}`);
  }
  for (const row of await allRows(world)) absent(JSON.stringify(row), `row ${row.pk} ${row.sk}`);
  for (const one of recorded) {
    const shown = shownBy(one);
    const { text = "" } = one.answer ?? {};
    absent(shown === null ? text : text.replace(shown, "…"), `the answer to ${one.request.path}`);
    // The service must sign with the returned secret.
    if (shown !== null)
      assert.ok(
        signing.includes(shown),
        `the secret in the response to ${one.request.path} never signs`,
      );
    if (shown !== null) checkOverlap(one);
  }
}

const day = 24 * 60 * 60_000;
const clocksOffMs = 10 * 60_000;

/**
 * Checks that a rotation with overlap, which is the default, keeps the replaced secret valid for a
 * day (invariant D4).
 */
function checkOverlap({ request, answer }: RecordedCall): void {
  if (!request.path.endsWith("/rotate")) return;
  const { overlap = true } = (request.body ?? {}) as { readonly overlap?: boolean };
  const { previous_secret_expires_at: until, updated_at: at } = answer?.body ?? {};
  assert.equal(
    typeof until === "string",
    overlap,
    `${request.path}: overlap of the replaced secret`,
  );
  if (!overlap) return;
  const offMs = Date.parse(String(until)) - Date.parse(String(at)) - day;
  // `updated_at` is never before the time of the previous change. If a process whose clock is ahead
  // made that change, `updated_at` is later than the time of the rotation.
  assert.ok(
    Math.abs(offMs) <= clocksOffMs,
    `${request.path}: valid until ${String(until)}, not for a day`,
  );
}

/** Returns the secret that a response contains; null if it contains none. */
function shownBy({ request, answer }: RecordedCall): string | null {
  const { method, path } = request;
  const isNew = method === "POST" && /^\/v1\/webhook_endpoints(\/\w+\/rotate)?$/.test(path);
  if (!isNew || answer === undefined || answer.status >= 300) return null;
  return String(answer.body?.["secret"]);
}
