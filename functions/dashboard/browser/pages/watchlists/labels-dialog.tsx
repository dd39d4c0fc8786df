import { useState } from "preact/hooks";
import type { ApiError } from "../../api/api-error.ts";
import type { Watchlist, WatchlistItem, WatchlistItemChange } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
import { formatCount } from "../../format/numbers.ts";
import { Button } from "../../ui/button.tsx";
import { CancelButton, Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { ErrorState, Notice } from "../../ui/states.tsx";
import { useToast } from "../../ui/toast.tsx";

interface LabelsDialogProps {
  readonly list: Watchlist;
  readonly items: readonly WatchlistItem[];
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** The number of items that the user can label in one dialog. */
export const labelsMax = 50;

/**
 * A dialog with a field for the label of each selected item. On submit, sends only the changed
 * labels, and then calls `onChanged` and `onClose`. If the call fails, shows the error and stays
 * open.
 */
export function LabelsDialog({ list, items, onChanged, onClose }: LabelsDialogProps) {
  const toast = useToast();
  const [opened] = useState(items);
  const [labels, setLabels] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(items.map(({ id, label }) => [id, label ?? ""])),
  );
  const changed = opened.filter(({ id, label }) => labels[id]?.trim() !== (label ?? ""));
  const save = useAction((api) =>
    api.send<WatchlistItemChange>("POST", `watchlists/${list.id}/items`, {
      body: { add: changed.map(({ id }) => ({ id, label: labels[id]?.trim() || null })) },
    }),
  );
  const invalid = labelIn(save.error, changed);
  const submit = async (): Promise<void> => {
    const done = await save.run(undefined);
    if (done === undefined) return;
    toast(`${formatCount(done.updated)} labeled`);
    onChanged();
    onClose();
  };
  return (
    <Dialog title="Label items" busy={save.busy} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (changed.length > 0) void submit();
        }}
      >
        {opened.map(({ id, title }) => (
          <Field
            key={id}
            label={`Label of ${id}`}
            {...(title !== null && { hint: title })}
            error={invalid === id ? save.error?.message : undefined}
          >
            {(control) => (
              <input
                {...control}
                autocomplete="off"
                value={labels[id]}
                onInput={({ currentTarget: { value } }) => setLabels({ ...labels, [id]: value })}
              />
            )}
          </Field>
        ))}
        {opened.some(({ state }) => state === "delisted") && (
          <Notice tone="warning">
            <p>A new label makes a delisted item new again: the next run reads it.</p>
          </Notice>
        )}
        {save.error && invalid === undefined && <ErrorState error={save.error} />}
        <div class="dialog-actions">
          <CancelButton />
          <Button
            type="submit"
            variant="primary"
            busy={save.busy}
            disabledReason={changed.length === 0 ? "No label was changed." : undefined}
          >
            Save labels
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/**
 * Returns the ID of the item whose label an error is about; undefined for an error that is not
 * about a label. The API names an item by its index in `add`, the array that was sent.
 */
function labelIn(
  error: ApiError | undefined,
  sent: readonly Pick<WatchlistItem, "id">[],
): string | undefined {
  const place = /^add\[(\d+)\]\.label$/.exec(error?.param ?? "")?.[1];
  return place === undefined ? undefined : sent[Number(place)]?.id;
}
