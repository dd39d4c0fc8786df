import { useEffect, useState } from "preact/hooks";
import type { ApiClient } from "../../api/client.ts";
import type { List, S3Destination, S3Export, S3Exports } from "../../api/resources.ts";
import { useQuery } from "../../api/use-query.ts";
import { IgnoredParts } from "../../shell/ignored-parts.tsx";
import { Page } from "../../shell/page.tsx";
import { readQuery } from "../../shell/page-query.ts";
import { WriteButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState, Loaded, Skeleton } from "../../ui/states.tsx";
import type { PageProps } from "../../shell/shown-page.ts";
import { BackfillDialog } from "./backfill-dialog.tsx";
import { DeleteDestinationDialog } from "./delete-destination-dialog.tsx";
import { DestinationCard } from "./destination-card.tsx";
import { DestinationForm } from "./destination-form.tsx";
import { ExportLog, exportStates } from "./export-log.tsx";
import { useLivePages } from "../../api/use-live-pages.ts";
import type { Pages } from "../../api/use-pages.ts";
import { useRefreshOnChange } from "../../api/use-refresh-on-change.ts";
import "./exports.css";

/** The page of the S3 destination and of the export log. The query contains the state filter. */
export function ExportsPage({ query }: PageProps) {
  const destination = useQuery(readDestination, []);
  // The form stays open until the saved destination has been read again.
  const [form, setForm] = useState<"open" | "saved">();
  const [dialog, setDialog] = useState<"backfill" | "delete">();
  const { values, ignored } = readQuery(query, { state: exportStates });
  const { state = "" } = values;
  const exports = useExports(state);
  const close = (): void => setDialog(undefined);
  useEffect(
    () => setForm((before) => (before === "saved" ? undefined : before)),
    [destination.data],
  );
  const refresh = (): void => {
    destination.refresh();
    exports.refresh();
  };
  // A finished export changes the last success or the last error of the destination, so the
  // destination is read again.
  const finished = exports.entries?.filter(({ state: one }) => one !== "pending");
  useRefreshOnChange(destination.refresh, finished?.map(({ id }) => id).join() ?? null);
  return (
    <Page
      title="S3 export"
      lead="The service writes the events of every run to your bucket: JSON Lines files with one JSON object per event, and a manifest."
    >
      <IgnoredParts parts={ignored} />
      <Loaded query={destination} skeleton={<Skeleton lines={6} />}>
        {(shown) => (
          <>
            {form !== undefined ? (
              <DestinationForm
                destination={shown}
                onSaved={() => {
                  setForm("saved");
                  refresh();
                }}
                onClose={() => setForm(undefined)}
              />
            ) : shown === null ? (
              <NoDestination onSet={() => setForm("open")} />
            ) : (
              <DestinationCard
                destination={shown}
                onChanged={refresh}
                onEdit={() => setForm("open")}
              />
            )}
            <ExportLog
              pages={exports}
              state={state}
              blocked={blockedReason(shown)}
              onBackfill={() => setDialog("backfill")}
            />
            {shown !== null && <DeleteCard onDelete={() => setDialog("delete")} />}
          </>
        )}
      </Loaded>
      {dialog === "backfill" && <BackfillDialog onStarted={exports.refresh} onClose={close} />}
      {dialog === "delete" && <DeleteDestinationDialog onDeleted={refresh} onClose={close} />}
    </Page>
  );
}

/**
 * Reads the destination; null if there is none. Reads the status of the destination first, because
 * browsers log an error for a read of a resource that does not exist.
 */
async function readDestination(api: ApiClient, signal: AbortSignal): Promise<S3Destination | null> {
  const { destination_status: status } = await api.get<S3Exports>("s3_destination/exports", {
    signal,
    query: { limit: 1 },
  });
  return status === null ? null : api.get<S3Destination>("s3_destination", { signal });
}

/** Returns the reason why a backfill is not possible now; undefined if a backfill is possible. */
function blockedReason(destination: S3Destination | null): string | undefined {
  if (destination === null) return "Set a destination first.";
  return destination.enabled ? undefined : "The destination is disabled. Enable it first.";
}

const NoDestination = ({ onSet }: { readonly onSet: () => void }) => (
  <Card title="Destination">
    <EmptyState
      title="Events are not exported."
      action={
        <WriteButton variant="primary" onClick={onSet}>
          Set a destination
        </WriteButton>
      }
    >
      Set a bucket on AWS or in an S3-compatible store, and credentials for it.
    </EmptyState>
  </Card>
);

const DeleteCard = ({ onDelete }: { readonly onDelete: () => void }) => (
  <Card
    title="Delete destination"
    actions={
      <WriteButton small variant="danger" onClick={onDelete}>
        Delete
      </WriteButton>
    }
  >
    <p class="muted">Stops all exports. Files that were written remain in your bucket.</p>
  </Card>
);

const pageSize = 50;

/**
 * Loads the export log and keeps it up to date.
 * @param state the state of the exports to show; empty for all states
 */
const useExports = (state: string): Pages<S3Export> =>
  useLivePages(
    (api, cursor, signal) =>
      api.get<List<S3Export>>("s3_destination/exports", {
        signal,
        query: { limit: pageSize, starting_after: cursor, state },
      }),
    [state],
    { pageSize, isPending: (entry) => entry.state === "pending" },
  );
