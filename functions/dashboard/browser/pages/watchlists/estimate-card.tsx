import type { Account, SchedulePreview, WatchlistEstimate } from "../../api/resources.ts";
import { useQuery } from "../../api/use-query.ts";
import { formatCredits } from "../../format/numbers.ts";
import { Card, Facts } from "../../ui/card.tsx";
import { Notice } from "../../ui/states.tsx";
import { creditsInMonth } from "./month-credits.ts";

interface EstimateCardProps {
  readonly estimate: WatchlistEstimate | undefined;
  readonly preview: SchedulePreview | undefined;
  readonly items: number;
}

/** Shows the estimated cost of a watchlist and the current balance. */
export function EstimateCard({ estimate, preview, items }: EstimateCardProps) {
  const account = useQuery((api, signal) => api.get<Account>("account", { signal }), []);
  const balance = account.data?.credit_balance;
  const credits = estimate?.estimated_credits;
  const first = credits?.newAsins;
  return (
    <Card title="Estimated cost">
      {items === 0 ? (
        <p class="muted">Enter IDs above to see the credits of a run.</p>
      ) : (
        <Facts
          facts={[
            ["First read of every item", shown(first)],
            ["Each run after that", shown(credits?.pulseRun)],
            ...(credits !== undefined && credits.refreshRun !== credits.pulseRun
              ? [["Each full refresh", shown(credits.refreshRun)] as const]
              : []),
            ["In 30 days", shown(creditsInMonth(estimate, preview))],
            ["Balance now", shown(balance, "")],
          ]}
        />
      )}
      {first !== undefined && balance !== undefined && first > balance && (
        <Notice tone="warning">
          The balance does not cover the first run. The service skips a run that the balance does
          not cover, and pauses the watchlist after three skipped runs in a row.
        </Notice>
      )}
      <p class="field-hint">
        The maximum for runs in which no item changes. Further steps may read changed items again,
        which costs more. Failed reads are free.
      </p>
    </Card>
  );
}

const shown = (credits: number | undefined, about = "≈ "): string =>
  credits === undefined ? "…" : `${about}${formatCredits(credits)}`;
