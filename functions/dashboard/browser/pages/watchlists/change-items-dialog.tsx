import { useMemo, useState } from "preact/hooks";
import type { List, Platform, Watchlist, WatchlistItemChange } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
import { useQuery } from "../../api/use-query.ts";
import { formatCount } from "../../format/numbers.ts";
import { Button } from "../../ui/button.tsx";
import { CancelButton, Dialog } from "../../ui/dialog.tsx";
import { ErrorState } from "../../ui/states.tsx";
import { useToast } from "../../ui/toast.tsx";
import { foundIn, IdsForm, idsProblem, noIds } from "./ids-form.tsx";

interface ChangeItemsDialogProps {
  readonly list: Watchlist;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

const ways = ["add", "remove"] as const;
type Way = (typeof ways)[number];
const wayNames: Readonly<Record<Way, string>> = { add: "Add", remove: "Remove" };

/**
 * A dialog that adds items to a watchlist or removes items from it. After the change, calls
 * `onChanged` and `onClose`. If the call fails, shows the error and stays open.
 */
export function ChangeItemsDialog(props: ChangeItemsDialogProps) {
  const { way, setWay, draft, setDraft, platform, found, change, submit, problem } =
    useItemChange(props);
  const { error } = change;
  const refusal = error?.param?.startsWith(way) === true ? error.message : undefined;
  return (
    <Dialog title="Add or remove items" busy={change.busy} onClose={props.onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <WayChoice way={way} onChange={setWay} />
        <IdsForm
          label={`IDs to ${way}`}
          platform={platform}
          draft={draft}
          found={found}
          onChange={setDraft}
          error={problem ?? refusal}
        />
        {error && refusal === undefined && <ErrorState error={error} />}
        <div class="dialog-actions">
          <CancelButton />
          <Button type="submit" variant={way === "add" ? "primary" : "danger"} busy={change.busy}>
            {wayNames[way]} {formatCount(found.ids.length)}{" "}
            {found.ids.length === 1 ? "item" : "items"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function useItemChange({ list, onChanged, onClose }: ChangeItemsDialogProps) {
  const toast = useToast();
  const [way, setWay] = useState<Way>("add");
  const [draft, setDraft] = useState(noIds);
  const [isAsked, setAsked] = useState(false);
  const platforms = useQuery((api, signal) => api.get<List<Platform>>("platforms", { signal }), []);
  const platform = platforms.data?.data.find(({ id }) => id === list.platform);
  const found = useMemo(() => foundIn(draft, platform), [draft, platform]);
  const problem = idsProblem(found, draft);
  const change = useAction((api, body: Partial<Record<Way, string>>) =>
    api.send<WatchlistItemChange>("POST", `watchlists/${list.id}/items`, { body }),
  );
  const submit = async (): Promise<void> => {
    setAsked(true);
    if (problem !== undefined) return;
    const done = await change.run({ [way]: found.ids.join("\n") });
    if (done === undefined) return;
    toast(way === "add" ? addedWords(done) : removedWords(done));
    onChanged();
    onClose();
  };
  const shown = isAsked ? problem : undefined;
  return { way, setWay, draft, setDraft, platform, found, change, submit, problem: shown };
}

const addedWords = ({ added, reactivated, unchanged }: WatchlistItemChange): string =>
  [
    `${formatCount(added)} added`,
    ...(reactivated > 0 ? [`${formatCount(reactivated)} reactivated`] : []),
    ...(unchanged > 0 ? [`${formatCount(unchanged)} already on the watchlist`] : []),
  ].join(", ");

const removedWords = ({ removed, missing }: WatchlistItemChange): string =>
  [
    `${formatCount(removed)} removed`,
    ...(missing > 0 ? [`${formatCount(missing)} not on the watchlist`] : []),
  ].join(", ");

function WayChoice(props: { readonly way: Way; readonly onChange: (way: Way) => void }) {
  return (
    <div class="segmented" role="group" aria-label="What to do">
      {ways.map((way) => (
        <button
          key={way}
          type="button"
          aria-pressed={way === props.way}
          onClick={() => props.onChange(way)}
        >
          {wayNames[way]}
        </button>
      ))}
    </div>
  );
}
