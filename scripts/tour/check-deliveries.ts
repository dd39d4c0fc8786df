import { customerBucketReader } from "../../tools/customer/bucket.ts";
import type { TourClient } from "./clients/tour-client.ts";
import type { Narrator } from "./narrator.ts";
import { eventIn, type ReachableTarget, waitSecondsMax } from "./runs.ts";
import { type Delivery, verifyDelivery } from "./verify-delivery.ts";

/** The prefix of the export in the customer's bucket. */
export const exportPrefix = "tour/";

/**
 * Checks the signatures of deliveries with libraries of other vendors, and with the packaged client.
 * @throws Error if a check fails
 */
export async function checkSignatures(
  { library }: TourClient,
  { deliveries, secret }: { readonly deliveries: readonly Delivery[]; readonly secret: string },
  narrator: Narrator,
): Promise<void> {
  narrator.chapter("Signatures, verified by libraries of other vendors");
  const verdicts = deliveries.map((delivery) => verifyDelivery(delivery, secret));
  narrator.check(
    `stripe accepts all ${deliveries.length} deliveries`,
    verdicts.every((verdict) => verdict.stripe),
  );
  narrator.check(
    `standardwebhooks accepts all ${deliveries.length} deliveries`,
    verdicts.every((verdict) => verdict.standardWebhooks),
  );
  const [first] = deliveries;
  if (first === undefined)
    throw new Error(
      "No webhook delivery arrived at the tour's receiver, so there is no signature to check. Repeat the tour.",
    );
  const changed = { ...first, body: `${first.body} ` };
  const tampered = verifyDelivery(changed, secret);
  narrator.check(
    "both libraries refuse a changed body",
    !tampered.stripe && !tampered.standardWebhooks,
  );
  if (library === undefined) return;
  const accepted = [];
  for (const one of deliveries) accepted.push(await library.accepts(one, [secret]));
  narrator.check(`${library.name} accepts all deliveries`, accepted.every(Boolean));
  narrator.check(
    `${library.name} refuses a changed body`,
    !(await library.accepts(changed, [secret])),
  );
}

/**
 * Waits until the customer's bucket has two manifests. Then checks that the bucket has the event of
 * each of the given webhook deliveries, with the same bytes.
 * @throws Error if a check fails, or if a manifest does not arrive within `waitSecondsMax` seconds.
 */
export async function checkExport(
  { library }: TourClient,
  { deliveries, target }: { readonly deliveries: readonly Delivery[]; target: ReachableTarget },
  narrator: Narrator,
): Promise<void> {
  narrator.chapter("The same events in the bucket");
  const bucket = customerBucketReader(target.bucket.endpoint, target.bucket.name, target.bucket);
  try {
    const keys = await narrator.wait("both manifests", waitSecondsMax, async () => {
      const foundKeys = await bucket.keys();
      return foundKeys.filter((key) => key.endsWith("_manifest.json")).length >= 2
        ? foundKeys
        : undefined;
    });
    for (const key of keys) narrator.note(key);
    for (const delivery of deliveries) {
      const id = String(eventIn(delivery)["id"]);
      const key = keys.find((one) => one.includes(id));
      const line = key === undefined ? "" : await bucket.read(key);
      narrator.check(`the line of ${id} is the webhook's body`, line === `${delivery.body}\n`);
    }
    if (library === undefined) return;
    const events = await library.exported(target.bucket, exportPrefix);
    narrator.check(
      `${library.name} proves both exports complete and reads the same events`,
      sameTexts(
        events.map((event) => JSON.stringify(event)),
        deliveries.map(({ body }) => body),
      ),
    );
  } finally {
    bucket.close();
  }
}

const sameTexts = (one: readonly string[], other: readonly string[]): boolean =>
  JSON.stringify(one.toSorted()) === JSON.stringify(other.toSorted());
