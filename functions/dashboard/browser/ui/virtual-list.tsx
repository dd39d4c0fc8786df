import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface VirtualListProps<Entry> {
  /** A description of the list for screen readers. */
  readonly label: string;
  readonly entries: readonly Entry[];
  readonly entryKey: (entry: Entry) => string;
  readonly entry: (entry: Entry) => ComponentChildren;
  /** The height of every entry in pixels. */
  readonly rowHeight: number;
  /** The maximum height of the list in pixels. @default 480 */
  readonly height?: number;
  /** Called when the user has scrolled near the end, to load more entries. */
  readonly onEnd?: () => void;
  /** The total number of entries, including those not loaded yet; undefined if unknown. */
  readonly total?: number | undefined;
}

/** The number of entries that are rendered beyond each edge of the visible part. */
const overscan = 8;

/**
 * A list of any length. Only the visible entries and a few around them are in the document. Calls
 * `onEnd` when the last entry is in the document.
 */
export function VirtualList<Entry>(props: VirtualListProps<Entry>) {
  const { entries, rowHeight, height = 480, onEnd, total } = props;
  const [top, setTop] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const first = Math.max(0, Math.floor(top / rowHeight) - overscan);
  const last = Math.min(entries.length, Math.ceil((top + height) / rowHeight) + overscan);
  useEffect(() => {
    if (last >= entries.length) onEnd?.();
  }, [last, entries.length]);
  return (
    <div
      ref={box}
      class="virtual-list"
      style={{ maxHeight: `${height}px` }}
      tabIndex={0}
      role="group"
      aria-label={props.label}
      onScroll={() => setTop(box.current?.scrollTop ?? 0)}
    >
      <ul role="list" style={{ height: `${entries.length * rowHeight}px` }}>
        {entries.slice(first, last).map((entry, n) => (
          <li
            key={props.entryKey(entry)}
            style={{ top: `${(first + n) * rowHeight}px`, height: `${rowHeight}px` }}
            aria-setsize={total ?? -1}
            aria-posinset={first + n + 1}
          >
            {props.entry(entry)}
          </li>
        ))}
      </ul>
    </div>
  );
}
