import { unavailable } from "./errors.ts";

/** The attributes of a row, or the members of a stored JSON object. */
export type Stored = Readonly<Record<string, unknown>>;

/** The attribute with the version of a row or object. Without it, the version is 1. */
export const versionName = "stored_version";

/** The difference between two successive versions of a kind, and how to convert between them. */
export interface Conversion {
  /** The number of the older version. The newer version has the next number. */
  readonly older: number;
  /**
   * The attributes that differ between the versions or that a conversion reads, by their names in
   * the older version. They must not belong to a key, the due index or a filter.
   */
  readonly olderNames: readonly string[];
  /**
   * The attributes that differ between the versions or that a conversion reads, by their names in
   * the newer version.
   */
  readonly newerNames: readonly string[];
  /**
   * Converts the attributes `olderNames` to `newerNames`. A row may lack some of them. The result
   * must then lack the attributes that depend on them.
   */
  readonly toNewer: (older: Stored) => Stored;
  /** The inverse of `toNewer`. */
  readonly toOlder: (newer: Stored) => Stored;
}

/**
 * The versions of a kind of rows or objects, so that two successive releases can read each other's
 * data.
 */
export interface StoredKind {
  /** The version of the code of this release. */
  readonly version: number;
  /** Converts between `version` and the version before or after it. */
  readonly conversion?: Conversion;
}

/** Values of `WrittenVersions`. */
export const writtenVersions = ["current", "previous", "next"] as const;
/**
 * Which version of a kind a process writes:
 * - `current`: the version of the process's code.
 * - `previous`: the version before it, if the kind has a conversion between these two versions.
 * - `next`: the version after it, if the kind has a conversion between these two versions. The
 *   process then also writes new kinds of rows that the next release introduces.
 */
export type WrittenVersions = (typeof writtenVersions)[number];

/** Returns the versions that this release can read, for a kind of stored rows or objects. */
export const acceptedVersions = ({ version, conversion }: StoredKind): readonly number[] =>
  conversion === undefined ? [version] : [conversion.older, conversion.older + 1];

/**
 * Returns the version in which a process writes rows or objects of a kind.
 * @param writes which version the process writes: that of its code, or the one before or after it.
 * If the kind has no conversion to this version, the process writes the version of its code.
 */
export function writtenVersion(kind: StoredKind, writes: WrittenVersions): number {
  if (writes === "current") return kind.version;
  const accepted = acceptedVersions(kind);
  return writes === "previous" ? Math.min(...accepted) : Math.max(...accepted);
}

/** Returns the version of a stored row or object: 1 if it has no attribute `stored_version`. */
export const versionOf = (stored: Stored): number => Number(stored[versionName] ?? 1);

/**
 * Converts a stored row or object to the version that the code uses, and removes its version
 * attribute.
 * @param name names the row or object in the error
 * @throws 503 UNAVAILABLE for a version that this release does not accept
 */
export function readable(kind: StoredKind, stored: Stored, name: string): Stored {
  const version = versionOf(stored);
  assertAccepted(kind, version, name);
  const { [versionName]: _, ...attributes } = convert(kind, stored, {
    from: version,
    to: kind.version,
  });
  return attributes;
}

/**
 * Converts a row or object from the version that the code uses to the version that a process
 * writes, and sets its version attribute.
 */
export function writable(kind: StoredKind, current: Stored, writes: WrittenVersions): Stored {
  const to = writtenVersion(kind, writes);
  return withVersion(convert(kind, current, { from: kind.version, to }), to);
}

/**
 * Throws if this release cannot read a version of a kind of row or object.
 * @param name names the row or object in the error
 * @throws 503 UNAVAILABLE for a version that is not in `acceptedVersions`
 */
export function assertAccepted(kind: StoredKind, version: number, name: string): void {
  const accepted = acceptedVersions(kind);
  if (accepted.includes(version)) return;
  throw unavailable(
    `${name} has version ${version}, and this release accepts ${accepted.join(" and ")}. ` +
      "See docs/upgrade-and-rollback.md, Versions of stored data.",
  );
}

/** The attributes in which a row of one version differs from the same row in another version. */
export interface VersionChange {
  /**
   * The attributes that the conversion reads, with their values; undefined for an attribute that
   * the row lacks.
   */
  readonly from: Stored;
  /** The attributes of the other version. They replace the attributes in `from`. */
  readonly to: Stored;
}

/**
 * Returns the attributes that a conversion replaces in a row (`from`), and the attributes that
 * replace them (`to`). A row of the older version is converted to the newer version, and any other
 * row to the older version.
 */
export function versionChange(
  { older, olderNames, newerNames, toNewer, toOlder }: Conversion,
  stored: Stored,
): VersionChange {
  const isOlder = versionOf(stored) === older;
  const names = isOlder ? olderNames : newerNames;
  const from = Object.fromEntries(names.map((name) => [name, stored[name]]));
  const existing = Object.fromEntries(
    Object.entries(from).filter(([, value]) => value !== undefined),
  );
  return { from, to: isOlder ? toNewer(existing) : toOlder(existing) };
}

/**
 * Converts a row or object between two successive versions. Returns the row or object unchanged if
 * the versions are equal.
 */
function convert(
  { conversion }: StoredKind,
  stored: Stored,
  { from, to }: { readonly from: number; readonly to: number },
): Stored {
  if (from === to || conversion === undefined) return stored;
  const change = versionChange(conversion, { ...stored, [versionName]: from });
  const unchangedEntries = Object.entries(stored).filter(([name]) => !(name in change.from));
  return { ...Object.fromEntries(unchangedEntries), ...change.to };
}

/** Version 1 is not stored, so that rows of kinds that have never changed do not grow. */
const withVersion = (stored: Stored, version: number): Stored =>
  version === 1 ? stored : { ...stored, [versionName]: version };
