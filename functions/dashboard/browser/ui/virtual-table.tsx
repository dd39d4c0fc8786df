import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import "./virtual-table.css";

/** A column of a virtual table: its heading, and the content of its cell in each row. */
export interface VirtualColumn<Row> {
  /** Unique in the table. The cells have the class `cell-<name>`. */
  readonly name: string;
  readonly head: ComponentChildren;
  readonly cell: (row: Row) => ComponentChildren;
  /** True for the column that identifies the row. */
  readonly isRowHead?: boolean;
}

interface VirtualTableProps<Row> {
  /** A description of the table for screen readers. */
  readonly label: string;
  readonly columns: readonly VirtualColumn<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** The class of every row, which defines the widths of its grid columns. */
  readonly rowClass: string;
  /** The height of every row in pixels. */
  readonly rowHeight: number;
  /** The maximum height, in pixels, of the scrollable area with the rows. */
  readonly height: number;
  /** Called when the user has scrolled near the end, to load more rows. */
  readonly onEnd: () => void;
  /** The total number of rows, including those not loaded yet; undefined if unknown. */
  readonly total: number | undefined;
}

/** The number of rows that are rendered beyond each edge of the visible part. */
const overscan = 8;

/**
 * A table of any length. Only the visible rows and a few around them are in the document. Calls
 * `onEnd` when the last row is in the document. The arrow keys move the focus between rows.
 */
export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { columns, rows, rowHeight, height, onEnd, total } = props;
  const [top, setTop] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const first = Math.max(0, Math.floor(top / rowHeight) - overscan);
  const last = Math.min(rows.length, Math.ceil((top + height) / rowHeight) + overscan);
  useEffect(() => {
    if (last >= rows.length) onEnd();
  }, [last, rows.length]);
  return (
    <div
      class="virtual-table"
      role="table"
      aria-label={props.label}
      // The count includes the header, which is the first row.
      aria-rowcount={total === undefined ? -1 : total + 1}
    >
      <div role="rowgroup" class="virtual-head">
        <div role="row" class={`virtual-row ${props.rowClass}`} aria-rowindex={1}>
          {columns.map(({ name, head }) => (
            <div key={name} role="columnheader" class={`cell-${name}`}>
              {head}
            </div>
          ))}
        </div>
      </div>
      <div
        ref={box}
        role="rowgroup"
        class="virtual-body"
        style={{ maxHeight: `${height}px` }}
        tabIndex={0}
        onScroll={() => setTop(box.current?.scrollTop ?? 0)}
        onKeyDown={moveFocus}
      >
        <div
          role="presentation"
          class="virtual-space"
          style={{ height: `${rows.length * rowHeight}px` }}
        >
          {rows.slice(first, last).map((row, n) => (
            <div
              key={props.rowKey(row)}
              role="row"
              class={`virtual-row ${props.rowClass}`}
              style={{ top: `${(first + n) * rowHeight}px`, height: `${rowHeight}px` }}
              aria-rowindex={first + n + 2}
            >
              {columns.map(({ name, cell, isRowHead }) => (
                <div key={name} role={isRowHead ? "rowheader" : "cell"} class={`cell-${name}`}>
                  {cell(row)}
                </div>
              ))}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

const focusable = "a, button, input";

/**
 * Handles the arrow keys: moves the focus from a control to the control at the same position in the
 * next or the previous row.
 */
function moveFocus(event: KeyboardEvent): void {
  const { key, target } = event;
  if ((key !== "ArrowDown" && key !== "ArrowUp") || !(target instanceof HTMLElement)) return;
  const row = target.closest("[role=row]");
  if (row === null) return;
  const index = [...row.querySelectorAll(focusable)].indexOf(target);
  const other = key === "ArrowDown" ? row.nextElementSibling : row.previousElementSibling;
  const next = other?.querySelectorAll<HTMLElement>(focusable)[index];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
