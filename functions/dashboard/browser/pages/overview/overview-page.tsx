import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Account, Usage } from "../../api/resources.ts";
import { useQuery } from "../../api/use-query.ts";
import { formatCount, formatCredits, formatNumber, formatShare } from "../../format/numbers.ts";
import { formatDay, lastingWords } from "../../format/times.ts";
import { Page } from "../../shell/page.tsx";
import { BarChart } from "../../ui/bar-chart.tsx";
import { LinkButton, WriteLink } from "../../ui/button.tsx";
import { Card, Stat } from "../../ui/card.tsx";
import { Loaded, Notice, SkeletonCard } from "../../ui/states.tsx";
import { BudgetCard } from "./budget-card.tsx";
import { LedgerCard } from "./ledger-card.tsx";
import { readPausedCredits } from "./paused-credits.ts";
import { type PausedCredits, type RunOut, runOutOf, unlimitedWords } from "./run-out.ts";
import { RunOutList } from "./run-out-list.tsx";
import { UsageByCauseCard } from "./usage-card.tsx";

/** The longest time span that the API returns, in days. All spans end with the current day. */
const daysMax = 90;
const spans = [30, daysMax] as const;
type Span = (typeof spans)[number];

const pollSeconds = 30;
/**
 * The page shows a warning if the credits last for fewer hours than this. 168 hours are seven days.
 */
const fewHours = 168;

/**
 * The page with the balance, the usage of each day and the ledger. Reads the balance and the usage
 * again every 30 seconds.
 */
export function OverviewPage() {
  const account = useQuery((api, signal) => api.get<Account>("account", { signal }), [], {
    poll: () => pollSeconds,
  });
  const usage = useQuery(
    (api, signal) => api.get<Usage>("usage", { signal, query: { days: daysMax } }),
    [],
    { poll: () => pollSeconds },
  );
  // Not polled: runs of paused watchlists rarely change, and reading them takes one request for
  // each watchlist.
  const paused = useQuery(readPausedCredits, []);
  return (
    <Page title="Overview" lead={account.data?.name}>
      <Loaded query={account} skeleton={<SkeletonCard lines={3} />}>
        {(shown) => (
          <>
            <Credits account={shown} usage={usage.data} paused={paused.data} />
            <BudgetCard account={shown} onChanged={account.refresh} />
          </>
        )}
      </Loaded>
      <Loaded query={usage} skeleton={<SkeletonCard lines={10} />}>
        {(shown) => <UsageCard usage={shown} />}
      </Loaded>
      <UsageByCauseCard />
      <LedgerCard />
    </Page>
  );
}

interface CreditsProps {
  readonly account: Account;
  readonly usage: Usage | undefined;
  readonly paused: PausedCredits | undefined;
}

function Credits({ account, usage, paused }: CreditsProps) {
  const { credit_balance: balance, credits_held: held, concurrency } = account;
  const runOut = usage && paused && runOutOf(account, { daily: usage.daily, paused }, new Date());
  const { in_flight: inFlight, limit, next_tier: next } = concurrency;
  return (
    <>
      {balance === 0 ? (
        <Notice tone="warning">
          The account has no credits left. The service refuses item calls and skips runs.
        </Notice>
      ) : (
        runOut &&
        runOut[0].hours < fewHours && (
          <Notice tone="warning">The credits last {lastingWords(runOut[0].hours)}.</Notice>
        )
      )}
      <dl class="stats">
        <Stat
          label="Balance"
          value={formatCount(balance)}
          note={`${formatCredits(account.credits_spent)} spent so far`}
        />
        <Stat
          label="Open holds"
          value={formatCount(held)}
          note="reserved by calls and runs in progress"
        />
        <Stat label="Lasts for" {...lasting(account, runOut)} />
        <Stat
          label="Concurrency in use"
          value={`${formatCount(inFlight)} of ${formatCount(limit)}`}
          note={
            next === null
              ? "the highest concurrency tier"
              : `${formatCount(next.concurrency)} from ${formatCount(next.at_lifetime_credits)} lifetime credits`
          }
        />
      </dl>
    </>
  );
}

/**
 * Returns for how long the balance lasts, and a note that explains this time.
 * @param runOut null if there is no forecast, undefined while the forecast is loading
 */
function lasting(
  account: Account,
  runOut: RunOut | null | undefined,
): { value: string; note: ComponentChildren } {
  if (account.credit_balance === 0) return { value: "0 hours", note: "no credits left" };
  if (runOut === undefined) return { value: "…", note: "" };
  if (runOut === null) return unlimitedWords(account);
  return { value: lastingWords(runOut[0].hours), note: <RunOutList runOut={runOut} /> };
}

function UsageCard({ usage }: { readonly usage: Usage }) {
  const [span, setSpan] = useState<Span>(30);
  const days = useMemo(() => usage.daily.slice(-span), [usage, span]);
  // Keeps the array until the days change, because a new array redraws the chart.
  const bars = useMemo(() => barsOf(days), [days]);
  const sum = (of: "requests" | "successful" | "failed" | "credits"): number =>
    days.reduce((total, day) => total + day[of], 0);
  const requests = sum("requests");
  return (
    <>
      <Card title="Credits per day" actions={<SpanChoice span={span} onChange={setSpan} />}>
        <BarChart
          title="Credits"
          per="Day (UTC)"
          bars={bars}
          format={formatCredits}
          summary={`${formatCredits(sum("credits"))} in ${span} days`}
        />
      </Card>
      <dl class="stats">
        <Stat
          label="Requests"
          value={formatCount(requests)}
          note={`item calls and run steps, ${span} days`}
        />
        <Stat
          label="Success rate"
          value={requests === 0 ? "–" : formatShare(sum("successful") / requests)}
          note={requests === 0 ? "no requests yet" : `${formatCount(sum("failed"))} failed`}
        />
        <Stat
          label="Credits per request"
          value={requests === 0 ? "–" : formatNumber(roundedTenth(sum("credits") / requests))}
          note="on average"
        />
      </dl>
      {requests === 0 && (
        <Card title="Make your first call">
          <p class="muted">
            No requests in this period. Send a product call, or create a watchlist that reads items
            on a schedule.
          </p>
          <div class="row">
            <LinkButton href="#/try" variant="primary">
              Try a call
            </LinkButton>
            <WriteLink spends href="#/watchlists/new">
              New watchlist
            </WriteLink>
          </div>
        </Card>
      )}
    </>
  );
}

const roundedTenth = (value: number): number => Math.round(value * 10) / 10;

const barsOf = (days: Usage["daily"]) =>
  days.map(({ date, credits }) => ({ label: formatDay(date), value: credits }));

function SpanChoice(props: { readonly span: Span; readonly onChange: (span: Span) => void }) {
  return (
    <div class="segmented" role="group" aria-label="Time span">
      {spans.map((span) => (
        <button
          key={span}
          type="button"
          aria-pressed={span === props.span}
          onClick={() => props.onChange(span)}
        >
          {span} days
        </button>
      ))}
    </div>
  );
}
