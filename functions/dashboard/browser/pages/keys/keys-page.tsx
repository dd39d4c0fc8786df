import { useMemo, useState } from "preact/hooks";
import type { Account, ApiKey, List } from "../../api/resources.ts";
import { useQuery } from "../../api/use-query.ts";
import { Page } from "../../shell/page.tsx";
import { Badge } from "../../ui/badge.tsx";
import { WriteButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { PlusIcon } from "../../ui/icons.tsx";
import { Name } from "../../ui/name.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { EmptyState, ErrorState } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { formatCount } from "../../format/numbers.ts";
import { useCharges } from "../overview/charges.ts";
import { ChargesNote } from "../overview/charges-note.tsx";
import { usageBy } from "../overview/usage-by-cause.ts";
import { NewKeyDialog } from "./new-key-dialog.tsx";
import { RevokeKeyDialog } from "./revoke-key-dialog.tsx";

/** The number of days whose charges the page sums for each key. */
const spentDays = 7;

/**
 * The page that lists, creates and revokes the API keys of the account, and shows what the calls
 * with each key were charged.
 */
export function KeysPage() {
  const keys = useQuery((api, signal) => api.get<List<ApiKey>>("api_keys", { signal }), []);
  const account = useQuery((api, signal) => api.get<Account>("account", { signal }), []);
  const charges = useCharges(spentDays);
  const spent = useMemo(
    () =>
      charges.data &&
      new Map(usageBy("key", charges.data.entries).map(({ cause, credits }) => [cause, credits])),
    [charges.data],
  );
  const [open, setOpen] = useState<"new" | ApiKey>();
  const ownId = account.data?.api_key.id;
  const close = (): void => setOpen(undefined);
  return (
    <Page
      title="API keys"
      lead="Every API call requires a key. A key is shown only once, when you create it."
      actions={
        <WriteButton variant="primary" onClick={() => setOpen("new")}>
          <PlusIcon />
          New key
        </WriteButton>
      }
    >
      {account.error && <ErrorState error={account.error} onRetry={account.refresh} />}
      <Card title="Keys" flush>
        <Table
          caption="API keys"
          columns={columns({ ownId, spent, revoke: setOpen })}
          rows={keys.data?.data}
          rowKey={({ id }) => id}
          error={keys.error}
          onRetry={keys.refresh}
          empty={<EmptyState title="There are no keys." />}
        />
        {charges.error && <ErrorState error={charges.error} onRetry={charges.refresh} />}
        <p class="row">
          <ChargesNote charges={charges} />
          <span class="muted small">
            Runs of watchlists have no key. The page Overview sums their credits.
          </span>
        </p>
      </Card>
      {open === "new" && <NewKeyDialog onCreated={keys.refresh} onClose={close} />}
      {typeof open === "object" && (
        <RevokeKeyDialog apiKey={open} onRevoked={keys.refresh} onClose={close} />
      )}
    </Page>
  );
}

interface KeyColumns {
  /** The ID of the key that the user is signed in with; undefined while it is loading. */
  readonly ownId: string | undefined;
  /** The credits of the calls with each key, by key ID; undefined while they are loading. */
  readonly spent: ReadonlyMap<string, number> | undefined;
  readonly revoke: (key: ApiKey) => void;
}

function columns({ ownId, spent, revoke }: KeyColumns): readonly Column<ApiKey>[] {
  return [
    {
      head: "Name",
      isRowHead: true,
      cell: (key) => (
        <span class="row">
          <Name>{key.name}</Name>
          {key.id === ownId && <Badge tone="info">this session</Badge>}
        </span>
      ),
    },
    { head: "Begins with", cell: (key) => <code>{key.prefix}…</code> },
    { head: "Scopes", cell: (key) => key.scopes.join(", ") },
    { head: "Created", cell: (key) => <RelativeTime time={key.created_at} /> },
    { head: "Last used", cell: (key) => <RelativeTime time={key.last_used_at} /> },
    {
      head: `Credits, ${spentDays} days`,
      align: "end",
      cell: ({ id }) => (spent === undefined ? "…" : formatCount(spent.get(id) ?? 0)),
    },
    {
      head: "Actions",
      align: "end",
      cell: (key) => (
        <WriteButton
          small
          label={`Revoke ${key.name}`}
          disabledReason={blockedReason(key, ownId)}
          onClick={() => revoke(key)}
        >
          Revoke
        </WriteButton>
      ),
    },
  ];
}

/** Returns the reason why a key cannot be revoked now; undefined if the key can be revoked. */
function blockedReason(key: ApiKey, ownId: string | undefined): string | undefined {
  if (ownId === undefined)
    return "Wait until the dashboard has read which key you are signed in with.";
  if (key.id !== ownId) return undefined;
  return "You are signed in with this key. Sign in with another key to revoke it.";
}
