import { formatDate, formatDateTime, isShownInHours, lastingWords } from "../../format/times.ts";
import type { Forecast, RunOut } from "./run-out.ts";

/**
 * Shows each forecast of when the balance is used up, and what the forecast is calculated from. The
 * earliest time is in bold.
 */
export const RunOutList = ({ runOut }: { readonly runOut: RunOut }) => (
  <ul class="plain-list">
    {runOut.map((forecast, n) => (
      <li key={forecast.basis}>
        {n === 0 ? <strong>{endWords(forecast)}</strong> : endWords(forecast)} {forecast.basis}
      </li>
    ))}
  </ul>
);

/** Returns the end of the credits, and the time until then: `3 Dec 2026 (4 days)`. */
function endWords({ at, hours }: Forecast): string {
  const end = isShownInHours(hours) ? formatDateTime(at) : formatDate(at);
  return `${end} (${lastingWords(hours)})`;
}
