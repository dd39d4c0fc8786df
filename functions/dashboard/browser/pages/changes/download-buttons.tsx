import { useState } from "preact/hooks";
import { type Action, useAction } from "../../api/use-action.ts";
import { formatCount } from "../../format/numbers.ts";
import { Button } from "../../ui/button.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { ErrorState, Notice } from "../../ui/states.tsx";
import { changesCsv, changesJson } from "./download.ts";
import { type ChangesQuery, downloadMax, type LoadedChanges, loadChanges } from "./load-changes.ts";

const formats = [
  ["csv", "CSV", changesCsv],
  ["json", "JSON", changesJson],
] as const;

type Format = (typeof formats)[number];

/** A download of all changes that a query selects. */
export interface Download {
  /** Loads all changes, and offers them to the user as a file in this format. */
  readonly start: (format: Format) => Promise<void>;
  readonly action: Pick<Action<void, LoadedChanges>, "busy" | "error">;
  /** Number of changes that the download has loaded so far. */
  readonly loaded: number;
  /** True if the last file lacks changes because the query selects more than `downloadMax`. */
  readonly isCut: boolean;
}

/**
 * Returns the download of all changes that a query selects. `isCut` is true only if the last file
 * lacks changes and was loaded with the current query. `busy` and `error` are those of the last
 * download, whatever its query was.
 */
export function useDownload(query: ChangesQuery): Download {
  const [loaded, setLoaded] = useState(0);
  const [cut, setCut] = useState<string>();
  const about = JSON.stringify(query);
  const action: Action<void, LoadedChanges> = useAction((api) =>
    loadChanges(api, query, setLoaded),
  );
  const start = async ([ending, , textOf]: Format): Promise<void> => {
    setLoaded(0);
    const result = await action.run();
    if (result === undefined) return;
    setCut(result.isComplete ? undefined : about);
    saveFile(`changes.${ending}`, textOf(result.changes));
  };
  return { start, action, loaded, isCut: cut === about };
}

/** Buttons that save all changes that match the filters as a file. */
export function DownloadButtons({ download }: { readonly download: Download }) {
  const { start, action, loaded } = download;
  return (
    <div class="row">
      {action.busy && (
        <span class="muted small number" role="status">
          {formatCount(loaded)} loaded
        </span>
      )}
      {formats.map((format) => (
        <Button
          key={format[0]}
          small
          label={`${format[1]} of all changes that match the filters`}
          busy={action.busy}
          onClick={() => void start(format)}
        >
          {format[1]}
        </Button>
      ))}
    </div>
  );
}

/** Shows why a download failed, or a warning that its file does not contain all changes. */
export function DownloadResult({ download: { action, isCut } }: { readonly download: Download }) {
  if (action.error !== undefined) return <ErrorState error={action.error} />;
  if (!isCut) return null;
  return (
    <Notice tone="warning">
      The file has only the first {formatCount(downloadMax)} changes, in the order of the page.
      Narrow the filters to download the others.
    </Notice>
  );
}
