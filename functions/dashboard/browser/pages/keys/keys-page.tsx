import { useState } from "preact/hooks";
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
import { NewKeyDialog } from "./new-key-dialog.tsx";
import { RevokeKeyDialog } from "./revoke-key-dialog.tsx";

/** The page that lists, creates and revokes the API keys of the account. */
export function KeysPage() {
  const keys = useQuery((api, signal) => api.get<List<ApiKey>>("api_keys", { signal }), []);
  const account = useQuery((api, signal) => api.get<Account>("account", { signal }), []);
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
          columns={columns(ownId, setOpen)}
          rows={keys.data?.data}
          rowKey={({ id }) => id}
          error={keys.error}
          onRetry={keys.refresh}
          empty={<EmptyState title="There are no keys." />}
        />
      </Card>
      {open === "new" && <NewKeyDialog onCreated={keys.refresh} onClose={close} />}
      {typeof open === "object" && (
        <RevokeKeyDialog apiKey={open} onRevoked={keys.refresh} onClose={close} />
      )}
    </Page>
  );
}

function columns(
  ownId: string | undefined,
  revoke: (key: ApiKey) => void,
): readonly Column<ApiKey>[] {
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

/** Returns the reason why a key cannot be revoked now; undefined if it can. */
function blockedReason(key: ApiKey, ownId: string | undefined): string | undefined {
  if (ownId === undefined)
    return "Wait until the dashboard has read which key you are signed in with.";
  if (key.id !== ownId) return undefined;
  return "You are signed in with this key. Sign in with another key to revoke it.";
}
