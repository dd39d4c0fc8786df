import * as v from "valibot";
import { invalidParam, missingParam } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { didYouMean } from "../base/nearest.ts";
import { formatValue, addRefusedValue } from "../base/shown-value.ts";
import {
  isVisibleText,
  lengthOf,
  visibleNamePattern,
  visiblePattern,
  visibleText,
} from "../base/visible-text.ts";
import { type Metadata, metadataKeyPattern } from "../pipelines/definition.ts";
import type { Platform } from "../platforms/catalog.ts";
import { parseItemId } from "../platforms/item-id.ts";
import type { GivenLabels } from "./item-details.ts";

const {
  labelLengthMax,
  metadataKeysMax,
  metadataKeyLengthMax,
  metadataValueLengthMax,
  metadataBytesMax,
} = limits.itemLabels;

/** Schema of one string with IDs that newlines or commas separate. */
const joined = v.pipe(
  v.string(),
  v.transform((text) => text.split(/\r\n|[\r\n,]/)),
);

/**
 * Creates the schema of item IDs in a body: an array, or one string with IDs separated by newlines
 * or commas. For an array with an entry that is not a string, parsing throws an error 400 that
 * names the first such entry.
 */
export const idList = (param: string): v.GenericSchema<unknown, string[]> =>
  v.union([v.array(v.string()), joined], ({ input }) => refusal(param, input));

/**
 * Returns the message for a value that is neither a string nor an array.
 * @throws 400 that names the first entry of an array that is not a string
 */
function refusal(param: string, input: unknown): string {
  if (!Array.isArray(input)) {
    return (
      `'${param}' must be an array of item IDs, or one string with IDs separated by newlines or ` +
      `commas (got ${formatValue(input)}).`
    );
  }
  const place = input.findIndex((id) => typeof id !== "string");
  const at = `${param}[${place}]`;
  throw invalidParam(
    at,
    `'${at}' must be a string (got ${formatValue(input[place])}). Put IDs in quotes.`,
  );
}

const keyMessage = (key: string): string =>
  `The key ${formatValue(key)} of 'metadata' must have 1 to ${metadataKeyLengthMax} characters: ` +
  "lower-case letters, digits and '_'. Rename it.";

/** Returns the reason why a value cannot be stored as metadata; undefined if it can. */
function valueFault(key: string, value: unknown): string | undefined {
  const name = `'metadata.${key}'`;
  if (typeof value === "boolean") return undefined;
  if (typeof value === "number") {
    return Number.isFinite(value)
      ? undefined
      : `${name} must be a finite number (got ${formatValue(String(value))}).`;
  }
  if (typeof value !== "string") {
    return `${name} must be a string, a number, true or false (got ${formatValue(value)}).`;
  }
  if (lengthOf(value) > metadataValueLengthMax) {
    return `${name} must have at most ${metadataValueLengthMax} characters (got ${lengthOf(value)}). Shorten it.`;
  }
  return isVisibleText(value)
    ? undefined
    : `${name} must not contain control characters, characters that change the direction of ` +
        "writing, or unpaired surrogates. Remove them.";
}

/**
 * Returns the reason why a key with its value cannot be stored as metadata; undefined if they can.
 */
const entryFault = (key: string, value: unknown): string | undefined =>
  metadataKeyPattern.test(key) ? valueFault(key, value) : keyMessage(key);

const isObject = (input: unknown): boolean =>
  typeof input === "object" && input !== null && !Array.isArray(input);

/** Schema of metadata. `v.record` would ignore some keys, such as `constructor`. */
const metadataBody = v.pipe(
  v.custom<Readonly<Record<string, unknown>>>(
    isObject,
    addRefusedValue("'metadata' must be an object, or null."),
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const input = dataset.value;
    for (const [key, value] of Object.entries(input)) {
      const message = entryFault(key, value);
      if (message === undefined) continue;
      return addIssue({ message, path: [{ type: "object", origin: "value", input, key, value }] });
    }
    const keys = Object.keys(input).length;
    if (keys > metadataKeysMax) {
      return addIssue({
        message: `'metadata' must have at most ${metadataKeysMax} keys (got ${keys}). Remove some.`,
      });
    }
    const bytes = Buffer.byteLength(JSON.stringify(input));
    if (bytes > metadataBytesMax) {
      addIssue({
        message:
          `'metadata' must have at most ${metadataBytesMax} bytes as JSON in UTF-8 (got ${bytes}). ` +
          "Remove keys or shorten values.",
      });
    }
  }),
  v.metadata({
    type: "object",
    maxProperties: metadataKeysMax,
    patternProperties: {
      [metadataKeyPattern.source]: {
        anyOf: [
          { type: "string", maxLength: metadataValueLengthMax, pattern: visiblePattern },
          { type: "number" },
          { type: "boolean" },
        ],
      },
    },
    additionalProperties: false,
  }),
  v.description(
    `Up to ${metadataKeysMax} values of your own, of at most ${metadataBytesMax} bytes as JSON. ` +
      "Replaces all earlier ones. Null removes them.",
  ),
  v.examples([{ target_price: 89.9, team: "toys" }]),
  // The check above proves the type.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  v.transform((metadata) => metadata as Metadata),
);

