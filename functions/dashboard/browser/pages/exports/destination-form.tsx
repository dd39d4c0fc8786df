import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { S3Destination } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
import { useUnsaved } from "../../ui/leaving.ts";
import { Button, WriteButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Checkbox, Field } from "../../ui/field.tsx";
import { ErrorState } from "../../ui/states.tsx";
import { useToast } from "../../ui/toast.tsx";
import { AccessFields } from "./access-fields.tsx";
import {
  bodyOf,
  type DestinationDraft,
  draftOf,
  shownParams,
  withStore,
} from "./destination-draft.ts";
import type { DraftFieldsProps } from "./draft-fields.ts";
import { Choice, TextField } from "./form-fields.tsx";

interface DestinationFormProps {
  /** The current destination; null if there is none. */
  readonly destination: S3Destination | null;
  /** Called after a save. The caller reads the destination again and then closes the form. */
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/**
 * A form that creates or changes the S3 destination: the bucket, and the credentials with which the
 * service writes to it. Shows the service's errors at their fields. Calls `onSaved` after a save,
 * and `onClose` if the user cancels.
 */
export function DestinationForm({ destination, onSaved, onClose }: DestinationFormProps) {
  const toast = useToast();
  const form = useRef<HTMLFormElement>(null);
  useFocusInside(form);
  const [draft, setDraft] = useState(() => draftOf(destination));
  const [untouched, setUntouched] = useState(draft);
  useUnsaved(JSON.stringify(draft) !== JSON.stringify(untouched), ["write"]);
  const save = useAction((api, body: unknown) =>
    api.send(destination === null ? "PUT" : "PATCH", "s3_destination", { body }),
  );
  const submit = async (): Promise<void> => {
    if ((await save.run(bodyOf(draft))) === undefined) return;
    setUntouched(draft);
    toast("The destination was saved. A check object was written and deleted.");
    onSaved();
  };
  const { error } = save;
  const change = (part: Partial<DestinationDraft>): void => setDraft({ ...draft, ...part });
  const messageFor = (param: string): string | undefined =>
    error?.param === param ? error.message : undefined;
  const isAtField = error?.param !== undefined && shownParams(draft).includes(error.param);
  return (
    <Card title={destination === null ? "Set a destination" : "Edit the destination"}>
      <form
        class="form"
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Choice
          legend="Store"
          name="store"
          choices={[
            ["aws", "Amazon S3"],
            ["other", "Another S3-compatible store"],
          ]}
          value={draft.store}
          onChange={(store) => setDraft(withStore(draft, store))}
        />
        <PlaceFields draft={draft} change={change} messageFor={messageFor} />
        <AccessFields
          draft={draft}
          destination={destination}
          change={change}
          messageFor={messageFor}
        />
        {error && !isAtField && <ErrorState error={error} />}
        <div class="form-actions">
          <WriteButton type="submit" variant="primary" busy={save.busy}>
            {destination === null ? "Set destination" : "Save"}
          </WriteButton>
          <Button
            disabledReason={save.busy ? "Wait until the request ends." : undefined}
            onClick={onClose}
          >
            Cancel
          </Button>
          <span class="muted small">
            A check object is written and deleted first. If that fails, nothing is saved.
          </span>
        </div>
      </form>
    </Card>
  );
}

/**
 * Moves the focus into the form when the form opens, and to the heading when the form closes,
 * because the button that had the focus disappears. Uses a layout effect, so that a key pressed
 * immediately afterwards reaches the right field.
 */
function useFocusInside(form: RefObject<HTMLFormElement | null>): void {
  useLayoutEffect(() => {
    form.current?.querySelector<HTMLInputElement>("input:checked")?.focus();
    return () => document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
  }, [form]);
}

function PlaceFields({ draft, change, messageFor }: DraftFieldsProps) {
  return (
    <>
      {draft.store === "other" && (
        <TextField
          label="Endpoint"
          hint="The store's public HTTPS address, without the bucket."
          placeholder="https://"
          value={draft.endpoint}
          error={messageFor("endpoint")}
          onChange={(endpoint) => change({ endpoint })}
        />
      )}
      <div class="form-row">
        <TextField
          label="Bucket"
          value={draft.bucket}
          error={messageFor("bucket")}
          onChange={(bucket) => change({ bucket })}
        />
        <TextField
          label="Region"
          value={draft.region}
          error={messageFor("region")}
          onChange={(region) => change({ region })}
        />
      </div>
      <div class="form-row">
        <TextField
          label="Prefix"
          optional
          hint="The folder of the objects. A slash is added at the end."
          placeholder="shop/"
          value={draft.prefix}
          error={messageFor("prefix")}
          onChange={(prefix) => change({ prefix })}
        />
        <Field
          label="Compression"
          hint="Object names end in .jsonl.gz or .jsonl. A change applies only to runs that have not been exported yet."
        >
          {(control) => (
            <select
              {...control}
              value={draft.compression}
              onChange={({ currentTarget: { value } }) =>
                change({ compression: value === "none" ? "none" : "gzip" })
              }
            >
              <option value="gzip">gzip</option>
              <option value="none">none</option>
            </select>
          )}
        </Field>
      </div>
      <Checkbox
        label="Also write the changes of each run as a Parquet file"
        checked={draft.rows}
        onChange={(rows) => change({ rows })}
      />
      <SnapshotField value={draft.snapshot} onChange={(snapshot) => change({ snapshot })} />
      <Checkbox
        label="Use path-style addresses (for stores without virtual-hosted buckets, and for bucket names with dots)"
        checked={draft.pathStyle}
        onChange={(pathStyle) => change({ pathStyle })}
      />
    </>
  );
}

/** A field to choose which runs export a snapshot file, which contains all items. */
function SnapshotField({
  value,
  onChange,
}: {
  readonly value: DestinationDraft["snapshot"];
  readonly onChange: (chosen: DestinationDraft["snapshot"]) => void;
}) {
  return (
    <Field
      label="Parquet file of all items"
      hint="Contains each item of a watchlist with its last known values."
    >
      {(control) => (
        <select
          {...control}
          value={value}
          onChange={({ currentTarget: { value: chosen } }) =>
            onChange(chosen === "run" || chosen === "day" ? chosen : "none")
          }
        >
          <option value="none">no</option>
          <option value="run">after each run</option>
          <option value="day">once a day</option>
        </select>
      )}
    </Field>
  );
}
