import type { Mutant } from "./mutant.ts";

const folder = "shared/aws/table";

/** Mutants of the conversion of rows between versions. */
export const versionMutants: readonly Mutant[] = [
  {
    name: "put-not-converted",
    file: `${folder}/versioned-writes.ts`,
    original: "Item: writable(kind, item as Stored, writes)",
    replacement: "Item: item",
    detectedBy: { scenario: "releases" },
  },
  {
    name: "row-of-another-version-updated",
    file: `${folder}/versioned-writes.ts`,
    original: "if (!isStamped && !isAffected(put, kind.conversion)) return { write: put };",
    replacement: "if (put !== undefined) return { write: put };",
    detectedBy: { scenario: "releases" },
  },
  {
    name: "row-converted-after-a-concurrent-change",
    file: `${folder}/convert-row.ts`,
    original: ": `#n${one.n} = :before${one.n}`,",
    replacement: ": `(#n${one.n} = :before${one.n} OR attribute_exists(#n${one.n}))`,",
    detectedBy: { scenario: "releases" },
  },
  {
    name: "query-reads-rows-as-stored",
    file: `${folder}/versioned-client.ts`,
    original: 'changes["Items"] = (items as readonly Row[]).map(read);',
    replacement: 'changes["Items"] = items;',
    detectedBy: { scenario: "releases" },
  },
];
