import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface VirtualListProps<Entry> {
  /** What the list is. */
  readonly label: string;
  readonly entries: readonly Entry[];
  readonly entryKey: (entry: Entry) => string;
  readonly entry: (entry: Entry) => ComponentChildren;
  /** Every entry is as high, in pixels. */
  readonly rowHeight: number;
  /** @default 480 pixels */
  readonly height?: number;
  /** Called when the end comes near, to read on. */
  readonly onEnd?: () => void;
  /** The total number of rows; undefined if unknown. */
  readonly total?: number | undefined;
}

/** Entries beyond each edge that are there already. */
const overscan = 8;

/** A list of any length, of which only what is in sight is in the document. */
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
