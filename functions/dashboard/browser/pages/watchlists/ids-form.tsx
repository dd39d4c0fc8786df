import { useState } from "preact/hooks";
import type { Platform } from "../../api/resources.ts";
import { formatCount } from "../../format/numbers.ts";
import { Button } from "../../ui/button.tsx";
import { fieldMessage } from "../../ui/field-message.ts";
import { Checkbox, Field } from "../../ui/field.tsx";
import { type FoundIds, type IdTable, idReader, readIds } from "./read-ids.ts";

/** The state of the form: text that the user typed, or the content of a file. */
export interface IdsDraft {
  readonly text: string;
  readonly fileName: string | undefined;
  /** The index of the table column to read; undefined to detect the column. */
  readonly column: number | undefined;
  /** True if malformed IDs are left out, so that the other IDs can be sent. */
  readonly leaveOutMalformed: boolean;
}

/** The state of the form before the user enters IDs. */
export const noIds: IdsDraft = {
  text: "",
  fileName: undefined,
  column: undefined,
  leaveOutMalformed: false,
};

/** The maximum number of items in a watchlist. */
export const itemsMax = 50_000;

/**
 * Finds the item IDs in the text of a draft, which the user typed or loaded from a file. If the
 * platform is undefined, any text can be an ID.
 */
export const foundIn = (draft: IdsDraft, platform: Platform | undefined): FoundIds =>
  readIds(
    draft.text,
    idReader(platform?.id_pattern ?? "^(.+)$", platform?.id_name ?? "ID"),
    draft.column,
  );

/** Returns the reason why the found IDs cannot be sent; undefined if they can be sent. */
export function idsProblem(found: FoundIds, draft: IdsDraft): string | undefined {
  if (found.malformed.length > 0 && !draft.leaveOutMalformed) {
    return "Fix the malformed IDs, or choose to leave them out.";
  }
  if (found.ids.length === 0) return "Enter at least one ID.";
  if (found.ids.length > itemsMax) {
    return `A watchlist can have at most ${formatCount(itemsMax)} items. Remove some of these ${formatCount(found.ids.length)} IDs.`;
  }
  return undefined;
}

interface IdsFormProps {
  readonly label: string;
  readonly platform: Platform | undefined;
  readonly draft: IdsDraft;
  readonly found: FoundIds;
  readonly onChange: (draft: IdsDraft) => void;
  readonly error: string | undefined;
}

/** Fields for item IDs, typed or from a file. Shows which IDs were found, before they are sent. */
export function IdsForm(props: IdsFormProps) {
  const { draft, found, onChange, platform } = props;
  const change = (part: Partial<IdsDraft>): void => onChange({ ...draft, ...part });
  return (
    <div class="form">
      {draft.fileName === undefined ? (
        <PastedIds {...props} change={change} />
      ) : (
        <div class="field">
          <span class="field-label">{props.label}</span>
          <div class="copyable">
            <span>{draft.fileName}</span>
            <Button small onClick={() => onChange(noIds)}>
              Remove file
            </Button>
          </div>
          {props.error !== undefined && (
            <p class="field-error" role="alert">
              {fieldMessage(props.label, props.error)}
            </p>
          )}
        </div>
      )}
      {found.table && <ColumnField table={found.table} onChange={(column) => change({ column })} />}
      {draft.text.trim() !== "" && <Findings found={found} name={platform?.id_name ?? "ID"} />}
      {found.malformed.length > 0 && (
        <Checkbox
          label={`Leave out the ${counted(found.malformed.length, "malformed ID")}`}
          checked={draft.leaveOutMalformed}
          onChange={(leaveOutMalformed) => change({ leaveOutMalformed })}
        />
      )}
    </div>
  );
}

const counted = (count: number, what: string): string =>
  `${formatCount(count)} ${what}${count === 1 ? "" : "s"}`;

type Change = (part: Partial<IdsDraft>) => void;

function PastedIds(props: IdsFormProps & { readonly change: Change }) {
  const { label, platform, draft, change, error } = props;
  return (
    <>
      <Field
        label={label}
        hint={`One ${platform?.id_name ?? "ID"} per line, several separated by commas, or rows of a CSV file.`}
        error={error}
      >
        {(control) => (
          <textarea
            {...control}
            spellcheck={false}
            autocomplete="off"
            value={draft.text}
            onInput={(event) => change({ text: event.currentTarget.value, column: undefined })}
          />
        )}
      </Field>
      <FileField change={change} />
    </>
  );
}

/** The maximum size of a file in bytes: 20 MiB. A table of 50,000 items is smaller. */
const fileBytesMax = 20 * 1024 * 1024;

function FileField({ change }: { readonly change: Change }) {
  const [error, setError] = useState<string>();
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    if (file.size > fileBytesMax) {
      return setError("The file is larger than 20 MB. Choose a file that contains only the IDs.");
    }
    const text = await file.text();
    if (text.includes("\0")) return setError("The file is not a text file. Save it as CSV first.");
    return change({ text, fileName: file.name, column: undefined });
  };
  return (
    <Field
      label="Or from a file"
      hint="Text or CSV. The browser reads the file and does not upload it."
      error={error}
    >
      {(control) => (
        <input
          {...control}
          class="control file-control"
          type="file"
          accept=".csv,.tsv,.txt,text/csv,text/plain,text/tab-separated-values"
          onChange={(event) => void take(event.currentTarget.files?.[0])}
        />
      )}
    </Field>
  );
}

function ColumnField(props: {
  readonly table: IdTable;
  readonly onChange: (column: number) => void;
}) {
  const { header, hasHeader, column, rowCount } = props.table;
  return (
    <Field
      label="Column with the IDs"
      hint={`A table of ${counted(rowCount, "row")} ${hasHeader ? "below a header" : "without a header"}. Only this column is read.`}
    >
      {(control) => (
        <select
          {...control}
          value={String(column)}
          onChange={(event) => props.onChange(Number(event.currentTarget.value))}
        >
          {header.map((name, n) => (
            <option key={`${n} ${name}`} value={n}>
              {columnName(name, n)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

const columnName = (name: string, n: number): string =>
  name === "" ? `Column ${n + 1}` : name.slice(0, 60);

const malformedShown = 5;

function Findings({ found, name }: { readonly found: FoundIds; readonly name: string }) {
  const { ids, duplicates, malformed, table } = found;
  return (
    <div class="findings">
      <p role="status">
        <strong class="number">{counted(ids.length, "ID")}</strong>
        <span class="muted">
          {table && ` from “${columnName(table.header[table.column] ?? "", table.column)}”`}
          {" · "}
          {duplicates === 0 ? "no duplicates" : `${counted(duplicates, "duplicate")} left out`}
          {" · "}
        </span>
        <span class={malformed.length > 0 ? "findings-bad" : "muted"}>
          {malformed.length === 0 ? "none malformed" : `${formatCount(malformed.length)} malformed`}
        </span>
      </p>
      {malformed.length > 0 && (
        <ul aria-label={`Not well-formed: ${name}`}>
          {malformed.slice(0, malformedShown).map(({ text, line }) => (
            <li key={`${line} ${text}`}>
              Line {formatCount(line)}: <code>{text.slice(0, 60)}</code>
            </li>
          ))}
          {malformed.length > malformedShown && (
            <li class="muted">and {formatCount(malformed.length - malformedShown)} more</li>
          )}
        </ul>
      )}
    </div>
  );
}
