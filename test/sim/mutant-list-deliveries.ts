import type { Mutant } from "./mutant.ts";

const outbox = "shared/aws/deliveries/outbox-store.ts";
const claim = "shared/aws/deliveries/outbox-claim.ts";

/** Mutants of the event feed, webhooks, exports and the event bus. */
export const deliveryMutants: readonly Mutant[] = [
  {
    name: "recorded-without-the-lease",
    file: outbox,
    original:
      '(state === undefined ? "" : ", target_state = :state"),\n  ConditionExpression: "lease = :token",',
    replacement:
      '(state === undefined ? "" : ", target_state = :state"),\n  ConditionExpression: "attribute_exists(pk) OR lease = :token",',
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "released-without-the-lease",
    file: outbox,
    original: '"lease = :token AND additions = :additions"',
    replacement: '"(attribute_exists(pk) OR lease = :token) AND additions = :additions"',
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "released-despite-new-entries",
    file: outbox,
    original: '"lease = :token AND additions = :additions"',
    replacement: '"lease = :token AND additions >= :additions"',
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "entry-copy-used-beside-other-entries",
    file: claim,
    original: "wasEmptied && additions === 1 && copy",
    replacement: "wasEmptied && additions >= 1 && copy",
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "small-run-published-without-its-archive",
    file: "shared/aws/publishing/publications.ts",
    original: "...(small === null ? [] : [",
    replacement: "...(small !== undefined ? [] : [",
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "outbox-claimed-beside-its-holder",
    file: claim,
    original: "OR lease_until <= :now OR lease = :token)",
    replacement: "OR lease_until <= :now OR attribute_exists(lease) OR lease = :token)",
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "failures-forgotten-between-leases",
    file: "shared/outbox/drain.ts",
    original: "await open(target, claimed.state)",
    replacement: "await open(target, undefined)",
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "number-of-requests-at-once-ignored",
    file: "shared/webhooks/endpoint.ts",
    original: "endpoint?.requestsAtOnce ?? limits.webhookRequestsAtOnce.default",
    replacement: "(endpoint?.requestsAtOnce === 0 ? 0 : limits.webhookRequestsAtOnce.default)",
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "one-request-more-at-once",
    file: "shared/outbox/drain.ts",
    original: "Array.from({ length: parallel }, track)",
    replacement: "Array.from({ length: parallel + 1 }, track)",
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "retries-omitted-from-the-entry-list",
    file: "shared/outbox/entry-list.ts",
    original: "for (const entry of added) known",
    replacement: "for (const entry of added.slice(1)) known",
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "entries-of-others-omitted-from-the-entry-list",
    file: "shared/outbox/entry-list.ts",
    original: '    forget() {\n      known = "unread";',
    replacement: "    forget() {\n      void known;",
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "later-lane-not-read",
    file: outbox,
    original: "const next = remaining.map(",
    replacement: 'const next = remaining.filter(({ lane }) => lane === "first").map(',
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "logged-delivery-sent-again",
    file: "shared/webhooks/first-attempts.ts",
    original: 'const remaining = wanted.filter((_, n) => !known.has(ids[n] ?? ""));',
    replacement:
      'const remaining = wanted.filter((_, n) => known.size > wanted.length || (ids[n] ?? "") !== "");',
    detectedBy: { testFile: "test/shared/webhooks/webhook-session.test.ts" },
  },
  {
    name: "body-serialized-again-for-a-retry",
    file: "shared/webhooks/retry-delivery.ts",
    original: "return gzip === null ? null : unpackBody(gzip);",
    replacement:
      "return gzip === null ? null : Buffer.from(JSON.stringify(JSON.parse(Buffer.from(unpackBody(gzip)).toString()), null, 1));",
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "body-changed-after-signing",
    file: "shared/webhooks/delivery-attempt.ts",
    original: "const result = await connection.send({ headers, body });",
    replacement:
      'const result = await connection.send({ headers, body: Buffer.concat([body, Buffer.from(" ")]) });',
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "replaced-secret-never-expires",
    file: "shared/webhooks/endpoint.ts",
    original:
      "return previous !== null && Date.parse(previous.expiresAt) > now.getTime() ? previous : null;",
    replacement:
      "return previous !== null && Date.parse(previous.expiresAt) > 0 ? previous : now && null;",
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "replaced-secret-signs-without-overlap",
    file: "shared/webhooks/rotate-secret.ts",
    original: "overlap ? { sealed: before.secret, expiresAt } : null",
    replacement: "overlap || expiresAt ? { sealed: before.secret, expiresAt } : null",
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "disabled-endpoint-sent-to",
    file: "shared/webhooks/receiver.ts",
    original: 'return endpoint.enabled ? null : "endpoint_disabled";',
    replacement: 'return endpoint.enabled || endpoint.url ? null : "endpoint_disabled";',
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "unsent-attempt-counted",
    file: "shared/webhooks/delivery.ts",
    original: "attemptCount: attempt.attempt ?? delivery.attemptCount,",
    replacement: "attemptCount: delivery.attemptCount + 1,",
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "gone-receiver-stays-enabled",
    file: "shared/webhooks/endpoint-health.ts",
    original: 'if (isGone(attempt)) return "gone";',
    replacement: "if (isGone(attempt)) return null;",
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "gone-receiver-retried",
    file: "shared/webhooks/delivery.ts",
    original: "const statusGone = 410;",
    replacement: "const statusGone = 404;",
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "random-export-key",
    file: "shared/exports/object-key.ts",
    original: "${number}-${object.type}",
    replacement: "${number}-${Math.random()}-${object.type}",
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "export-in-the-current-format",
    file: "shared/exports/export-run.ts",
    original: "const compression = record.compression ?? destination.compression;",
    replacement: "const { compression } = destination;",
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "manifest-without-the-rows-that-failed",
    file: "shared/exports/write-run.ts",
    original: 'if (rows.outcome !== "written") return { record, ...rows };',
    replacement: 'if (rows.outcome === "expired") return { record, ...rows };',
    detectedBy: { testFile: "test/shared/exports/write-rows.test.ts" },
  },
  {
    name: "rows-of-delisted-items-left-out",
    file: "shared/exports/write-rows.ts",
    original: "rows.push(...changeRows(",
    replacement: "if (rows.length === 0) rows.push(...changeRows(",
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "format-forgotten-by-a-backfill",
    file: "shared/exports/export-record.ts",
    original: "  compression: record.compression,\n",
    replacement: "",
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "manifest-before-the-objects",
    file: "shared/exports/write-run.ts",
    original: "  const objects = await writeObjects(subject, writing);\n",
    replacement:
      "  await writeManifest(subject, writing.bodies);\n  const objects = await writeObjects(subject, writing);\n",
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "secret-in-a-header",
    file: "shared/webhooks/delivery-attempt.ts",
    original: "const headers = requestHeaders(delivery, { number, at, signature });",
    replacement:
      'const headers = { ...requestHeaders(delivery, { number, at, signature }), "Service-Key": secrets[0] ?? "" };',
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "replaced-secret-expires-too-soon",
    file: "shared/webhooks/rotate-secret.ts",
    original: "limits.secretOverlapSeconds * 1_000",
    replacement: "limits.secretOverlapSeconds * 10",
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "events-before-the-endpoint-recovered",
    file: "shared/webhooks/recover-deliveries.ts",
    original: "webhookEndpointId !== null || createdAt >= endpoint.createdAt",
    replacement: 'webhookEndpointId !== null || createdAt >= ""',
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "refused-event-of-the-bus-forgotten",
    file: "shared/event-bus/send-run.ts",
    original: "failed: [...progress.failed, ...failed],",
    replacement: "failed: failed.slice(0, 0).concat(progress.failed),",
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "rest-of-a-run-forgotten-after-a-failed-call-of-the-bus",
    file: "shared/event-bus/bus-outbox.ts",
    original: "[...failed, ...remaining].toSorted",
    replacement: "[...failed, ...remaining.slice(remaining.length)].toSorted",
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "body-serialized-again-for-the-bus",
    file: "shared/event-bus/send-run.ts",
    original: "const body = Buffer.from(unpackBody(gzip)).toString();",
    replacement:
      "const body = JSON.stringify(JSON.parse(Buffer.from(unpackBody(gzip)).toString()), null, 1);",
    detectedBy: { scenario: "deliveries" },
  },
  {
    name: "snapshot-file-that-no-manifest-lists",
    file: "shared/exports/write-run.ts",
    original: "const files = { rows: rows.file, snapshot: snapshot.file };",
    replacement: "const files = { rows: rows.file, snapshot: null };",
    detectedBy: { scenario: "deliveries" },
  },
];
