import type { Mutant } from "./mutant.ts";

const outbox = "shared/aws/deliveries/outbox-store.ts";

/** Mutants of the event feed, webhooks and exports. */
export const deliveryMutants: readonly Mutant[] = [
  {
    name: "recorded-without-the-lease",
    file: outbox,
    says: '(state === undefined ? "" : ", target_state = :state"),\n      ConditionExpression: "lease = :token",',
    instead:
      '(state === undefined ? "" : ", target_state = :state"),\n      ConditionExpression: "attribute_exists(pk) OR lease = :token",',
    scenario: "deliveries",
  },
  {
    name: "outbox-claimed-beside-its-holder",
    file: outbox,
    says: "OR lease_until <= :now OR lease = :token)",
    instead: "OR lease_until <= :now OR attribute_exists(lease) OR lease = :token)",
    scenario: "deliveries",
  },
  {
    name: "failures-forgotten-between-leases",
    file: "shared/outbox/drain.ts",
    says: "await open(target, claimed.state)",
    instead: "await open(target, undefined)",
    scenario: "deliveries",
  },
  {
    name: "later-lane-not-looked-at",
    file: outbox,
    says: "const next = [...(first ?? []), ...(later ?? [])]",
    instead: "const next = [...(first ?? later ?? [])]",
    scenario: "deliveries",
  },
  {
    name: "sent-what-the-log-knows",
    file: "shared/webhooks/first-attempts.ts",
    says: 'remaining.push(...some.filter((_, n) => !known.has(ids[n] ?? "")));',
    instead:
      'remaining.push(...some.filter((_, n) => known.size > some.length || (ids[n] ?? "") !== ""));',
    scenario: "deliveries",
  },
  {
    name: "body-made-anew-at-a-retry",
    file: "shared/webhooks/retry-delivery.ts",
    says: "return gzip === null ? null : unpackBody(gzip);",
    instead:
      "return gzip === null ? null : Buffer.from(JSON.stringify(JSON.parse(Buffer.from(unpackBody(gzip)).toString()), null, 1));",
    scenario: "deliveries",
  },
  {
    name: "signed-before-a-change",
    file: "shared/webhooks/delivery-attempt.ts",
    says: "const result = await connection.send({ headers, body });",
    instead:
      'const result = await connection.send({ headers, body: Buffer.concat([body, Buffer.from(" ")]) });',
    scenario: "deliveries",
  },
  {
    name: "old-secret-signs-for-ever",
    file: "shared/webhooks/endpoint.ts",
    says: "return previous !== null && Date.parse(previous.expiresAt) > now.getTime() ? previous : null;",
    instead:
      "return previous !== null && Date.parse(previous.expiresAt) > 0 ? previous : now && null;",
    scenario: "deliveries",
  },
  {
    name: "old-secret-signs-without-overlap",
    file: "shared/webhooks/rotate-secret.ts",
    says: "overlap ? { sealed: before.secret, expiresAt } : null",
    instead: "overlap || expiresAt ? { sealed: before.secret, expiresAt } : null",
    scenario: "deliveries",
  },
  {
    name: "disabled-endpoint-sent-to",
    file: "shared/webhooks/delivery-attempt.ts",
    says: 'return endpoint.enabled ? null : "endpoint_disabled";',
    instead: 'return endpoint.enabled || endpoint.url ? null : "endpoint_disabled";',
    scenario: "deliveries",
  },
  {
    name: "attempt-counted-that-never-left",
    file: "shared/webhooks/delivery.ts",
    says: "attemptCount: attempt.attempt ?? delivery.attemptCount,",
    instead: "attemptCount: delivery.attemptCount + 1,",
    scenario: "deliveries",
  },
  {
    name: "gone-receiver-stays-enabled",
    file: "shared/webhooks/endpoint-health.ts",
    says: 'if (isGone(attempt)) return "gone";',
    instead: "if (isGone(attempt)) return null;",
    scenario: "deliveries",
  },
  {
    name: "gone-receiver-tried-again",
    file: "shared/webhooks/delivery.ts",
    says: "const statusGone = 410;",
    instead: "const statusGone = 404;",
    scenario: "deliveries",
  },
  {
    name: "export-key-by-chance",
    file: "shared/exports/object-key.ts",
    says: "${number}-${object.type}",
    instead: "${number}-${Math.random()}-${object.type}",
    scenario: "deliveries",
  },
  {
    name: "export-in-the-format-of-today",
    file: "shared/exports/export-run.ts",
    says: "const compression = record.compression ?? destination.compression;",
    instead: "const { compression } = destination;",
    scenario: "deliveries",
  },
  {
    name: "format-forgotten-by-a-backfill",
    file: "shared/exports/export-record.ts",
    says: "  compression: record.compression,\n",
    instead: "",
    scenario: "deliveries",
  },
  {
    name: "manifest-before-the-objects",
    file: "shared/exports/write-run.ts",
    says: "  const objects = await writeObjects(subject, writing);\n",
    instead:
      "  await writeManifest(subject, writing.bodies);\n  const objects = await writeObjects(subject, writing);\n",
    scenario: "deliveries",
  },
  {
    name: "secret-in-a-header",
    file: "shared/webhooks/delivery-attempt.ts",
    says: "const headers = requestHeaders(delivery, { number, at, signature });",
    instead:
      'const headers = { ...requestHeaders(delivery, { number, at, signature }), "Service-Key": secrets[0] ?? "" };',
    scenario: "deliveries",
  },
  {
    name: "old-secret-for-a-quarter-of-an-hour",
    file: "shared/webhooks/rotate-secret.ts",
    says: "limits.secretOverlapSeconds * 1_000",
    instead: "limits.secretOverlapSeconds * 10",
    scenario: "deliveries",
  },
  {
    name: "recovered-what-was-before-it",
    file: "shared/webhooks/recover-deliveries.ts",
    says: "webhookEndpointId !== null || createdAt >= endpoint.createdAt",
    instead: 'webhookEndpointId !== null || createdAt >= ""',
    scenario: "deliveries",
  },
];
