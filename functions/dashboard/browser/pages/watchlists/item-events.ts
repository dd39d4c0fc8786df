import type { HistoryPoint, List } from "../../api/resources.ts";
import type { ApiClient } from "../../api/client.ts";
import { type Pages, usePages } from "../../api/use-pages.ts";

/** An event of the API with the fields that name its run and its items. */
interface RunEvent {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly data: {
    readonly run_number: number;
    readonly status?: string;
    readonly changes?: readonly Entry[];
    readonly products?: readonly Entry[];
  };
}

interface Entry {
  readonly id: string;
  readonly step?: string;
  /** The `when` of the matching route. Only `watchlist.product.matched` has it. */
  readonly branch?: string;
}

/** An entry about one item in an event. */
export interface ItemEvent {
  /** Unique among the events of the item. */
  readonly id: string;
  readonly eventId: string;
  readonly type: string;
  readonly at: string;
  readonly runNumber: number;
  readonly step: string | undefined;
  readonly branch: string | undefined;
}

/** A run that may have sent an event about the item. */
export interface SearchedRun {
  readonly runNumber: number;
  /** A time between the end of the previous run and the end of this run, ISO 8601. */
  readonly at: string;
}

/**
 * Number of runs whose events one page contains. The number is small, because a run of a large
 * watchlist can have many events.
 */
const runsAtOnce = 5;
/**
 * Maximum number of pages of events that are read for one run, so that the search of a large run
 * ends.
 */
const pagesMax = 5;
const keptMs = 30 * 86_400_000;

/**
 * Returns true if the service, at the time `now`, still keeps the events of a run that ended at
 * `at` (ISO 8601).
 */
export const keepsEventsOf = (at: string, now: Date): boolean =>
  Date.parse(at) > now.getTime() - keptMs;

/**
 * Returns the runs in which an item changed and whose events the service still keeps, newest first.
 * @param points the history of the item, oldest first
 */
export function runsIn(points: readonly HistoryPoint[], now: Date): readonly SearchedRun[] {
  const runs = new Map<number, SearchedRun>();
  for (const { run_number: runNumber, at } of points) {
    if (keepsEventsOf(at, now)) runs.set(runNumber, { runNumber, at });
  }
  return [...runs.values()].toReversed();
}

interface Searched {
  readonly listId: string;
  readonly itemId: string;
}

/**
 * Loads the events about an item, newest first, from the runs in which the item changed. A page has
 * the events of five runs.
 */
export function useItemEvents(
  { listId, itemId }: Searched,
  runs: readonly SearchedRun[],
): Pages<ItemEvent> {
  return usePages<ItemEvent>(
    async (api, cursor, signal) => {
      const first = Number(cursor ?? 0);
      const data: ItemEvent[] = [];
      for (const run of runs.slice(first, first + runsAtOnce)) {
        data.push(...(await eventsOf(api, { listId, itemId, run }, signal)));
      }
      const next = first + runsAtOnce;
      const hasMore = next < runs.length;
      return { data, has_more: hasMore, next_starting_after: hasMore ? String(next) : null };
    },
    [listId, itemId, runs[0]?.at, runs.length],
  );
}

/** Loads the events of one run that contain an item, newest first. */
async function eventsOf(
  api: ApiClient,
  { listId, itemId, run }: Searched & { readonly run: SearchedRun },
  signal: AbortSignal,
): Promise<readonly ItemEvent[]> {
  const found: ItemEvent[] = [];
  let after = run.at;
  for (let page = 0; page < pagesMax; page += 1) {
    const answer = await api.get<List<RunEvent>>("events", {
      signal,
      query: { watchlist_id: listId, after },
    });
    for (const event of answer.data) {
      if (event.data.run_number > run.runNumber) return found.toReversed();
      if (event.data.run_number === run.runNumber) found.push(...entriesAbout(event, itemId));
    }
    if (!answer.has_more || answer.next_after == null || answer.data.some(isEndOf(run))) break;
    after = answer.next_after;
  }
  return found.toReversed();
}

/**
 * Returns a function that returns true for the event that ends a run. A held run has two
 * `watchlist.run.completed` events. The first has the status `held` and does not end the run. The
 * second follows when the user has released or discarded the run.
 */
const isEndOf =
  ({ runNumber }: SearchedRun) =>
  ({ type, data }: RunEvent): boolean =>
    type === "watchlist.run.completed" && data.run_number === runNumber && data.status !== "held";

function entriesAbout({ id, type, created_at: at, data }: RunEvent, itemId: string): ItemEvent[] {
  const entries = [...(data.changes ?? []), ...(data.products ?? [])];
  return entries
    .filter((entry) => entry.id === itemId)
    .map(({ step, branch }, n) => ({
      id: `${id}.${n}`,
      eventId: id,
      type,
      at,
      runNumber: data.run_number,
      step,
      branch,
    }));
}
