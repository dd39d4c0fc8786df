import type { Watchlist } from "../../api/resources.ts";
import { formatCount } from "../../format/numbers.ts";
import { linkTo } from "../../shell/router.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { Stat } from "../../ui/card.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { Notice } from "../../ui/states.tsx";
import { scheduleWords } from "./schedule-draft.ts";

/** Shows the most important values of a watchlist, and notices about problems. */
export function ListFacts({ list }: { readonly list: Watchlist }) {
  const { new: fresh, active } = list.items_by_state;
  const { pulseRun, refreshRun, newAsins } = list.estimated_credits;
  return (
    <>
      <SkippedNotice list={list} />
      <EndpointNotice list={list} />
      <dl class="stats list-facts">
        <Stat
          label="Items"
          value={formatCount(list.item_count)}
          note={
            <>
              {formatCount(active)} active, {formatCount(fresh)} new, <DelistedLink list={list} />
            </>
          }
        />
        <Stat
          label="Next run"
          value={<RelativeTime time={list.next_run_at} none={noRunWords(list)} />}
          note={
            list.status === "paused"
              ? `${scheduleWords(list.schedule)}, after you resume it`
              : scheduleWords(list.schedule)
          }
        />
        <Stat
          label="Last run"
          value={<RelativeTime time={list.last_run_at} />}
          note={list.last_run_status && <StateBadge state={list.last_run_status} />}
        />
        <Stat
          label="Credits per run"
          value={formatCount(pulseRun)}
          note={creditsNote({ pulseRun, refreshRun, newAsins })}
        />
      </dl>
    </>
  );
}

/** The number of delisted items, as a link to these items. Plain text if the number is 0. */
export function DelistedLink({ list }: { readonly list: Watchlist }) {
  const { delisted } = list.items_by_state;
  const words = `${formatCount(delisted)} delisted`;
  if (delisted === 0) return <>{words}</>;
  return <a href={linkTo(`/watchlists/${list.id}`, { state: "delisted" })}>{words}</a>;
}

/** Returns the text that the page shows instead of the next run's time if there is none. */
export const noRunWords = ({ status }: Pick<Watchlist, "status">): string =>
  status === "paused" ? "Paused: no runs" : "none";

function creditsNote({ pulseRun, refreshRun, newAsins }: Watchlist["estimated_credits"]): string {
  const notes = [
    ...(refreshRun === pulseRun ? [] : [`${formatCount(refreshRun)} for a full refresh`]),
    ...(newAsins === 0 ? [] : [`${formatCount(newAsins)} for first reads`]),
  ];
  return notes.length === 0 ? "estimated maximum" : notes.join(", ");
}

function SkippedNotice({ list }: { readonly list: Watchlist }) {
  const { consecutive_skips: skips } = list;
  if (list.paused_reason === "insufficient_credits") {
    return (
      <Notice tone="bad">
        Paused because the account had too few credits for three runs in a row. Add credits, then
        resume.
      </Notice>
    );
  }
  if (skips === 0) return null;
  return (
    <Notice tone="warning">
      {skips === 1 ? "The last run was" : `The last ${skips} runs were`} skipped for lack of
      credits. After three skipped runs in a row, the service pauses the watchlist.
    </Notice>
  );
}

function EndpointNotice({ list }: { readonly list: Watchlist }) {
  const { webhook_url: url, webhook_endpoint_status: status } = list;
  if (status !== "disabled" && status !== "deleted") return null;
  return (
    <Notice tone="warning">
      The webhook endpoint of this watchlist, <code>{url}</code>, is {status}: its deliveries are
      recorded as failed.{" "}
      {status === "disabled" ? "Enable it under Webhooks" : "Register the URL again under Webhooks"}
      , or choose another endpoint in the settings.
    </Notice>
  );
}
