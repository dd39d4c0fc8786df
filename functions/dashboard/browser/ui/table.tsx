import type { ComponentChildren } from "preact";
import type { ApiError } from "../api/api-error.ts";
import { ErrorState, Skeleton } from "./states.tsx";

/** A column of a table: its heading, and the content of its cell in each row. */
export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** The alignment of the column. Use `end` for numbers and actions. */
  readonly align?: "end";
  /** True for the column that identifies the row. */
  readonly isRowHead?: boolean;
}

interface TableProps<Row> {
  /** A description of the table for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  /** The rows; undefined while they are loading. */
  readonly rows: readonly Row[] | undefined;
  readonly rowKey: (row: Row) => string;
  readonly error?: ApiError | undefined;
  readonly onRetry?: () => void;
  /** Shown if there are no rows and no error. */
  readonly empty: ComponentChildren;
}

/**
 * A table of `rows`. Shows gray lines while `rows` is undefined, and `empty` if there are no rows.
 * Shows `error` with a button to retry above the rows, or instead of the gray lines or `empty`. The
 * style sheet turns the table into a list of cards on narrow screens. The explicit roles keep the
 * table semantics, which browsers drop for cards.
 */
export function Table<Row>(props: TableProps<Row>) {
  const { caption, columns, rows, rowKey, error, onRetry, empty } = props;
  if (rows === undefined) {
    return error ? <ErrorState error={error} onRetry={onRetry} /> : <Skeleton lines={4} />;
  }
  const failed = error && <ErrorState error={error} onRetry={onRetry} />;
  if (rows.length === 0) return <>{failed ?? empty}</>;
  return (
    <>
      {failed}
      <table class="table" role="table">
        <caption class="visually-hidden">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ head, align }) => (
              <th key={head} role="columnheader" scope="col" class={align && "align-end"}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <TableRow key={rowKey(row)} row={row} columns={columns} />
          ))}
        </tbody>
      </table>
    </>
  );
}

function TableRow<Row>(props: { readonly row: Row; readonly columns: readonly Column<Row>[] }) {
  const { row, columns } = props;
  return (
    <tr role="row">
      {columns.map(({ head, cell, align, isRowHead }) =>
        isRowHead ? (
          <th key={head} role="rowheader" scope="row" data-head={head}>
            {cell(row)}
          </th>
        ) : (
          <td key={head} role="cell" data-head={head} class={align && "align-end"}>
            {cell(row)}
          </td>
        ),
      )}
    </tr>
  );
}