const itemKeys = ["id", "label", "metadata"];

/**
 * The schema of an item in a body: its ID, and the label and metadata to set. Null removes them.
 */
export const newItemBody = v.pipe(
  v.strictObject(
    {
      id: v.pipe(
        v.string(addRefusedValue("'id' must be a string. Put IDs in quotes.")),
        v.description("Item ID of the platform."),
      ),
      label: v.nullish(
        v.pipe(
          v.string(addRefusedValue("'label' must be a string, or null.")),
          v.trim(),
          v.minLength(1, "'label' is empty. Send null to remove the label."),
          v.check(
            (label) => lengthOf(label) <= labelLengthMax,
            ({ input }) =>
              `'label' must have at most ${labelLengthMax} characters (got ${lengthOf(input)}). Shorten it.`,
          ),
          visibleText("label"),
          v.metadata({ maxLength: labelLengthMax, pattern: visibleNamePattern }),
          v.description("A name of your own for the item. Null removes it."),
          v.examples(["Blue kettle, main shop"]),
        ),
      ),
      metadata: v.nullish(metadataBody),
    },
    ({ expected, input }) =>
      expected === "never"
        ? `An item has an unknown key ${formatValue(input)}. Accepted keys: ${itemKeys.join(", ")}.` +
          didYouMean(String(input), itemKeys)
        : `An item must be a string or an object with 'id' (got ${formatValue(input)}).`,
  ),
);
export type NewItemBody = v.InferOutput<typeof newItemBody>;

/**
 * Creates the schema of items in a body: an array of IDs and objects, or one string with IDs
 * separated by newlines or commas. For an array with an invalid entry, parsing throws an error 400
 * that names the first invalid entry or its field.
 */
export const itemList = (
  param: string,
): v.GenericSchema<unknown, readonly (string | NewItemBody)[]> =>
  v.union([v.array(v.union([v.string(), newItemBody])), joined], ({ input }) =>
    itemsRefusal(param, input),
  );

/**
 * Returns the message for a value that is not a list of items.
 * @throws 400 that names the first invalid entry of an array
 */
function itemsRefusal(param: string, input: unknown): string {
  if (!Array.isArray(input)) return refusal(param, input);
  for (const [place, entry] of input.entries()) {
    if (typeof entry === "string") continue;
    const at = `${param}[${place}]`;
    if (typeof entry !== "object" || entry === null || Array.isArray(entry)) {
      throw invalidParam(
        at,
        `'${at}' must be a string or an object with 'id' (got ${formatValue(entry)}). Put IDs in quotes.`,
      );
    }
    const parsed = v.safeParse(newItemBody, entry, { abortEarly: true });
    if (!parsed.success) throw entryRefusal(at, parsed.issues[0]);
  }
  return `'${param}' must be an array of item IDs and objects with 'id' (got ${formatValue(input)}).`;
}

/** Matches the keys of a body that may be part of `param` in an error: short, without dots. */
const plainKey = /^[\w-]{1,64}$/;

/**
 * Converts the issue of an invalid entry to an error 400.
 * @param at place of the entry in the body, such as `ids[3]`
 */
function entryRefusal(at: string, issue: v.BaseIssue<unknown>): Error {
  const keys = (issue.path ?? []).map(({ key }) => String(key));
  const unshown = keys.findIndex((key) => !plainKey.test(key));
  const param = [at, ...(unshown === -1 ? keys : keys.slice(0, unshown))].join(".");
  return issue.received === "undefined" ? missingParam(param) : invalidParam(param, issue.message);
}

/** Items of a request: normalized, valid and unique IDs, and the labels and metadata to set. */
export interface RequestedItems {
  /** The item IDs, in the order of the request. */
  readonly ids: readonly string[];
  /**
   * Labels and metadata by item ID. Contains only items for which the request has a label or
   * metadata, even if the value is null.
   */
  readonly labels: ReadonlyMap<string, GivenLabels>;
}

/**
 * Parses the items of a request. Skips empty strings. If an ID occurs more than once, uses its last
 * label and its last metadata.
 * @param param name of the list in the request, such as `ids`, for the error message
 * @throws 400 INVALID_PARAM for the first invalid ID
 */
export function parseItems(
  platform: Platform,
  entries: readonly (string | NewItemBody)[],
  param: string,
): RequestedItems {
  const ids = new Set<string>();
  const labels = new Map<string, GivenLabels>();
  for (const [place, entry] of entries.entries()) {
    const at = `${param}[${place}]`;
    if (typeof entry === "string") {
      if (entry.trim() !== "") ids.add(parseItemId(platform, entry, at));
      continue;
    }
    const { id: raw, label, metadata } = entry;
    const id = parseItemId(platform, raw, `${at}.id`);
    ids.add(id);
    const given: { label?: string | null; metadata?: Metadata | null } = {};
    if (label !== undefined) given.label = label;
    if (metadata !== undefined) given.metadata = metadata;
    if (Object.keys(given).length > 0) labels.set(id, { ...labels.get(id), ...given });
  }
  return { ids: [...ids], labels };
}
