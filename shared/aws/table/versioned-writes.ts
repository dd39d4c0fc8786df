import { isOfKind, type RowKind } from "../../base/stored-kinds.ts";
import {
  type Conversion,
  type Stored,
  versionName,
  writable,
  type WrittenVersions,
  writtenVersion,
} from "../../base/stored-versions.ts";

/** A kind of rows with several versions, and the version that this process writes. */
export interface VersionedKind {
  readonly name: string;
  readonly kind: RowKind;
  readonly writes: WrittenVersions;
}

/**
 * The parameters of one write in a request: of a put, an update, a deletion or a condition check.
 */
export type Write = Stored;

/** A write that fails if its row does not have the version that the process writes. */
export interface GuardedWrite {
  readonly table: string;
  readonly versioned: VersionedKind;
}

/**
 * Returns the entry in `kinds` to which a row belongs. Returns undefined if no entry matches,
 * because the row's kind then has only version 1.
 * @param key the key of the row, or the whole row
 */
export const versionedKindOf = (
  kinds: readonly VersionedKind[],
  key: Stored,
): VersionedKind | undefined => kinds.find(({ kind }) => isOfKind(kind, key));

/**
 * Adapts a write to the version of the row's kind that the process writes. Converts the row of a
 * put. Does not convert expressions: the caller must write them for this version. From version 2
 * on, every update also sets the version, because an update can create a row. Such an update gets a
 * condition on the version of the stored row. A write whose expressions name an attribute that
 * differs between the versions gets the same condition.
 * @returns the adapted write; `guarded` is set if the write got the condition
 */
export function versionWrite(
  kinds: readonly VersionedKind[],
  write: Write,
): { readonly write: Write; readonly guarded?: GuardedWrite } {
  const { Item: item, Key: key, UpdateExpression: update } = write;
  const versioned = versionedKindOf(kinds, (item ?? key ?? {}) as Stored);
  if (versioned === undefined) return { write };
  const { kind, writes } = versioned;
  const version = writtenVersion(kind, writes);
  const put =
    item === undefined ? write : { ...write, Item: writable(kind, item as Stored, writes) };
  const isStamped = typeof update === "string" && version > 1;
  if (!isStamped && !isAffected(put, kind.conversion)) return { write: put };
  return {
    write: {
      ...put,
      ...guardOf(put, version),
      ...(isStamped && { UpdateExpression: withVersion(update) }),
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    },
    guarded: { table: String(write["TableName"]), versioned },
  };
}

const expressions = ["ConditionExpression", "UpdateExpression"] as const;

/** Returns true if an expression of the write names an attribute that the conversion changes. */
function isAffected(write: Write, conversion: Conversion | undefined): boolean {
  const differing = differingNames(conversion);
  return expressions.some((name) => namesIn(write, write[name]).some((one) => differing.has(one)));
}

/**
 * Returns the names of the attributes that differ between the versions of a conversion; an empty
 * set without a conversion.
 */
export const differingNames = (conversion: Conversion | undefined): ReadonlySet<string> =>
  new Set(conversion && [...conversion.olderNames, ...conversion.newerNames]);

/**
 * Returns the words in an expression, in order: attribute names and keywords, but no `:values`.
 * Replaces the aliases that `input` defines with their attribute names. Returns an empty array if
 * `expression` is not a string.
 */
export function namesIn(input: Write, expression: unknown): readonly string[] {
  if (typeof expression !== "string") return [];
  const aliases = (input["ExpressionAttributeNames"] ?? {}) as Readonly<Record<string, string>>;
  const words = expression.match(/[#:]?\w+/g) ?? [];
  return words.filter((word) => !word.startsWith(":")).map((word) => aliases[word] ?? word);
}

/** Returns the condition of a write with a check of the row's version added. */
function guardOf(write: Write, version: number): Write {
  const { ConditionExpression: condition, ExpressionAttributeValues: values } = write;
  const guard =
    version === 1
      ? `attribute_not_exists(${versionName})`
      : `(attribute_not_exists(pk) OR ${versionName} = :${versionName})`;
  return {
    ConditionExpression: typeof condition === "string" ? `${guard} AND (${condition})` : guard,
    ...(version > 1 && {
      ExpressionAttributeValues: {
        ...(values as Stored | undefined),
        [`:${versionName}`]: version,
      },
    }),
  };
}

/** Returns the update expression with a `SET` of the version added. */
function withVersion(update: string): string {
  const action = `${versionName} = :${versionName}`;
  return /\bSET\s/.test(update)
    ? update.replace(/\bSET\s/, `SET ${action}, `)
    : `${update} SET ${action}`;
}
