import type { Watchlist } from "../../api/resources.ts";
import { useQuery } from "../../api/use-query.ts";
import { readWatchlists } from "../../api/watchlists.ts";
import { formatCount } from "../../format/numbers.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/field.tsx";
import { ErrorState } from "../../ui/states.tsx";

interface BacktestListsProps {
  /** The watchlist of the page, which is always tested. */
  readonly list: Watchlist;
  /** The other watchlists to test. */
  readonly chosen: readonly Watchlist[];
  readonly onChange: (chosen: readonly Watchlist[]) => void;
}

/**
 * A field that adds further watchlists to a back-test of `list`. Offers the watchlists that have
 * the platform and the marketplace of `list` and have run at least once. Shows nothing if there are
 * none.
 */
export function BacktestLists({ list, chosen, onChange }: BacktestListsProps) {
  const lists = useQuery(readWatchlists, []);
  const others = lists.data?.data.filter(
    ({ id, platform, marketplace, run_count: runs }) =>
      id !== list.id && platform === list.platform && marketplace === list.marketplace && runs > 0,
  );
  if (lists.error) return <ErrorState error={lists.error} onRetry={lists.refresh} />;
  if (others === undefined || others.length === 0) return null;
  const isChosen = ({ id }: Watchlist): boolean => chosen.some((one) => one.id === id);
  return (
    <details>
      <summary>
        Other watchlists of {list.platform} · {list.marketplace} ({formatCount(chosen.length)} of{" "}
        {formatCount(others.length)} chosen)
      </summary>
      <div class="row">
        <Button small onClick={() => onChange(others)}>
          Choose all
        </Button>
        <Button small variant="quiet" onClick={() => onChange([])}>
          Choose none
        </Button>
      </div>
      <ul class="plain-list">
        {others.map((one) => (
          <li key={one.id}>
            <Checkbox
              label={one.name}
              checked={isChosen(one)}
              onChange={(checked) =>
                onChange(checked ? [...chosen, one] : chosen.filter(({ id }) => id !== one.id))
              }
            />
          </li>
        ))}
      </ul>
    </details>
  );
}
