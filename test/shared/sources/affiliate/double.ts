import { generateKeyPairSync, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { type ApiCall, type ApiDouble, type ApiReaction, startApiDouble } from "../api-double.ts";

const keys = generateKeyPairSync("rsa", {
  modulusLength: 2_048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});

export const consumerId = "consumer-0451";
export const keyVersion = "3";
export const { privateKey } = keys;
/** Maximum age of a signature in milliseconds. */
const signatureMsMax = 180_000;

export interface AffiliateCall extends ApiCall {
  readonly ids: readonly string[];
}

/**
 * Starts a local server in the role of the affiliate API. It rejects wrong and old signatures.
 * `react` chooses the response to every other call.
 */
export async function startAffiliateDouble(
  react: (call: AffiliateCall) => ApiReaction,
): Promise<ApiDouble> {
  return startApiDouble((call) => {
    if (!isSigned(call)) return { status: 401, body: { details: { Description: "not signed" } } };
    return react({ ...call, ids: call.query.get("ids")?.split(",") ?? [] });
  });
}

function isSigned({ headers }: ApiCall): boolean {
  const consumer = String(headers["wm_consumer.id"]);
  const timestamp = String(headers["wm_consumer.intimestamp"]);
  const version = String(headers["wm_sec.key_version"]);
  const signature = Buffer.from(String(headers["wm_sec.auth_signature"]), "base64");
  const text = Buffer.from(`${consumer}\n${timestamp}\n${version}\n`);
  return (
    consumer === consumerId &&
    version === keyVersion &&
    /^\d{13}$/.test(timestamp) &&
    Math.abs(Date.now() - Number(timestamp)) < signatureMsMax &&
    verify("sha256", text, keys.publicKey, signature)
  );
}

type Item = Readonly<Record<string, unknown>>;

const recorded = (
  JSON.parse(
    readFileSync(new URL("../../../fixtures/affiliate/items.json", import.meta.url), "utf8"),
  ) as { items: readonly Item[] }
).items;

/**
 * Returns the item at an index of the hand-written reply in `test/fixtures/affiliate`; an empty
 * item beyond its end.
 */
export const sampleItem = (place: number): Item => recorded[place] ?? {};

/** Builds an item that is in stock, as a reply of the affiliate API contains it. */
export const anItem = (id: string, fields: Item = {}): Item => ({
  itemId: Number(id),
  name: `Kelwick Lamp ${id}`,
  salePrice: 19.99,
  marketplace: false,
  stock: "Available",
  availableOnline: true,
  ...fields,
});

/** Returns a reply with an item for each requested ID. */
export const allItems = ({ ids }: AffiliateCall): ApiReaction => ({
  body: { items: ids.map((id) => anItem(id)) },
});
