import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

/**
 * The maximum number of entries to show in one object or array, so that large responses do not make
 * the page slow. Further entries are only counted.
 */
const entriesMax = 200;

/**
 * Shows a JSON value as a tree that opens level by level. `openLevels` is the number of levels that
 * are open at first.
 */
export function JsonView({
  value,
  openLevels = 2,
}: {
  readonly value: unknown;
  readonly openLevels?: number;
}) {
  return (
    <div class="json">
      <Value value={value} openLevels={openLevels} />
    </div>
  );
}

interface ValueProps {
  readonly name?: string;
  readonly value: unknown;
  readonly openLevels: number;
}

function Value({ name, value, openLevels }: ValueProps) {
  const label = name === undefined ? null : <span class="json-name">{name}: </span>;
  if (typeof value === "object" && value !== null) {
    return <Level label={label} value={value} openLevels={openLevels} />;
  }
  return (
    <div class="json-leaf">
      {label}
      <span class={`json-${value === null ? "null" : typeof value}`}>
        {JSON.stringify(value) ?? "undefined"}
      </span>
    </div>
  );
}

interface LevelProps {
  readonly label: ComponentChildren;
  readonly value: object;
  readonly openLevels: number;
}

/**
 * An object or an array. Its entries are rendered when it is first opened, because responses can be
 * long.
 */
function Level({ label, value, openLevels }: LevelProps) {
  const [opened, setOpened] = useState(openLevels > 0);
  const entries = Object.entries(value);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return (
    <details
      open={openLevels > 0}
      onToggle={(event) => {
        if (event.currentTarget.open) setOpened(true);
      }}
    >
      <summary>
        {label}
        <span class="muted">
          {open} {entries.length} {close}
        </span>
      </summary>
      {opened && (
        <div class="json-level">
          {entries.slice(0, entriesMax).map(([key, inner]) => (
            <Value key={key} name={key} value={inner} openLevels={openLevels - 1} />
          ))}
          {entries.length > entriesMax && (
            <p class="muted">and {entries.length - entriesMax} more</p>
          )}
        </div>
      )}
    </details>
  );
}
