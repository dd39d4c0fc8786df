import { formatCount } from "../../format/numbers.ts";
import { formatDateTime } from "../../format/times.ts";
import { Button } from "../../ui/button.tsx";
import type { ChargesQuery } from "./charges.ts";

/**
 * Shows the number of charges that were read, and the start of the time span that was read. If the
 * period has older charges that can still be read, also shows a button that reads them. Shows
 * nothing until the charges are loaded.
 */
export function ChargesNote({ charges }: { readonly charges: ChargesQuery }) {
  const { data, readAll } = charges;
  if (data === undefined) return null;
  const { entries, since, hasMore } = data;
  return (
    <>
      <span class="muted small" role="status">
        {hasMore && "The newest "}
        {formatCount(entries.length)} {entries.length === 1 ? "charge" : "charges"} since{" "}
        {formatDateTime(since)}
      </span>
      {hasMore && (
        <Button small onClick={readAll}>
          Read the older charges
        </Button>
      )}
    </>
  );
}
