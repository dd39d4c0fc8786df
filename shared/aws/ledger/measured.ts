import type { LedgerProcess } from "./process.ts";

/** The duration and retries of one reservation or settlement. */
export interface LedgerReport {
  readonly operation: "reserve" | "settle";
  /** From its beginning to its end, waits included. */
  readonly milliseconds: number;
  /** Attempts after the first one. */
  readonly retries: number;
}

/** Does one operation and reports its duration and retries, even if it fails. */
export async function measured<T>(
  process: LedgerProcess,
  operation: LedgerReport["operation"],
  act: (process: LedgerProcess) => Promise<T>,
): Promise<T> {
  const { clock, report } = process;
  if (report === undefined) return act(process);
  const from = clock.now().getTime();
  let retries = 0;
  const onRetry = (): void => {
    retries += 1;
  };
  try {
    return await act({ ...process, onRetry });
  } finally {
    report({ operation, milliseconds: clock.now().getTime() - from, retries });
  }
}
