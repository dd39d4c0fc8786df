import { useState } from "preact/hooks";
import type { Account } from "../../api/resources.ts";
import { formatCount, formatCredits } from "../../format/numbers.ts";
import { WriteButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { BudgetDialog } from "./budget-dialog.tsx";

interface BudgetCardProps {
  readonly account: Account;
  readonly onChanged: () => void;
}

/**
 * Shows the daily credit budget of the account, with a button that changes it. Calls `onChanged`
 * after a change.
 */
export function BudgetCard({ account, onChanged }: BudgetCardProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Card
      title="Daily budget"
      actions={
        <WriteButton small onClick={() => setOpen(true)}>
          Change budget
        </WriteButton>
      }
    >
      <p>{budgetSentence(account)}</p>
      {isOpen && (
        <BudgetDialog account={account} onChanged={onChanged} onClose={() => setOpen(false)} />
      )}
    </Card>
  );
}

function budgetSentence(account: Account): string {
  const { daily_credit_budget: budget, daily_credits_left: left } = account;
  const spent = `${formatCredits(account.credits_spent_today)} spent today (UTC).`;
  if (budget === null) return `No limit. ${spent}`;
  return `${formatCount(left ?? 0)} of ${formatCredits(budget)} left today. ${spent}`;
}
